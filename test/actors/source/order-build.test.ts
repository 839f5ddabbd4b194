import { expect } from 'chai'
import jwt from 'jsonwebtoken'
import { findingsOf } from '#actors/source/lint.ts'
import { orderBuildWork, type OrderTools } from '#actors/source/order-build.ts'
import { decoder } from '#engine/value/schema.ts'
import { Fault } from '#engine/value/fault.ts'
import { buildJob, buildOrdered } from '#streams/source/messages.ts'

const input = {
  deploymentId: 'd-1',
  revisionId: 'r-1',
  commitSha: '1'.repeat(40),
  repositoryUrl: 'https://example.test/acme/shop.git',
}
const call = { key: 'build/o1/r-1', orgId: 'o1', attempt: 1, signal: new AbortController().signal }
const now = new Date('2030-01-07T13:00:00Z')

/** What a process has, and what it sent. A revision goes on once it is told that its order is out. */
function world({ callback = 'planted' as string | undefined, publicUrl = 'https://tidemark.test' } = {}) {
  const sent: { what: string; id: string; data: any }[] = []
  const state = { status: 'queued', dies: '' }
  const send = (what: string, id: string, data: unknown) => {
    sent.push({ what, id, data })
    if (state.dies === what) throw new Error('killed')
    if (what === buildOrdered.name) state.status = 'building'
  }
  const tools = {
    reads: { rows: async () => (state.status === 'queued' ? [{}] : []), facts: async () => [] },
    publisher: {
      post: async (outlet: { name: string }, orgId: string, id: string, data: unknown) =>
        send(`${outlet.name} ${orgId}`, id, data),
      report: async ({ subject, data, id }: any) => send(subject.name as string, id as string, data),
    },
    now: () => now,
    publicUrl: () => publicUrl,
    source: { callback },
  } as unknown as OrderTools
  return { sent, state, work: orderBuildWork(tools), tools }
}

const order = 'build.job o1'

describe('the order of a build', () => {
  it('goes out under the id of its revision, with a token by which its builder reports [HOOK-07] [HOOK-14]', async () => {
    const { sent, work } = world()
    await work.run(input, call)
    expect(sent.map(({ what, id }) => `${what} ${id}`)).to.deep.equal([
      `${order} r-1`,
      'build.ordered build/o1/r-1/ended',
    ])
    const { data } = sent[0]!
    expect(() => decoder(buildJob.schema)(data)).not.to.throw()
    const { callbackToken, ...rest } = data as Record<string, string>
    expect(rest).to.deep.equal({
      revisionID: 'r-1',
      deploymentID: 'd-1',
      repositoryURL: input.repositoryUrl,
      commitSHA: input.commitSha,
      callbackURL: 'https://tidemark.test/build-callbacks/r-1',
    })
    const iat = now.getTime() / 1000
    const claims = jwt.verify(callbackToken!, 'planted', { algorithms: ['HS256'], clockTimestamp: iat })
    expect(claims).to.deep.equal({ rev: 'r-1', iat, exp: iat + 1800 })
    expect(JSON.stringify(sent)).to.not.include('planted')
  })

  it('goes out again under the same id where it may not have gone out, and not once it has [HOOK-09]', async () => {
    const { sent, state, work } = world()
    for (const point of [order, 'build.ordered']) {
      state.dies = point
      await work.run(input, call).catch(() => {})
    }
    state.dies = ''
    await work.run(input, call)
    const orders = () => sent.filter(({ what }) => what === order).map(({ id }) => id)
    expect(orders()).to.deep.equal(['r-1', 'r-1', 'r-1'])
    for (let i = 0; i < 3; i++) await work.run(input, call)
    expect(orders()).to.have.length(3)
  })

  it('names no way to report where nothing is heard of builders, or nobody knows where [HOOK-18]', async () => {
    for (const lacking of ['callback', 'publicUrl']) {
      const { sent, work, tools } = world(lacking === 'publicUrl' ? { publicUrl: '' } : {})
      if (lacking === 'callback') Object.assign(tools.source, { callback: undefined })
      await work.run(input, call)
      expect(Object.keys(sent[0]!.data as object)).to.deep.equal([
        'revisionID',
        'deploymentID',
        'repositoryURL',
        'commitSHA',
      ])
    }
  })

  it('that never goes out fails its revision', async () => {
    const { sent, work } = world()
    await work.failed(input, call, Fault.transient('unavailable', 'away'))
    const failureReason = 'The build could not be started.'
    expect(sent).to.deep.equal([
      {
        what: 'build.ended',
        id: 'build/o1/r-1/given-up',
        data: { deploymentId: 'd-1', revisionId: 'r-1', status: 'failed', failureReason },
      },
    ])
  })
})

describe('what a pull request is judged by', () => {
  const shop = { name: 'Shop', repositoryUrl: 'https://example.test/acme/shop.git' }
  const space = { name: 'Production', status: 'active' as const }

  it('is its space, and how its sources are fetched [HOOK-10]', () => {
    expect(findingsOf(shop, space)).to.deep.equal([])
    expect(findingsOf(shop, null)).to.deep.equal(['The space of Shop no longer exists.'])
    expect(findingsOf(shop, { ...space, status: 'disabled' })).to.deep.equal([
      'The space Production of Shop is disabled.',
    ])
    expect(findingsOf({ ...shop, repositoryUrl: 'http://example.test/acme/shop' }, null)).to.deep.equal([
      'The space of Shop no longer exists.',
      'Shop fetches its source code over an unencrypted connection.',
    ])
    for (const url of ['git@example.test:acme/shop.git', 'ssh://git@example.test/acme/shop'])
      expect(findingsOf({ ...shop, repositoryUrl: url }, space), url).to.deep.equal([])
  })
})
