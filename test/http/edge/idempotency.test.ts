import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'
import type { RequestScope } from '#http/edge/edge.ts'
import { Role } from '#http/identity/entity.ts'
import { transaction } from '#http/store/keyed-transaction.ts'
import { reply } from '#http/store/reply.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import type { Connections } from '#config/state/connect.ts'
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
      body: t.Object({ n: t.Optional(t.Integer()) }),
      reply: t.Unknown(),
      refuses: { 429: ['too_many_uploads'], 502: ['upstream_failed'] },
      handle: () => (runs++, work()),
    }),
  ]
  const sealed = {
    seal: (_column: unknown, _orgId: string, secret: unknown) => JSON.stringify(secret),
    open: (_column: unknown, _orgId: string, text: string): unknown => JSON.parse(text),
  }
  const idempotency = { em: () => connections.orm.em.fork(), now: () => now, ...sealed }
  const names: (string | undefined)[] = []
  const who = { ...caller(), orgId: randomUUID(), principal: newKey() }
  const scope: RequestScope = {
    ...scopeOf({}, who),
    services: (_, { idempotent }) => (names.push(idempotent), {} as Services),
  }
  const site = served(routes, scope, { idempotency })
  before(async () => void ({ connections } = await testProduct()))
  beforeEach(() => void ([runs, names.length] = [0, 0]))
  const post = (key: string, body: object = {}) => site.send('POST', '/things', body, { 'idempotency-key': key })

  it('is carried out again: answers of 429, and of 500 and above, are not kept', async () => {
    const key = newKey()
    for (const [error, status] of [
      [Fault.transient('unavailable', 'Not now.'), 503],
      [new Fault('invalid', 'too_many_uploads', 'Not so many at once.'), 429],
      [Fault.transient('upstream_failed', 'Not they.'), 502],
      [new Error('broken'), 500],
    ] as const) {
      work = () => Promise.reject(error)
      const answer = await post(key)
      expect([answer.status, replayed(answer)]).to.deep.equal([status, null])
    }
    work = async () => ({ n: runs })
    expect(await (await post(key)).json()).to.deep.equal({ data: { n: 5 } })
    const kept = await post(key)
    expect([await kept.json(), replayed(kept), runs]).to.deep.equal([{ data: { n: 5 } }, 'true', 5])
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

  /** Makes a role in a transaction that answers with it. */
  const makeRole = (name: string) => async () =>
    transaction(connections.orm.em.fork(), async (em) => {
      const at = new Date()
      const reportScope = { all: true, cloudAccountIDs: [], teamIDs: [] }
      const fixed = { orgId: who.orgId, id: randomUUID(), permissions: [], reportScope, createdAt: at, updatedAt: at }
      em.persist(em.create(Role, { ...fixed, name }))
      return reply({ name }, {})
    })
  const rolesMade = async () =>
    (await connections.orm.em.fork().find(Role, { orgId: who.orgId }, { orderBy: { name: 'asc' } })).map(
      ({ name }) => name,
    )

  it('changes nothing when its place was taken while it ran, and says that it may be asked again', async () => {
    const [key, name] = [newKey(), newKey()]
    const hanging = Promise.withResolvers<void>()
    work = async () => {
      await hanging.promise
      return makeRole(`${name}-late`)()
    }
    const first = post(key)
    while (runs === 0) await new Promise((resolve) => setTimeout(resolve, 10))
    work = makeRole(name)
    now = new Date(now.getTime() + 61_000)
    expect(await (await post(key)).json()).to.deep.equal({ data: { name } })
    hanging.resolve()
    const late = await first
    expect([late.status, ((await late.json()) as any).code]).to.deep.equal([503, 'unavailable'])
    expect((await rolesMade()).filter((made) => made.startsWith(name))).to.deep.equal([name])
    expect(await (await post(key)).json()).to.deep.equal({ data: { name } })
  })

  it('is answered with its change when what came after the change failed', async () => {
    const [key, name] = [newKey(), newKey()]
    work = async () => {
      await makeRole(name)()
      throw Fault.transient('unavailable', 'Not now.')
    }
    expect((await post(key)).status).to.equal(503)
    const again = await post(key)
    expect([again.status, await again.json(), replayed(again), runs]).to.deep.equal([
      200,
      { data: { name } },
      'true',
      1,
    ])
  })

  it('keeps no answer to what its transaction did not commit', async () => {
    const [key, name] = [newKey(), newKey()]
    work = makeRole(name)
    await post(newKey())
    work = () => makeRole(name)().catch(() => ({ taken: true }))
    expect(await (await post(key)).json()).to.deep.equal({ data: { taken: true } })
    const again = await post(key)
    expect([await again.json(), replayed(again)]).to.deep.equal([{ data: { taken: true } }, 'true'])
  })

  it('goes by one name while it is repeated, and by another when it is another request under the same key', async () => {
    const key = newKey()
    const fails = () => Promise.reject(Fault.transient('unavailable', 'Not now.'))
    work = fails
    await post(key)
    await post(key)
    const hanging = Promise.withResolvers<object>()
    work = () => hanging.promise
    const lost = post(key)
    while (runs < 3) await new Promise((resolve) => setTimeout(resolve, 10))
    now = new Date(now.getTime() + 61_000)
    work = fails
    await post(key)
    await post(key, { n: 1 })
    await post(key, { n: 1 })
    work = async () => ({})
    await post(key, { n: 1 })
    now = new Date(now.getTime() + 25 * 3_600_000)
    await post(key, { n: 1 })
    hanging.resolve({})
    await lost
    const nth = names.map((name) => names.indexOf(name))
    expect(nth).to.deep.equal([0, 0, 0, 0, 4, 4, 4, 7])
    expect(names[0]).to.match(/^[0-9a-f-]{36}$/)
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
