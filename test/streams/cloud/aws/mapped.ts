/** What tests of mappings share: where things are, and that what comes of them may be published. */
import { expect } from 'chai'
import { decoder } from '#engine/value/schema.ts'
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'

export const where = { region: 'us-east-1', account: '123456789012' }
export const made = new Date('2025-03-01T08:00:00Z')
export const madeAt = '2025-03-01T08:00:00.000Z'
export const arn = (service: string, what: string): string => `arn:aws:${service}:us-east-1:123456789012:${what}`
export const none = (): undefined => undefined

const decode = decoder(resourceDiscovered.schema)

/** The one resource, which is one that may be published. */
export function one(found: readonly DiscoveredResource[]): DiscoveredResource {
  expect(found.length).to.equal(1)
  decode({ ...found[0]!, cloudAccountId: 'acct-1' })
  return found[0]!
}

export const aws = { provider: 'aws', region: 'us-east-1' } as const
