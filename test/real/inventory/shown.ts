/** What discovery has found in recorded answers, told to the product and shown by it. */
import { expect } from 'chai'
import type { Event } from '#engine/run/publisher.ts'
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { account, listed, publish, type Resource } from '#test/real/inventory/product.ts'
import type { Tenant } from '#test/harness/product.ts'

/** By uid, what of a resource goes through the product as it is. */
const told = (all: readonly Partial<Resource & DiscoveredResource>[]) =>
  new Map(
    all.map((one) => {
      const { name, type, region, status = 'pending', instanceType = '', sizeGB = null } = one
      const uid = one.resourceUid ?? one.uid ?? ''
      return [uid, { name, type, region, status, instanceType, sizeGB, parentUID: one.parentUID ?? '', tags: one.tags }]
    }),
  )

/** Has the product told of each by the message that discovery publishes, and compares what `GET /resources` answers, member by member. */
export async function showsAll(org: Tenant, found: readonly DiscoveredResource[]): Promise<void> {
  const events = found.map((one) => ({
    subject: resourceDiscovered,
    orgId: org.orgId,
    time: new Date(Date.UTC(2026, 0, 1)),
    data: { ...one, cloudAccountId: account },
  }))
  await publish(org, events as unknown as Event[])
  expect(told(await listed(org))).to.deep.equal(told(found))
}
