import { expect } from 'chai'
import { routes } from '#http/index.ts'
import { openapi } from '#http/edge/document/openapi.ts'
import { route } from '#http/edge/route.ts'
import { ByteBudget, readBytes, withBytes } from '#http/edge/request/body.ts'
import { t } from '#engine/value/schema.ts'
import { isGiven, sourceOf, sourceWarnings } from '#config/wiring/source-settings.ts'
import { readSettings } from '#config/settings/settings.ts'
import { sourceReaders } from '#streams/source/index.ts'
import { problem, scopeOf, served } from '#test/http/serving.ts'

describe('the document of webhooks', () => {
  const { paths } = openapi(routes, { title: 'x', version: '1', url: '' }) as any

  it('shows bodies that are JSON and no form, and asks for no bearer [HOOK-01] [HOOK-20]', () => {
    for (const host of ['github', 'gitlab', 'bitbucket', 'azure-devops']) {
      const { post } = paths[`/webhooks/${host}`]
      expect(post.security, host).to.deep.equal([])
      expect(Object.keys(post.requestBody.content as object), host).to.deep.equal(['application/json'])
      expect(Object.keys(post.responses as object), host).to.include.members(['202', '401', '413', '415', '429', '503'])
      const named = post.parameters.filter((one: any) => one.in === 'header').map((one: any) => one.name.toLowerCase())
      const { needed } = Object.values(sourceReaders).find((one) => one.host === host)!
      expect(named, host).to.include.members(needed.flat())
      expect(named.length, host).to.be.above(0)
    }
    expect(Object.keys(paths['/build-callbacks/{revisionID}'].post.responses as object)).to.include('401')
    expect(paths['/build-callbacks/{revisionID}'].post.security).to.deep.equal([])
    expect(paths['/internal/deployments'].get.security).to.deep.equal([{ service: [] }])
  })
})

describe('what is shared with hosts and builders', () => {
  const of = (environment: Record<string, string>) => sourceOf(readSettings(environment))

  it('is by default nothing: no route of a host but that which says so, no callbacks, no statuses [HOOK-18] [HOOK-21]', () => {
    expect(of({})).to.deep.equal({
      github: [],
      gitlab: [],
      bitbucket: [],
      azureDevops: [],
      linksAreOpen: true,
      callback: undefined,
      apiUrl: undefined,
      apiToken: undefined,
    })
    const asked = routes.flatMap(({ onlyWith }) => onlyWith ?? [])
    expect(asked).to.have.members([
      'GITLAB_WEBHOOK_SECRET',
      'BITBUCKET_WEBHOOK_SECRET',
      'AZURE_DEVOPS_WEBHOOK_SECRET',
      'BUILD_CALLBACK_SECRET',
    ])
    for (const name of asked) {
      expect(isGiven(readSettings({}), name), name).to.equal(false)
      expect(isGiven(readSettings({ [name]: '' }), name), name).to.equal(false)
      expect(isGiven(readSettings({ [name]: 'x'.repeat(8) }), name), name).to.equal(true)
    }
  })

  it('has the current secret first, and the one before it beside a current one alone [HOOK-21]', () => {
    const both = { SOURCE_APP_WEBHOOK_SECRET: 'new', SOURCE_APP_WEBHOOK_SECRET_PREVIOUS: 'old' }
    expect(of(both).github).to.deep.equal(['new', 'old'])
    expect(of({ SOURCE_APP_WEBHOOK_SECRET_PREVIOUS: 'old' }).github).to.deep.equal([])
    expect(of({ SOURCE_API_URL: 'https://api.example.test/v3/' }).apiUrl).to.equal('https://api.example.test/v3')
  })
})

describe('who starts a process', () => {
  const warned = (environment: Record<string, string>) =>
    sourceWarnings(readSettings(environment)).map((warning) => warning.split(' ', 1)[0])

  it('is told of a secret of builders that can be tried out, and of orders that name no way to report [HOOK-14]', () => {
    const [short, long] = ['x'.repeat(31), 'x'.repeat(32)]
    expect(warned({})).to.deep.equal([])
    expect(warned({ BUILD_CALLBACK_SECRET: long })).to.deep.equal([])
    expect(warned({ BUILD_CALLBACK_SECRET: short })).to.deep.equal(['BUILD_CALLBACK_SECRET'])
    const engine = { BUILD_CALLBACK_SECRET: long, TIDEMARK_ROLE: 'engine' }
    expect(warned(engine)).to.deep.equal(['PUBLIC_URL'])
    expect(warned({ ...engine, PUBLIC_URL: 'https://tidemark.test' })).to.deep.equal([])
  })
})

describe('a body that is read as it comes', () => {
  const site = served(
    [
      route({
        method: 'POST',
        path: '/raw',
        summary: 'a test',
        permission: 'public',
        upload: 'application/json',
        raw: true,
        reply: t.Integer(),
        handle: async ({ upload }) => (await readBytes(upload!, 10)).length,
      }),
    ],
    scopeOf(),
  )

  it('is read to the byte of its limit, whether its length was told or not', async () => {
    const sent = async (body: string | ReadableStream) => {
      const answer = await fetch(`${site.url}/raw`, {
        method: 'POST',
        body: body as never,
        duplex: 'half',
      } as RequestInit)
      return answer.ok ? ((await answer.json()) as { data: number }).data : (await problem(answer))['code']
    }
    const untold = (text: string) =>
      new ReadableStream({
        start(to) {
          for (const letter of text) to.enqueue(Buffer.from(letter))
          to.close()
        },
      })
    expect(await sent('0123456789')).to.equal(10)
    expect(await sent('0123456789a')).to.equal('body_too_large')
    expect(await sent(untold('0123456789'))).to.equal(10)
    expect(await sent(untold('0123456789a'))).to.equal('body_too_large')
    expect(await sent('')).to.equal(0)
  })
})

describe('bodies of those who are not known yet', () => {
  const budget = new ByteBudget(100)
  let open = Promise.withResolvers<void>()
  const site = served(
    [
      route({
        method: 'POST',
        path: '/held',
        summary: 'a test',
        permission: 'public',
        upload: 'application/json',
        raw: true,
        reply: t.Integer(),
        handle: async ({ upload }) => withBytes(upload!, 60, budget, (raw) => raw.length),
      }),
    ],
    scopeOf(),
  )
  const sent = (body: unknown) =>
    fetch(`${site.url}/held`, { method: 'POST', body: body as never, duplex: 'half' } as RequestInit)
  /** Of which the end comes once it is let. */
  const slow = (bytes: number) =>
    new ReadableStream({
      async start(to) {
        to.enqueue(Buffer.alloc(bytes, 0x20))
        await open.promise
        to.close()
      },
    })

  beforeEach(() => {
    open = Promise.withResolvers<void>()
  })

  it('hold no more memory together than they may: who comes beyond it is to come again, and finds room later [HOOK-05]', async () => {
    const held = [sent(slow(50)), sent(slow(40))]
    while (budget.hasRoom(11)) await new Promise((resolve) => setTimeout(resolve, 5))
    for (const body of [' '.repeat(11), slow(11)]) {
      const answer = await sent(body)
      expect([answer.status, answer.headers.get('retry-after')]).to.deep.equal([503, '5'])
      expect(await problem(answer)).to.include({ code: 'unavailable' })
    }
    expect((await sent(' '.repeat(10))).status).to.equal(200)
    open.resolve()
    expect((await Promise.all(held)).map(({ status }) => status)).to.deep.equal([200, 200])
    expect([budget.hasRoom(100), budget.hasRoom(101)]).to.deep.equal([true, false])
  })

  it('give back what they held however they end: too large, too many, or cut off [HOOK-05]', async () => {
    open.resolve()
    expect((await problem(await sent(slow(61))))['code']).to.equal('body_too_large')
    const gone = new AbortController()
    const cut = fetch(`${site.url}/held`, {
      method: 'POST',
      body: new ReadableStream({ start: (to) => to.enqueue(Buffer.alloc(30)) }) as never,
      duplex: 'half',
      signal: gone.signal,
    } as RequestInit)
    while (budget.hasRoom(71)) await new Promise((resolve) => setTimeout(resolve, 5))
    gone.abort()
    await cut.catch(() => {})
    while (!budget.hasRoom(100)) await new Promise((resolve) => setTimeout(resolve, 5))
  })
})
