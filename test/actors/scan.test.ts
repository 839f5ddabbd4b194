import { expect } from 'chai'
import { discoverWork, type DiscoverTools } from '#actors/refresh/discover.ts'
import { statusScanJob } from '#actors/refresh/job.ts'
import type { Event } from '#engine/run/publisher.ts'
import type { DiscoveredResource } from '#streams/cloud/connector.ts'

const found = (resourceUid: string, status: 'running' | 'stopped'): DiscoveredResource => ({
  resourceUid,
  name: resourceUid,
  type: 'aws-ec2',
  provider: 'aws',
  region: 'us-east-1',
  status,
})

const begun = Date.parse('2030-01-07T20:00:00Z')

/** A cloud whose pages take ten seconds each, and what is told of them and of the scan; its refresh is given up behind so many looks. */
function scanned(givenUpBehind = Infinity, lostTypes: readonly string[] = []) {
  const words: string[] = []
  const ends: object[] = []
  const asked: unknown[] = []
  let looks = 0
  let at = begun
  const told: Event[] = []
  async function* pages() {
    for (const page of [[found('i-1', 'running'), found('i-2', 'stopped')], [found('i-3', 'running')]]) {
      at += 10_000
      yield page
    }
  }
  const account = { id: 'a', provider: 'aws', status: 'connected', external_id: '1', name: 'A', regions: [] }
  const known = ['i-1', 'i-2', 'i-3'].map((uid) => ({ uid, status: 'stopped', unitCount: null, instanceType: '' }))
  const rows = async (sql: string) => {
    if (sql.includes('from refresh')) return [{ status: looks++ < givenUpBehind ? 'running' : 'failed' }]
    if (!sql.includes('from cloud_account')) return known
    return sql.includes("'deleted', 'disabled'") ? [] : [account]
  }
  const tools = {
    reads: { rows },
    publisher: {
      publish: async ({ data }: Event) => {
        const { status } = data as { status: string }
        words.push(status)
        if (status === 'completed') ends.push(data as object)
      },
      publishTogether: async (_: string, events: Event[]) => void told.push(...events),
    },
    cloudOf: () => ({
      driver: 'real',
      discover: (_: unknown, __: unknown, only?: ReadonlySet<string>) => {
        asked.push(only && [...only])
        return { seen: 'everything', pages: pages(), lostTypes }
      },
    }),
    open: () => null,
    now: () => new Date(at),
  }
  return { tools: tools as unknown as DiscoverTools, told, words, ends, asked }
}

const call = { key: 'k', orgId: 'o', attempt: 1, signal: new AbortController().signal }
const times = (told: readonly Event[]) =>
  told.map(({ data, time }) => [(data as { resourceUid: string }).resourceUid, time?.toISOString()])

describe('what a scan has seen', () => {
  const beginning = '2030-01-07T20:00:00.000Z'

  it('is of its beginning in a discovery, so that what was done while a page was on its way stands [DISC-01]', async () => {
    const { tools, told } = scanned()
    const input = { refreshId: 'r', scanId: 'r', cloudAccountId: 'a', provider: 'aws' }
    await discoverWork(tools).run(input, call)
    expect(times(told)).to.deep.equal([
      ['i-1', beginning],
      ['i-2', beginning],
      ['i-3', beginning],
    ])
  })

  it('is of the types alone that it is asked for, and says which of them it could not read for now', async () => {
    const { tools, ends, asked } = scanned(Infinity, ['aws-rds'])
    const input = { refreshId: 'r', scanId: 'r', cloudAccountId: 'a', provider: 'aws' }
    const rescan = { types: ['aws-ec2', 'aws-rds'], attempt: 2 }
    await discoverWork(tools).run(input, call)
    await discoverWork(tools).run({ ...input, rescan }, call)
    expect(asked).to.deep.equal([undefined, ['aws-ec2', 'aws-rds']])
    const end = { cloudAccountId: 'a', refreshId: 'r', provider: 'aws', status: 'completed', discovered: 3 }
    expect(ends).to.deep.equal([
      { ...end, lostTypes: ['aws-rds'] },
      { ...end, lostTypes: ['aws-rds'], rescan },
    ])
  })

  it('ends between two pages where it was given up, and says so [DISC-09]', async () => {
    const { tools, told, words } = scanned(1)
    await discoverWork(tools).run({ refreshId: 'r', scanId: 'r', cloudAccountId: 'a', provider: 'aws' }, call)
    expect(told.map(({ data }) => (data as { resourceUid: string }).resourceUid)).to.deep.equal(['i-1', 'i-2'])
    expect(words).to.deep.equal(['running', 'running', 'failed'])
  })

  it('is of its beginning in a look for states, which tells of other states alone', async () => {
    const { tools, told } = scanned()
    await statusScanJob(tools)({ runId: 'r' } as never, call)
    expect(times(told)).to.deep.equal([
      ['i-1', beginning],
      ['i-3', beginning],
    ])
  })
})
