/** A month of an account delivered as an export, as providers do, and what reports say meanwhile. */
import { randomUUID } from 'node:crypto'
import type { Event } from '#engine/run/publisher.ts'
import { billingExportEnded, billingLine } from '#streams/billing/messages.ts'
import type { Connections } from '#config/state/connect.ts'
import { waitUntilSettled } from '#config/state/wait-for-ingest.ts'
import { Sender } from '#engine/run/sender.ts'
import { tokens, type Product } from '#config/wiring/tokens.ts'

export const exportAccount = 'acct-exports'

interface Bill {
  product: Product
  connections: Connections
  orgId: string
  days: number
  perDay: number
  /** One line in so many costs a cent more than before; 0 for none. */
  changedEvery: number
  cents: number
}

/** Seconds, and answers of reports. */
export interface Delivered {
  published: number
  /** From the last line until all are stored. */
  stored: number
  /** From the end until every report is right. */
  turned: number
  answers: number
  mixed: number
}

let exports = 0

/** Sends the lines and then the end; `total` is what reports say of the month, in cents. */
export async function deliver(bill: Bill, total: () => Promise<number>): Promise<Delivered> {
  const { product, connections, orgId, days, perDay, cents, changedEvery } = bill
  const publisher = product.get(tokens.publisher)
  const id = { exportId: `e${++exports}`, exportedAt: `2026-03-0${exports}T00:00:00Z` }
  const before = await total()
  const changed = changedEvery === 0 ? 0 : Math.ceil((days * perDay) / changedEvery)
  const after = days * perDay * cents + changed
  const sender = new Sender(publisher, randomUUID)
  const published = await seconds(async () => {
    for (let number = 0; number < days * perDay; number++) {
      const isChanged = changedEvery > 0 && number % changedEvery === 0
      await sender.add({
        subject: billingLine,
        orgId,
        data: line(number, perDay, isChanged ? cents + 1 : cents, id),
      } as unknown as Event)
    }
    await sender.end()
  })
  const stored = await seconds(() => waitUntilSettled(connections, orgId, sender.lanes, () => {}))
  const seen: number[] = []
  let isOver = false
  const watch = (async () => {
    while (!isOver) seen.push(await total())
  })()
  const turned = await seconds(async () => {
    const data = { cloudAccountId: exportAccount, ...id, periods: [{ period: '2026-01', lines: days * perDay }] }
    const { lane, seq } = await publisher.publish({ subject: billingExportEnded, orgId, data })
    await waitUntilSettled(connections, orgId, new Map([[lane!, seq]]), () => {})
  })
  isOver = true
  await watch
  if ((await total()) !== after) throw new Error(`reports say ${await total()} cents where the export has ${after}`)
  // Without an older one an export shows as its lines come: any sum on the way is one of it.
  const mixed = before === 0 ? 0 : seen.filter((sum) => sum !== before && sum !== after).length
  return { published, stored, turned, answers: seen.length, mixed }
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1000
}

function line(number: number, perDay: number, cents: number, id: { exportId: string; exportedAt: string }) {
  const day = `2026-01-${String(Math.floor(number / perDay) + 1).padStart(2, '0')}`
  return {
    lineId: `${day}/${number % perDay}`,
    cloudAccountId: exportAccount,
    provider: 'aws',
    resourceUid: `i-${number % 5000}`,
    serviceName: `service-${number % 17}`,
    resourceType: 'aws-ec2',
    region: 'us-east-1',
    usageDate: day,
    purchaseType: 'on_demand',
    costUSD: `0.0${cents}`,
    source: 'actual',
    ...id,
  }
}
