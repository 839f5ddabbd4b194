/** When unattached volumes were detached, by what CloudTrail says. */
import { expect } from 'chai'
import { discoverAws } from '#streams/cloud/aws/discover/discover.ts'
import { account, awsError, stubOf, type Question } from './stub.ts'

/** Two volumes attached to nothing, and one to a machine. */
const volumes = [
  { VolumeId: 'vol-a', State: 'available' },
  { VolumeId: 'vol-b', State: 'available', Attachments: [] },
  { VolumeId: 'vol-c', State: 'in-use', Attachments: [{ InstanceId: 'i-1' }] },
]

interface Told {
  name: string
  at: string
  volume: string
  error?: string
}

/** As CloudTrail lists it: a failed call has a code in its text. */
const event = ({ name, at, volume, error }: Told) => ({
  EventName: name,
  EventTime: new Date(at),
  Resources: [
    { ResourceType: 'AWS::EC2::Instance', ResourceName: 'i-1' },
    { ResourceType: 'AWS::EC2::Volume', ResourceName: volume },
  ],
  CloudTrailEvent: JSON.stringify({ eventName: name, ...(error && { errorCode: error }) }),
})

const nameIn = ({ input }: Question): string => input.LookupAttributes[0].AttributeValue

/** Scans the region for volumes; `lookUp` answers CloudTrail's calls. */
async function scan(lookUp: (question: Question) => unknown, found: readonly object[] = volumes) {
  const stub = stubOf((question) => {
    if (question.operation === 'DescribeVolumes') return { Volumes: found }
    return question.operation === 'LookupEvents' ? lookUp(question) : {}
  })
  const discovery = discoverAws({ open: stub.open })({ ...account, regions: ['us-east-1'] }, undefined, only)
  const all = (await Array.fromAsync(discovery.pages)).flat()
  const detached = Object.fromEntries(all.map(({ resourceUid, specs }) => [resourceUid, specs?.['detached_at']]))
  const asked = stub.asked.filter(({ operation }) => operation === 'LookupEvents')
  const { message, missingPermissions, lostTypes } = discovery
  return { detached, asked, message, missingPermissions, lostTypes }
}

const only = new Set(['aws-ebs-volume'])

/** Newest first, as CloudTrail lists them. */
const history =
  (...all: Told[]) =>
  (question: Question) => ({ Events: all.filter(({ name }) => name === nameIn(question)).map(event) })

const nothingKnown = { 'vol-a': undefined, 'vol-b': undefined, 'vol-c': undefined }

describe('when volumes of AWS were detached', () => {
  it('is the last time that a call detached them, which two look-ups tell for a whole region', async () => {
    const { detached, asked } = await scan(
      history(
        { name: 'DetachVolume', at: '2026-02-20T10:00:00Z', volume: 'vol-b', error: 'Client.UnauthorizedOperation' },
        { name: 'DetachVolume', at: '2026-02-10T10:00:00Z', volume: 'vol-a' },
        { name: 'DetachVolume', at: '2026-02-01T10:00:00Z', volume: 'vol-b' },
        { name: 'DetachVolume', at: '2026-01-05T10:00:00Z', volume: 'vol-a' },
        { name: 'AttachVolume', at: '2026-01-20T10:00:00Z', volume: 'vol-a' },
      ),
    )
    expect(detached).to.deep.equal({
      'vol-a': '2026-02-10T10:00:00.000Z',
      'vol-b': '2026-02-01T10:00:00.000Z',
      'vol-c': undefined,
    })
    expect(asked.map((one) => [nameIn(one), one.input.StartTime?.toISOString()])).to.deep.equal([
      ['DetachVolume', undefined],
      ['AttachVolume', '2026-02-01T10:00:00.000Z'],
    ])
  })

  it('is unknown for one that was attached again: it was detached since by the end of its machine', async () => {
    const { detached } = await scan(
      history(
        { name: 'DetachVolume', at: '2026-02-10T10:00:00Z', volume: 'vol-b' },
        { name: 'DetachVolume', at: '2026-01-05T10:00:00Z', volume: 'vol-a' },
        { name: 'AttachVolume', at: '2026-01-20T10:00:00Z', volume: 'vol-a' },
      ),
    )
    expect(detached).to.deep.equal({ ...nothingKnown, 'vol-b': '2026-02-10T10:00:00.000Z' })
  })

  it('reads ten pages of each list, and believes no detachment from before the last of them', async () => {
    const day = (page: number) => `2026-02-${String(20 - page).padStart(2, '0')}T10:00:00Z`
    const { detached, asked } = await scan((question) => {
      const page = Number(question.input.NextToken ?? 0)
      if (nameIn(question) === 'AttachVolume')
        return {
          Events: [event({ name: 'AttachVolume', at: day(page), volume: 'vol-z' })],
          NextToken: String(page + 1),
        }
      const [a, b] = ['2026-02-11T12:00:00Z', '2026-02-10T12:00:00Z']
      return {
        Events: [
          event({ name: 'DetachVolume', at: a, volume: 'vol-a' }),
          event({ name: 'DetachVolume', at: b, volume: 'vol-b' }),
        ],
      }
    })
    // The tenth page of attachments ends on 11 February at 10:00.
    expect(detached).to.deep.equal({ ...nothingKnown, 'vol-a': '2026-02-11T12:00:00.000Z' })
    expect(asked.map(nameIn)).to.deep.equal(['DetachVolume', ...Array.from({ length: 10 }, () => 'AttachVolume')])
  })

  it('is not asked for in a region where all volumes are attached', async () => {
    const { asked, detached } = await scan(history(), volumes.slice(2))
    expect([asked, detached]).to.deep.equal([[], { 'vol-c': undefined }])
  })

  it('is unknown where CloudTrail refuses or fails, and all volumes are found', async () => {
    const refused = await scan(() => {
      throw awsError('AccessDeniedException', 403)
    })
    expect([refused.detached, refused.message, refused.lostTypes]).to.deep.equal([nothingKnown, undefined, []])
    expect(refused.missingPermissions).to.deep.equal(['cloudtrail:LookupEvents'])
    const down = await scan(() => {
      throw awsError('InternalFailure', 500)
    })
    expect([down.detached, down.message, down.lostTypes]).to.deep.equal([nothingKnown, undefined, []])
    expect(down.missingPermissions).to.deep.equal([])
  })
})
