import { expect } from 'chai'
import { tellPast } from '#actors/kubernetes/simulated-history.ts'
import type { Tools } from '#actors/tools.ts'
import type { Event } from '#engine/run/publisher.ts'
import type { CloudAccount } from '#streams/cloud/connector.ts'
import { simulatedCloud } from '#streams/cloud/simulated/connector.ts'
import type { KubernetesUsage } from '#streams/kubernetes/messages.ts'

describe('telling past hours of simulated clusters', () => {
  it('publishes every whole hour of the span under its account, each time under the same ids', async () => {
    const cloud = simulatedCloud({ seed: 's', now: () => new Date('2026-03-11T12:03:00Z'), sleep: async () => {} })
    const account: CloudAccount = {
      id: 'acct-1',
      orgId: 'o1',
      provider: 'aws',
      externalId: 'sim-aws-production',
      name: '',
      regions: [],
      credentials: null,
    }
    const tell = async () => {
      const told: Event[] = []
      const publisher = { publish: async (event: Event) => void told.push(event) } as unknown as Tools['publisher']
      const span = { from: new Date('2026-03-10T21:30:00Z'), to: new Date('2026-03-11T00:59:00Z') }
      await tellPast({ publisher }, cloud, account, span)
      return told
    }
    const told = await tell()
    expect(
      told.map(({ subject, orgId, place, data }) => {
        const { from, seconds, nodes = [] } = data as unknown as KubernetesUsage
        return [subject.name, orgId, place, from, seconds, nodes.length]
      }),
    ).to.deep.equal(
      ['2026-03-10T22:00:00.000Z', '2026-03-10T23:00:00.000Z'].map((from) => [
        'kubernetes.usage',
        'o1',
        'acct-1',
        from,
        3600,
        2,
      ]),
    )
    expect(new Set(told.map(({ id }) => id)).size).to.equal(2)
    expect((await tell()).map(({ id }) => id)).to.deep.equal(told.map(({ id }) => id))
  })
})
