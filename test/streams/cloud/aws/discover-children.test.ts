import { expect } from 'chai'
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { account, stubOf } from './stub.ts'
import { clusterIn, scanned, typesSeen, uidsOf, world } from './world.ts'

describe('what runs in clusters', () => {
  const child = (parentUID: string): DiscoveredResource => ({
    resourceUid: `${parentUID}/default/deployment/web`,
    name: 'web',
    type: 'aws-eks-deployment',
    provider: 'aws',
    region: 'eu-west-1',
    parentUID,
  })
  const of = { ...account, regions: ['eu-west-1'] }
  async function* pages(...found: DiscoveredResource[]) {
    yield found
  }

  it('is found behind its cluster; where every cluster was seen whole, what is of no cluster is seen too', async () => {
    const whole = await scanned(
      stubOf(world),
      {
        childrenOf: (_, { uid, region }) => ({
          pages: pages(child(uid)),
          seen: [{ types: [], regions: [region], parents: [uid] }],
        }),
      },
      of,
    )
    const uids = uidsOf(whole.found)
    expect(uids.indexOf(child(clusterIn('eu-west-1')).resourceUid)).to.be.above(uids.indexOf(clusterIn('eu-west-1')))
    const part = whole.seen.find(({ types }) => types.includes('aws-eks-deployment'))
    expect([part?.regions, part?.types.length, part && 'parents' in part]).to.deep.equal([['eu-west-1'], 24, false])
  })

  it('of a cluster that is out of reach is kept, and what is wrong is told', async () => {
    const private_ = await scanned(
      stubOf(world),
      {
        childrenOf: () => ({
          pages: pages(),
          seen: [],
          message: 'shop has no public endpoint.',
          missingPermissions: ['eks:AccessKubernetesApi'],
        }),
      },
      of,
    )
    expect(private_.seen.flatMap(({ types }) => types)).to.not.include('aws-eks-deployment')
    expect([private_.message, private_.missing]).to.deep.equal([
      'shop has no public endpoint.',
      ['eks:AccessKubernetesApi'],
    ])
    expect(typesSeen(private_.seen, 'eu-west-1')).to.include('aws-eks')
  })
})
