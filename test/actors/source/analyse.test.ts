import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { analyseWork, type AnalyseTools } from '#actors/source/analyse.ts'
import { Deployment } from '#actors/source/entity.ts'

const input = { deploymentId: 'd-1', fullName: 'acme/shop', headSha: '1'.repeat(40), showsCost: true }
const call = { key: 'pull-request/o1/github/p-1', orgId: 'o1', attempt: 1, signal: new AbortController().signal }

describe('the status of a pull request', () => {
  let server: Server
  let answer: { status: number; headers: Record<string, string> }
  const posts: any[] = []
  before(async () => {
    server = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk) => (body += String(chunk)))
      request.on('end', () => {
        posts.push(JSON.parse(body))
        response.writeHead(answer.status, answer.headers).end('{}')
      })
    })
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
  })
  beforeEach(() => {
    answer = { status: 201, headers: {} }
    posts.length = 0
  })
  after(() => server.close())

  /** A space of an organization, and what is asked about its cost. */
  function world({ name = 'Production', clusterUid = null as string | null, members = 0 } = {}) {
    const questions: any[] = []
    const space = { name, status: 'disabled', cloudAccountId: 'a-1', region: 'us-east-1', clusterUid }
    const deployment = { id: 'd-1', name: 'Shop', spaceId: 's-1', repositoryUrl: 'https://example.test/acme/shop' }
    const tools = {
      em: () => ({ findOne: async (entity: unknown) => (entity === Deployment ? deployment : space) }),
      reads: { rows: async () => Array.from({ length: members }, (_, n) => ({ uid: `uid-${n}` })) },
      ask: async (_query: unknown, asked: any) => {
        questions.push([asked.accounts, asked.regions, asked.uids.length])
        return [{ cost_usd: '12.5' }]
      },
      cost: 'billed_cost',
      now: () => new Date('2030-01-07T13:00:00Z'),
      source: { apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, apiToken: 'planted' },
      publicUrl: () => '',
      report: {},
    } as unknown as AnalyseTools
    const run = (of: object = {}) => analyseWork(tools).run({ ...input, ...of }, call)
    return { run, questions }
  }

  it('counts a cluster with all that is in it, and says no cost where that is too much to ask for [HOOK-10]', async () => {
    const told = async (of: Parameters<typeof world>[0]) => {
      const { run, questions } = world(of)
      await run()
      return [...questions, /cost ([\d.]+)/.exec(posts.at(-1).description as string)?.[1]]
    }
    expect(await told({})).to.deep.equal([[['a-1'], ['us-east-1'], 0], '12.50'])
    expect(await told({ clusterUid: 'c-1', members: 3 })).to.deep.equal([[['a-1'], [], 3], '12.50'])
    expect(await told({ clusterUid: 'c-1', members: 0 })).to.deep.equal([[['a-1'], [], 1], '12.50'])
    expect(await told({ clusterUid: 'c-1', members: 1001 })).to.deep.equal([undefined])
  })

  it('says no cost where those who read the repository may not be told it [HOOK-10]', async () => {
    const { run, questions } = world()
    for (const showsCost of [false, undefined]) await run({ showsCost })
    expect(questions).to.deep.equal([])
    expect(posts.map(({ description }) => description as string)).to.deep.equal([
      'The space Production of Shop is disabled.',
      'The space Production of Shop is disabled.',
    ])
  })

  it('is cut between characters, never within one', async () => {
    const { run } = world({ name: '😀'.repeat(100) })
    await run()
    const { description } = posts[0] as { description: string }
    expect(Array.from(description)).to.have.length(140)
    expect(description.isWellFormed()).to.equal(true)
    expect(description.endsWith('😀…')).to.equal(true)
  })

  it('is posted again where its host has had too much, and not where it refuses [HOOK-10]', async () => {
    const codeOf = async (status: number, headers: Record<string, string> = {}) => {
      answer = { status, headers }
      return world()
        .run()
        .then(
          () => 'posted',
          ({ kind }: { kind: string }) => kind,
        )
    }
    expect(await codeOf(201)).to.equal('posted')
    for (const status of [408, 429, 500, 503]) expect(await codeOf(status), String(status)).to.equal('transient')
    expect(await codeOf(403, { 'Retry-After': '60' })).to.equal('transient')
    expect(await codeOf(403, { 'X-RateLimit-Remaining': '0' })).to.equal('transient')
    expect(await codeOf(403, { 'X-RateLimit-Remaining': '12' })).to.equal('refused')
    for (const status of [401, 403, 404, 422]) expect(await codeOf(status), String(status)).to.equal('refused')
  })
})
