/** Puts observations through the product, and reads its inventory back. */
import { randomUUID } from 'node:crypto'
import { tokens } from '#config/wiring/tokens.ts'
import { waitUntilSettled } from '#config/state/wait-for-ingest.ts'
import { Sender } from '#engine/run/sender.ts'
import type { Event } from '#engine/run/publisher.ts'
import type { Tenant } from '#test/harness/product.ts'
import type { Wanted } from '#test/real/inventory/expected.ts'

export const account = 'acct-real'

/** Publishes events, each with its own time, and waits until they have taken effect. */
export async function publish(org: Tenant, events: readonly Event[]): Promise<void> {
  const sender = new Sender(org.product.get(tokens.publisher), randomUUID)
  for (const event of events) await sender.add(event)
  await sender.end()
  await waitUntilSettled(org.connections, org.orgId, sender.lanes, () => {})
}

/** What the tests look at of a resource. */
export interface Resource extends Wanted {
  name: string
  parentUID: string
  childCount: number
  id: string
  createdAt: string
  updatedAt: string
  uid: string
  region: string
  schedulable: boolean
}

/** The whole inventory, page by page, by name. */
export async function listed(org: Tenant): Promise<Resource[]> {
  const out: Resource[] = []
  for (let page = 1; ; page++) {
    const { body } = await org.get<{ data: Resource[] }>(`/resources?limit=100&page=${page}`)
    out.push(...body.data)
    if (body.data.length < 100) return out
  }
}

/** How often each value is there. */
export const counted = (values: readonly string[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(values, (value) => value)].map(([value, all]) => [value, all.length]))

/** How many resources match the query. */
export async function count(org: Tenant, filter = ''): Promise<number> {
  return (await org.get<{ data: { count: number } }>(`/resources/count?${filter}`)).body.data.count
}
