/** Organizations whose accounts hold disks that nothing uses: a recommendation to delete each, and people who may approve it. */
import type { Event } from '#engine/run/publisher.ts'
import type { Connections } from '#config/state/connect.ts'
import { tokens, type Product } from '#config/wiring/tokens.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { peopleOf } from '#test/harness/workflow-load.ts'

export interface Orphan {
  orgId: string
  cloudAccountId: string
  uid: string
  recommendationId: string
  /** Who may approve. */
  userId: string
}

/** Of an organization as many as may be live at a time. */
const orgMax = 1000
const accounts = 10
const packed = 100

const disk = {
  type: 'aws-ebs-volume',
  instanceType: 'gp3',
  sizeGB: 500,
  status: 'running',
  region: 'us-east-1',
  provider: 'aws',
  specs: { state: 'available', days_detached: 40, volume_type: 'gp3', encrypted: true },
} as const

const foundSql = `
  select org_id as "orgId", cloud_account_id as "cloudAccountId", resource_uid as uid, id as "recommendationId"
  from recommendation where rule_id = 'RC-1301' and status = 'open'`

/** So many, ten accounts an organization; in turn over the accounts. */
export async function orphans(c: Connections, product: Product, count: number): Promise<Orphan[]> {
  const publisher = product.get(tokens.publisher)
  const people = new Map<string, string>()
  for (let first = 0; first < count; first += orgMax) {
    const orgId = `bench-workflow-${first / orgMax}`
    people.set(orgId, (await peopleOf(c.store, orgId))[0])
    const uids = Array.from({ length: Math.min(orgMax, count - first) }, (_, i) => i)
    for (const [account, own] of Map.groupBy(uids, (i) => `${orgId}-acct-${i % accounts}`))
      for (let i = 0; i < own.length; i += packed) {
        const events = own.slice(i, i + packed).map((n) => {
          const data = { ...disk, resourceUid: `vol-${n}`, name: `vol-${n}`, cloudAccountId: account }
          return { subject: resourceDiscovered, orgId, data }
        }) as unknown as [Event, ...Event[]]
        await publisher.publishTogether(`${account}-${i}`, events)
      }
  }
  for (;;) {
    const { rows } = await c.store.pool.query<Omit<Orphan, 'userId'>>(foundSql)
    if (rows.length === count)
      return rows
        .map((row) => ({ ...row, userId: people.get(row.orgId)! }))
        .toSorted((a, b) => Number(a.uid.slice(4)) - Number(b.uid.slice(4)))
    await c.clock.sleep(100)
  }
}
