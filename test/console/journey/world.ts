/** The demo organization as `npm start` makes it, with its anomalies, and its bills of the last months. */
import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { loadDemo } from '#config/demo/demo.ts'
import { Progress } from '#config/process/progress.ts'
import type { Running } from '#config/product/product.ts'
import { dayMs, dayOf } from '#engine/value/day.ts'
import type { Hand } from '#test/console/journey/hand.ts'
import { simulatedBills, tenant, type Tenant } from '#test/harness/product.ts'
import { testStores } from '#test/harness/stores.ts'

/** Two months before the present one begin within it. */
const billedDays = 100

export interface World {
  org: Tenant
  /** The thirty days that views show unless asked otherwise: they end with the last settled one. */
  days: { from: string; to: string }
  /** Data of an answer of the API, or all of it where it has none. */
  data: (address: string) => Promise<any>
  end: () => void
}

export async function demoWorld(): Promise<World> {
  const org = await tenant()
  const { connections, product, url, analystsUrl } = org
  const file = path.join(connections.settings.dataDir, 'demo.json')
  simulatedBills.areOn = true
  simulatedBills.since = dayOf(new Date(Date.now() - billedDays * dayMs))
  writeFileSync(file, JSON.stringify({ orgId: org.orgId, token: org.token, isLoaded: false }))
  const stores = await testStores()
  const running: Running = { stores, connections, product, url, analystsUrl, metricsUrl: '', stop: async () => {} }
  await (await loadDemo(running, new Progress()))!.rest()
  const { settledThrough: to } = (await org.get('/reports/summary')).body.meta
  return {
    org,
    days: { from: dayOf(new Date(Date.parse(to) - 29 * dayMs)), to },
    data: async (address) => {
      const { status, body } = await org.get(address)
      expect(status, `${address}: ${JSON.stringify(body)}`).to.equal(200)
      return body.data ?? body
    },
    end: () => {
      Object.assign(simulatedBills, { areOn: false, since: '' })
      rmSync(file, { force: true })
    },
  }
}

/** A task as people do it, from the overview on. */
export interface Journey {
  task: string
  /** What it may take, clicks and keys. */
  actionsMax: number
  /** Does it, and expects what is seen at the end. */
  walk: (hand: Hand, world: World) => Promise<void>
}

/** As the console writes it. */
export const usd = (amount: number): string =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' }).format(amount)
