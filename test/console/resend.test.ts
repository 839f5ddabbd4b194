import { expect } from 'chai'
import type * as Api from '#http/console/web/api.ts'
import type { Problem } from '#http/console/web/problem.ts'
import { fakePage, type FakePage, type FakeReply } from '#test/console/fake-page.ts'

describe('a change that the console sends again', () => {
  let page: FakePage
  let api: typeof Api
  /** Pauses that were waited for, milliseconds. */
  let pauses: number[] = []
  /** What the person was told while it was sent again. */
  let told: string[] = []

  before(async () => {
    page = fakePage('https://tidemark.example/console/members')
    api = await import('#http/console/web/api.ts')
  })
  after(() => page.close())

  let waitAgain: () => void
  beforeEach(() => {
    page.requests = []
    pauses = []
    told = []
    waitAgain = page.skipPauses(pauses)
  })
  afterEach(() => waitAgain())

  const noAnswer = (): FakeReply => {
    throw new Error('no network')
  }
  const done = (): FakeReply => ({ body: { data: { id: 'm-1' } } })
  const refused = (status: number, code: string): (() => FakeReply) => {
    const body = { code, detail: `${code}.` }
    return () => ({ status, body })
  }
  /** Invites somebody. @returns the problem, or what was answered */
  const invite = (email: string): Promise<unknown> => {
    const onTrying = ({ message }: Problem) => void told.push(message)
    const body = { email, roleID: 'viewer' }
    return api.ask('POST /members', { body, onTrying }).then(
      ({ data }) => data,
      (error: unknown) => error,
    )
  }
  const keys = () => page.requests.map(({ headers }) => headers.get('Idempotency-Key'))

  it('keeps its key until an answer has come, so that it is done once', async () => {
    page.api = noAnswer
    expect(await invite('bo@example.com')).to.include({ status: 0, unsure: 'once' })
    expect(pauses).to.deep.equal([300, 700, 1500, 3000, 5000, 5000, 5000, 5000, 5000, 5000])
    expect(new Set(told)).to.deep.equal(
      new Set(['No response yet. Retrying for a while; the change is applied only once, however often it is sent.']),
    )
    page.api = done
    expect(await invite('bo@example.com')).to.deep.equal({ id: 'm-1' })
    expect([keys().length, new Set(keys()).size]).to.deep.equal([12, 1])
    await invite('bo@example.com')
    expect(keys()[12]).to.match(/^[0-9a-f]{32}$/)
    expect(keys()[12]).to.not.equal(keys()[11])
  })

  it('is not sent again by itself after an error of the service, and has another key once it is changed', async () => {
    page.api = refused(500, 'internal')
    expect(await invite('cy@example.com')).to.include({ status: 500, unsure: 'once' })
    await invite('cy@example.com')
    await invite('di@example.com')
    page.api = done
    await invite('cy@example.com')
    const [first, again, changed, last] = keys()
    expect([again === first, changed === first, last === first, pauses]).to.deep.equal([true, false, true, []])
  })

  it('was not done where it was refused for its pace: each try has a key of its own', async () => {
    page.api = refused(429, 'rate_limited')
    const problem = await invite('fy@example.com')
    expect(problem).to.include({ status: 429, message: 'rate_limited.', unsure: undefined })
    expect(pauses).to.deep.equal(Array(10).fill(1000))
    expect(told[0]).to.equal('Too many requests. Retrying in one second.')
    expect(new Set(keys()).size).to.equal(11)
  })

  it('keeps its key when a try without an answer came before a refusal for its pace', async () => {
    const replies = [noAnswer, refused(429, 'rate_limited'), done]
    page.api = () => replies[page.requests.length - 1]!()
    expect(await invite('gy@example.com')).to.deep.equal({ id: 'm-1' })
    expect([keys().length, new Set(keys()).size]).to.deep.equal([3, 1])
  })

  it('has no key where it is no POST, and is sent once', async () => {
    page.api = noAnswer
    const problem = await api
      .ask('DELETE /teams/:teamID', { params: { teamID: 't-1' } })
      .catch((error: unknown) => error)
    expect(problem).to.include({ status: 0, unsure: 'alike' })
    expect([keys(), pauses]).to.deep.equal([[null], []])
  })
})
