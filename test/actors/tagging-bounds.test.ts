import { expect } from 'chai'
import { factsOfRow } from '#actors/tagging/facts.ts'
import { decoder } from '#engine/value/schema.ts'
import { tagLook } from '#streams/tagging.ts'

describe('what a sweep tells of a resource', () => {
  it('is always a message that can be read, whatever producers put into specs', () => {
    const row = (specs: Record<string, unknown>) => ({
      name: 'x',
      type: 'aws-ec2',
      provider: 'aws',
      region: 'us-east-1',
      instanceType: '',
      resourceGroup: '',
      parentUid: '',
      tags: {},
      specs,
    })
    const networks = [{ network: 'n'.repeat(3000) }, { vpc: 'v'.repeat(401), subnet: 's-1' }, { vpc: 'v'.repeat(400) }]
    const decode = decoder(tagLook.schema)
    const seen = networks.map((specs) => {
      const facts = factsOfRow(row(specs))
      decode({ cloudAccountId: 'a', resourceUid: 'i-1', found: { facts, observedAt: '2026-01-15T10:00:00.000Z' } })
      return facts.network
    })
    expect(seen).to.deep.equal(['', 's-1', 'v'.repeat(400)])
  })
})
