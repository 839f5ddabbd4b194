/** Since when addresses are not associated, by what CloudTrail says. */
import { expect } from 'chai'
import { discoverAws } from '#streams/cloud/aws/discover/discover.ts'
import { account, awsError, stubOf, type Question } from './stub.ts'

/** Two addresses that nothing uses, and one of a machine. */
const addresses = [
  { AllocationId: 'eipalloc-a', PublicIp: '203.0.113.1' },
  { AllocationId: 'eipalloc-b', PublicIp: '203.0.113.2' },
  { AllocationId: 'eipalloc-c', PublicIp: '203.0.113.3', AssociationId: 'eipassoc-c', InstanceId: 'i-1' },
]

interface Told {
  at: string
  asked: object
  answered?: object
  error?: string
}

const event = ({ at, asked, answered, error }: Told) => ({
  EventTime: new Date(at),
  CloudTrailEvent: JSON.stringify({
    requestParameters: asked,
    responseElements: answered ?? null,
    ...(error && { errorCode: error }),
  }),
})

const begin = (at: string, allocationId: string, associationId: string): Told => ({
  at,
  asked: { allocationId, instanceId: 'i-1' },
  answered: { associationId },
})
const end = (at: string, associationId: string, error?: string): Told => ({
  at,
  asked: { associationId },
  ...(error && { error }),
})

const nameIn = ({ input }: Question): string => input.LookupAttributes[0].AttributeValue

async function scan(lookUp: (question: Question) => unknown, found: readonly object[] = addresses) {
  const stub = stubOf((question) => {
    if (question.operation === 'DescribeAddresses') return { Addresses: found }
    return question.operation === 'LookupEvents' ? lookUp(question) : {}
  })
  const only = new Set(['aws-eip'])
  const discovery = discoverAws({ open: stub.open })({ ...account, regions: ['us-east-1'] }, undefined, only)
  const all = (await Array.fromAsync(discovery.pages)).flat()
  const free = Object.fromEntries(all.map(({ resourceUid, specs }) => [resourceUid, specs?.['unchanged_since']]))
  const asked = stub.asked.filter(({ operation }) => operation === 'LookupEvents').map(nameIn)
  const { message, missingPermissions, lostTypes } = discovery
  return { free, asked, message, missingPermissions, lostTypes }
}

/** Newest first, as CloudTrail lists them. */
const history = (ends: readonly Told[], begins: readonly Told[]) => (question: Question) => ({
  Events: (nameIn(question) === 'DisassociateAddress' ? ends : begins).map(event),
})

const unknown = { 'eipalloc-a': undefined, 'eipalloc-b': undefined, 'eipalloc-c': undefined }

describe('since when addresses of AWS are free', () => {
  it('is the end of their last association, which names the association alone', async () => {
    const { free, asked } = await scan(
      history(
        [
          end('2026-02-21T10:00:00Z', 'eipassoc-2', 'Client.UnauthorizedOperation'),
          end('2026-02-20T10:00:00Z', 'eipassoc-2'),
          end('2026-02-10T10:00:00Z', 'eipassoc-1'),
        ],
        [
          begin('2026-02-15T10:00:00Z', 'eipalloc-a', 'eipassoc-2'),
          begin('2026-02-01T10:00:00Z', 'eipalloc-a', 'eipassoc-1'),
        ],
      ),
    )
    expect(free).to.deep.equal({ ...unknown, 'eipalloc-a': '2026-02-20T10:00:00.000Z' })
    expect(asked).to.deep.equal(['DisassociateAddress', 'AssociateAddress'])
  })

  it('is unknown for one that was associated again since: its machine has ended', async () => {
    const { free } = await scan(
      history(
        [end('2026-02-10T10:00:00Z', 'eipassoc-1')],
        [
          begin('2026-02-15T10:00:00Z', 'eipalloc-a', 'eipassoc-2'),
          begin('2026-02-01T10:00:00Z', 'eipalloc-a', 'eipassoc-1'),
        ],
      ),
    )
    expect(free).to.deep.equal(unknown)
  })

  it('is the end that names the address itself, as older programs do', async () => {
    const { free } = await scan(
      history(
        [{ at: '2026-02-10T10:00:00Z', asked: { publicIp: '203.0.113.2' } }],
        [{ at: '2026-02-01T10:00:00Z', asked: { publicIp: '203.0.113.2', instanceId: 'i-1' } }],
      ),
    )
    expect(free).to.deep.equal({ ...unknown, 'eipalloc-b': '2026-02-10T10:00:00.000Z' })
  })

  it('is not asked for where all addresses are in use, or none was given up', async () => {
    const used = await scan(history([], []), addresses.slice(2))
    expect(used.asked).to.deep.equal([])
    expect((await scan(history([], []))).asked).to.deep.equal(['DisassociateAddress'])
  })

  it('is unknown where CloudTrail refuses or fails, and all addresses are found', async () => {
    const refused = await scan(() => {
      throw awsError('AccessDeniedException', 403)
    })
    expect([refused.free, refused.message, refused.lostTypes]).to.deep.equal([unknown, undefined, []])
    expect(refused.missingPermissions).to.deep.equal(['cloudtrail:LookupEvents'])
    const failed = await scan(() => {
      throw awsError('InternalError', 500)
    })
    expect([failed.free, failed.lostTypes]).to.deep.equal([unknown, []])
  })
})
