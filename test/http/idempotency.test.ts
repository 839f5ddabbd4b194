import { expect } from 'chai'
import { Fault } from '#engine/fault.ts'
import { t } from '#engine/schema.ts'
import { route, type Route } from '#http/route.ts'
import type { Connections } from '#config/connect.ts'
import { advance, ask, colleague, founder, resetClock, type Founder } from '#test/harness/people.ts'
import { testProduct, type Answer } from '#test/harness/product.ts'
import { caller, scopeOf, served } from '#test/http/serving.ts'

const settings = '/settings/personal-access-tokens'
const replayed = ({ headers }: Pick<Answer, 'headers'>) => headers.get('idempotency-replayed')
let keys = 0
const newKey = () => `key-${process.pid}-${++keys}-${Date.now()}`
const named = () => ({ name: `role ${newKey()}` })

describe('a POST under an Idempotency-Key', () => {
  afterEach(resetClock)
  let ana: Founder
  let pat: string
  const patOf = async (who: Founder) =>
    (await ask('POST', settings, { token: who.accessToken, body: { name: 'x' } })).body.data.token as string
  const post = (path: string, key: string, body: unknown, token = pat) =>
    ask('POST', path, { token, body, headers: { 'Idempotency-Key': key } })
  const rolesNamed = async (name: string) =>
    (await ask('GET', `/roles?search=${encodeURIComponent(name)}`, { token: pat })).body.data.items as { id: string }[]
  before(async () => {
    ana = await founder()
    pat = await patOf(ana)
  })

  it('is carried out once, and answered the same again', async () => {
    const [key, body] = [newKey(), named()]
    const first = await post('/roles', key, body)
    expect([first.status, replayed(first)]).to.deep.equal([201, null])
    for (const path of ['/roles', '/api/roles']) {
      const again = await post(path, key, body)
      expect([again.status, replayed(again), again.headers.get('location')]).to.deep.equal([
        201,
        'true',
        `/roles/${first.body.data.id}`,
      ])
      expect(again.body).to.deep.equal(first.body)
    }
    expect(await rolesNamed(body.name)).to.have.length(1)
  })

  it('is carried out once when five come at once, and all get the one answer', async () => {
    const [key, body] = [newKey(), named()]
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => post('/roles', key, body)))
    expect(answers.map(({ status }) => status)).to.deep.equal([201, 201, 201, 201, 201])
    expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).to.equal(1)
    expect(answers.filter((answer) => replayed(answer) === 'true')).to.have.length(4)
    expect(await rolesNamed(body.name)).to.have.length(1)
  })

  it('is refused when something else is asked under the same key', async () => {
    const [key, body] = [newKey(), named()]
    const first = await post('/roles', key, body)
    const other = await post('/roles', key, { ...body, permissions: ['space.view'] })
    expect([other.status, other.body.code]).to.deep.equal([422, 'idempotency_mismatch'])
    expect((await post('/roles', key, body)).body).to.deep.equal(first.body)
  })

  it('is carried out anew after 24 hours', async () => {
    const [key, body] = [newKey(), named()]
    const { id } = (await post('/roles', key, body)).body.data
    expect((await ask('DELETE', `/roles/${id}`, { token: pat })).status).to.equal(204)
    await advance(86_300)
    const kept = await post('/roles', key, body)
    expect([kept.body.data.id, replayed(kept)]).to.deep.equal([id, 'true'])
    await advance(200)
    const anew = await post('/roles', key, body)
    expect([anew.status, replayed(anew)]).to.deep.equal([201, null])
    expect((await rolesNamed(body.name)).map((role) => role.id)).to.deep.equal([anew.body.data.id])
  })

  it('is of one caller, one organization and one path', async () => {
    const [key, body] = [newKey(), named()]
    const eve = await founder()
    await post('/roles', key, body)
    const elsewhere = await post('/roles', key, body, eve.accessToken)
    expect([elsewhere.status, replayed(elsewhere)]).to.deep.equal([201, null])
    const colleagues = await post('/roles', key, body, await patOf(ana))
    expect([colleagues.status, replayed(colleagues)]).to.deep.equal([409, null])
    const path = await post('/cloud-accounts', key, body)
    expect([path.status, path.body.code, replayed(path)]).to.deep.equal([400, 'validation_failed', null])
  })

  it('is answered the same when it was refused, though it would be taken now', async () => {
    const [key, body] = [newKey(), named()]
    const { id } = (await post('/roles', newKey(), body)).body.data
    const refused = await post('/roles', key, body)
    expect([refused.status, refused.body.code, replayed(refused)]).to.deep.equal([409, 'already_exists', null])
    await ask('DELETE', `/roles/${id}`, { token: pat })
    const again = await post('/roles', key, body)
    expect([again.status, again.body.code, replayed(again)]).to.deep.equal([409, 'already_exists', 'true'])
    expect(await rolesNamed(body.name)).to.deep.equal([])
  })

  it('is answered no more to one who may not ask now', async () => {
    const [key, body] = [newKey(), named()]
    const ben = await colleague(ana, 'admin')
    expect((await post('/roles', key, body, ben.accessToken)).status).to.equal(201)
    await ask('PATCH', `/members/${ben.userId}`, { token: pat, body: { roleID: 'viewer' } })
    expect((await post('/roles', key, body, ben.accessToken)).body.code).to.equal('forbidden')
  })

  it('has a key of 1 to 255 visible characters', async () => {
    for (const key of ['a b', 'x'.repeat(256), 'caf\u00e9', 'a\tb']) {
      const body = named()
      const { status, body: answer } = await post('/roles', key, body)
      expect([status, answer.errors?.[0].in, answer.errors?.[0].name], key).to.deep.equal([
        400,
        'header',
        'Idempotency-Key',
      ])
      expect(await rolesNamed(body.name), key).to.deep.equal([])
    }
    expect((await post('/roles', '!'.repeat(255), named())).status).to.equal(201)
  })

  it('keeps secrets sealed, and shows them to the same caller again', async () => {
    const key = newKey()
    const first = await post(settings, key, { name: 'ci' }, ana.accessToken)
    expect((await post(settings, key, { name: 'ci' }, ana.accessToken)).body).to.deep.equal(first.body)
    const { connections } = await testProduct()
    const { rows } = await connections.store.pool.query('select * from idempotent_answer where key = $1', [key])
    expect(rows).to.have.length(1)
    expect(JSON.stringify(rows)).to.not.contain(first.body.data.token)
  })

  it('may have a long address', async () => {
    const id = Array.from({ length: 300 }, () => Math.random().toString(36).slice(2)).join('')
    const first = await post(`/teams/${id}/resources`, 'long', { resourceUIDs: ['i-1'] })
    expect([first.status, replayed(first)]).to.deep.equal([404, null])
    expect(replayed(await post(`/teams/${id}/resources`, 'long', { resourceUIDs: ['i-1'] }))).to.equal('true')
  })

  it('is nothing to other methods', async () => {
    const key = { 'Idempotency-Key': newKey() }
    const { id } = (await post('/roles', newKey(), named())).body.data
    const patch = (body: object) => ask('PATCH', `/roles/${id}`, { token: pat, body, headers: key })
    expect((await patch({ permissions: ['space.view'] })).status).to.equal(200)
    const second = await patch({ permissions: [] })
    expect([second.status, second.body.data.permissions, replayed(second)]).to.deep.equal([200, [], null])
  })
})

describe('a POST under an Idempotency-Key that fails on our side', () => {
  let connections: Connections
  let runs = 0
  let now = new Date()
  let work: () => Promise<object> = async () => ({})
  const routes: Route[] = [
    route({
      method: 'POST',
      path: '/things',
      summary: '',
      permission: 'service.view',
      body: t.Object({}),
      reply: t.Unknown(),
      handle: () => (runs++, work()),
    }),
  ]
  const sealed = {
    seal: (secret: unknown) => JSON.stringify(secret),
    open: (text: string): unknown => JSON.parse(text),
  }
  const idempotency = { em: () => connections.orm.em.fork(), now: () => now, ...sealed }
  const site = served(routes, scopeOf({}, { ...caller(), principal: newKey() }), { idempotency })
  before(async () => void ({ connections } = await testProduct()))
  beforeEach(() => void (runs = 0))
  const post = (key: string) => site.send('POST', '/things', {}, { 'idempotency-key': key })

  it('is carried out again: answers of 500 and above are not kept', async () => {
    const key = newKey()
    for (const [error, status] of [
      [Fault.transient('unavailable', 'Not now.'), 503],
      [Fault.transient('upstream_failed', 'Not they.'), 502],
      [new Error('broken'), 500],
    ] as const) {
      work = () => Promise.reject(error)
      const answer = await post(key)
      expect([answer.status, replayed(answer)]).to.deep.equal([status, null])
    }
    work = async () => ({ n: runs })
    expect(await (await post(key)).json()).to.deep.equal({ data: { n: 4 } })
    const kept = await post(key)
    expect([await kept.json(), replayed(kept), runs]).to.deep.equal([{ data: { n: 4 } }, 'true', 4])
  })

  it('is carried out again when the first was lost: a minute after it began', async () => {
    const key = newKey()
    const hanging = Promise.withResolvers<object>()
    work = () => hanging.promise
    const first = post(key)
    while (runs === 0) await new Promise((resolve) => setTimeout(resolve, 10))
    work = async () => ({ second: true })
    now = new Date(now.getTime() + 61_000)
    expect(await (await post(key)).json()).to.deep.equal({ data: { second: true } })
    expect(runs).to.equal(2)
    hanging.resolve({ first: true })
    expect((await first).status).to.equal(200)
    expect(await (await post(key)).json(), 'the answer that was given last stands').to.deep.equal({
      data: { second: true },
    })
  })

  it('waits for the first while it runs', async () => {
    const key = newKey()
    const slow = Promise.withResolvers<object>()
    work = () => slow.promise
    const both = [post(key), post(key)]
    await new Promise((resolve) => setTimeout(resolve, 150))
    slow.resolve({ once: true })
    const answers = await Promise.all((await Promise.all(both)).map((answer) => answer.json()))
    expect([answers, runs]).to.deep.equal([[{ data: { once: true } }, { data: { once: true } }], 1])
  })
})
