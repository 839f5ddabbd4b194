/** What is kept of answers under Idempotency-Keys, and how much of it an organization may have. */
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'
import { AnswerQuota } from '#http/edge/answer-quota.ts'
import { isKeyed, route, type Route } from '#http/edge/route.ts'
import { routes } from '#http/index.ts'
import { reply } from '#http/store/reply.ts'
import type { Connections } from '#config/state/connect.ts'
import { testProduct } from '#test/harness/product.ts'
import { caller, problem, scopeOf, served } from '#test/http/serving.ts'

describe('answers under Idempotency-Keys', () => {
  let connections: Connections
  before(async () => void ({ connections } = await testProduct()))
  let runs = 0
  beforeEach(() => void (runs = 0))
  let work: () => Promise<unknown> = async () => ({})
  const fixed = {
    method: 'POST',
    summary: '',
    permission: 'service.view',
    orgOptional: true,
    reply: t.Unknown(),
    refuses: { 422: ['too_large'] },
    handle: () => (runs++, work()) as never,
  } as const
  const things: Route[] = [
    route({ ...fixed, path: '/things', status: 201 }),
    route({ ...fixed, path: '/preview', readOnly: true }),
  ]
  const em = () => connections.orm.em.fork()
  let now = Date.parse('2026-03-01T10:00:00Z')
  const sealed = {
    seal: (_column: unknown, _orgId: string, secret: unknown) => JSON.stringify(secret),
    open: (_column: unknown, _orgId: string, text: string): unknown => JSON.parse(text),
  }
  let who = { ...caller(), orgId: randomUUID() as string, principal: 'pat:t1' }
  const scope = { ...scopeOf(), caller: async () => who }
  const limits = { answers: 4, bytes: 120_000 }
  const room = new AnswerQuota(em, limits, () => now)
  const site = served(things, scope, { idempotency: { em, now: () => new Date(now), ...sealed, room } })
  beforeEach(() => void (who = { ...caller(), orgId: randomUUID(), principal: 'pat:t1' }))

  const post = (key: string, path = '/things') => {
    now++
    return site.send('POST', path, undefined, { 'idempotency-key': key })
  }
  const told = async (key: string) => {
    const answer = await post(key)
    const { code } = answer.ok ? { code: 'ok' } : await problem(answer)
    return `${answer.status} ${code}${answer.headers.get('idempotency-replayed') ? ' again' : ''}`
  }
  const kept = async (): Promise<number[]> =>
    (
      await connections.store.pool.query<{ bytes: number }>(
        'select octet_length(sealed) as bytes from idempotent_answer where org_id = $1 order by started_at',
        [who.orgId],
      )
    ).rows.map(({ bytes }) => bytes)

  it('are kept up to 64 KiB; of a larger one a repeat is told that it was carried out, and where to read what it made [G-09] [G-125]', async () => {
    work = async () => reply({ text: 'x'.repeat(65_400) }, { headers: { Location: '/things/1' } })
    expect(await told('just')).to.equal('201 ok')
    expect(await told('just')).to.equal('201 ok again')
    work = async () => reply({ text: 'x'.repeat(65_536) }, { headers: { Location: '/things/2' } })
    expect(await told('large')).to.equal('201 ok')
    const again = await post('large')
    expect([again.status, again.headers.get('idempotency-replayed')]).to.deep.equal([409, 'true'])
    expect(await problem(again)).to.deep.include({
      code: 'answer_not_kept',
      detail:
        'This request succeeded and is not repeated, but its response is no longer stored. Read the current state instead.',
      carriedOut: true,
      location: '/things/2',
    })
    expect(runs).to.equal(2)
    expect((await kept())[1]).to.be.below(100)
  })

  it('are kept of refusals alike [G-125]', async () => {
    work = () => Promise.reject(Fault.refused('too_large', 'x'.repeat(70_000)))
    expect(await told('refused')).to.equal('422 too_large')
    const again = await problem(await post('refused'))
    expect(again).to.include({ status: 409, code: 'answer_not_kept', carriedOut: false })
    expect(runs).to.equal(1)
  })

  it('are as many as an organization may have: the next key is refused and carries nothing out, known ones are answered, others go on [G-125]', async () => {
    work = async () => ({})
    for (const key of ['a', 'b', 'c', 'd']) expect(await told(key)).to.equal('201 ok')
    const late = await post('e')
    expect([late.status, late.headers.get('retry-after')]).to.deep.equal([429, '600'])
    expect(await problem(late)).to.include({ code: 'too_many_keys' })
    expect([await told('a'), runs, (await kept()).length]).to.deep.equal(['201 ok again', 4, 4])
    who = { ...who, principal: 'pat:t2' }
    expect(await told('a'), 'another caller of the organization').to.equal('429 too_many_keys')
    who = { ...who, orgId: randomUUID() }
    expect(await told('a'), 'another organization').to.equal('201 ok')
    now += 24 * 3_600_000
    for (const key of ['a', 'e']) expect(await told(key), 'a day later').to.equal('201 ok')
  })

  it('are refused to nobody who asks again for what failed, so that it keeps its name [G-09] [G-125]', async () => {
    work = async () => ({})
    for (const key of ['a', 'b', 'c']) expect(await told(key)).to.equal('201 ok')
    work = () => Promise.reject(Fault.transient('unavailable', 'Not now.'))
    expect(await told('d')).to.equal('503 unavailable')
    const names = () =>
      connections.store.pool
        .query('select name from idempotent_answer where org_id = $1 order by key', [who.orgId])
        .then(({ rows }) => rows as unknown[])
    const before = await names()
    work = async () => ({})
    expect(await told('d')).to.equal('201 ok')
    expect(await told('e')).to.equal('429 too_many_keys')
    expect(await names()).to.deep.equal(before)
  })

  it('are counted by caller where they work in no organization [G-125]', async () => {
    work = async () => ({})
    who = { ...who, orgId: '', principal: `session:${randomUUID()}` }
    for (const key of ['a', 'b', 'c', 'd']) expect(await told(key)).to.equal('201 ok')
    expect(await told('e')).to.equal('429 too_many_keys')
    who = { ...who, principal: `session:${randomUUID()}` }
    expect(await told('e')).to.equal('201 ok')
  })

  it('lose the content of the oldest where they take more than they may, and are not carried out again for it [G-09] [G-125]', async () => {
    work = async () => ({ text: 'x'.repeat(50_000) })
    for (const key of ['a', 'b', 'c']) expect(await told(key)).to.equal('201 ok')
    expect(await told('d')).to.equal('201 ok')
    // A sealed answer has 50,038 bytes here: of 150,114 those stay that are within 90,000 of the newest.
    expect((await kept()).map((bytes) => bytes > 50_000)).to.deep.equal([false, false, true, true])
    expect(await told('a')).to.equal('409 answer_not_kept again')
    expect(await told('c')).to.equal('201 ok again')
    expect(runs).to.equal(4)
  })

  it('are none of a POST that changes nothing: it is carried out each time, and takes no room [G-125]', async () => {
    work = async () => ({ n: runs })
    for (const key of ['a', 'a', 'b', 'c', 'd', 'e']) expect((await post(key, '/preview')).status).to.equal(200)
    expect([runs, await kept()]).to.deep.equal([6, []])
  })

  it('are none of these routes: those that change nothing, uploads, and those for browsers [G-125]', () => {
    const posts = routes.filter(({ method }) => method === 'POST')
    expect(posts.filter(({ readOnly }) => readOnly).map(({ path }) => path)).to.have.members([
      '/allocation/policies/preview',
      '/autoscaler-policies/what-if',
      '/cloud-accounts/:cloudAccountID/organization/preview',
      '/event-readiness/cost-preview',
      '/event-readiness/preview-readiness',
      '/policies/validations',
      '/provisioning-jobs/estimate',
      '/resources/by-uids',
      '/schedules/next-runs',
      '/shared-cost/policies/preview',
      '/tagging/policies/preview',
      '/tagging/policies/validations',
      '/unit-metric-values/:id/test-pull',
      '/what-if',
    ])
    const silent = posts.filter((r) => !isKeyed(r) && !r.readOnly)
    expect(silent.every(({ upload, unkeyed }) => upload !== undefined || unkeyed)).to.equal(true)
    const says = /nothing is (?:stored|changed)|It changes nothing/
    const saying = posts.filter(({ summary, description = '' }) => says.test(`${summary} ${description}`))
    expect(saying.filter((r) => !r.readOnly).map(({ path }) => path)).to.deep.equal([])
  })
})
