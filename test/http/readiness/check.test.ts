import { expect } from 'chai'
import { capabilities } from '#actors/index.ts'
import { queueSeconds } from '#actors/readiness/queries.ts'
import type { EffectWork } from '#engine/run/effect.ts'
import { asOrganization } from '#http/store/tenant.ts'
import { actCalls, queueStatus } from '#http/readiness/check.ts'
import { fleet, type Fleet } from '#test/harness/fleet.ts'
import { discoverTargets, inHours, made, planBody, policyOn } from '#test/harness/readiness.ts'

/** Stands for every tool of a work that is only made, and not run. */
const anything: any = new Proxy(() => undefined, {
  get: (_, name) => (name === Symbol.toPrimitive ? () => 1 : anything),
})

describe('whether a readiness plan could be carried out', () => {
  let f: Fleet
  let policy: string
  before(async () => {
    f = await fleet()
    await discoverTargets(f, { 'asg-1': {}, 'asg-2': {} })
    policy = await policyOn(f, 'asg-1')
  })
  afterEach(() => f.fail([]))
  after(() => f.end())
  const check = async (id: string) => (await f.get(`/event-readiness/${id}/readiness-check`)).body.data
  const statuses = ({ checks }: any) => checks.map(({ name, status }: any) => `${name} ${status}`)

  it('is told in three checks [EVR-08] [EVR-50] [G-85]', async () => {
    const id = await made(f, [policy])
    const told = await check(id)
    expect(Object.keys(told)).to.have.members(['ready', 'checks'])
    expect(told.ready).to.equal(true)
    expect(told.checks.map(({ name }: any) => name)).to.deep.equal(['capacity', 'credentials', 'executor_queue'])
    expect(told.checks[0].policyId).to.equal(policy)
    const [, credentials, queue] = told.checks
    expect([credentials, queue]).to.deep.equal([
      {
        name: 'credentials',
        status: 'pass',
        message: 'The credentials of all accounts allow reading and writing.',
      },
      { name: 'executor_queue', status: 'pass', message: 'No pending calls.' },
    ])
    expect((await f.get('/event-readiness/none/readiness-check')).status).to.equal(404)
  })

  it('fails where the credentials are not taken, or write nothing [EVR-08]', async () => {
    const id = await made(f, [policy])
    await f.fail([{ call: 'verify', error: 'credentials_refused', times: 10 }])
    const refused = await check(id)
    expect([refused.ready, statuses(refused)[1]]).to.deep.equal([false, 'credentials fail'])
    await f.fail([{ call: 'verify', error: 'read_only', times: 10 }])
    expect((await check(id)).checks[1]).to.deep.equal({
      name: 'credentials',
      status: 'fail',
      message: 'The credentials of account Production are read-only.',
    })
    await f.fail([{ call: 'verify', error: 'unavailable', times: 10 }])
    const away = await check(id)
    expect([away.ready, statuses(away)[1]]).to.deep.equal([true, 'credentials warn'])
  })

  it('fails where the target or its policy is gone, or its cloud does not answer', async () => {
    const removed = await policyOn(f, 'asg-2')
    const id = await made(f, [removed])
    await f.fail([{ call: 'look', error: 'system', times: 10 }])
    const away = await check(id)
    expect([away.ready, statuses(away)[0]]).to.deep.equal([false, 'capacity fail'])
    await f.fail([])
    expect((await f.send('DELETE', `/autoscaler-policies/${removed}`)).status).to.be.within(200, 204)
    const gone = await check(id)
    expect([gone.ready, gone.checks[0]]).to.deep.equal([
      false,
      { name: 'capacity', status: 'fail', message: `Policy ${removed} no longer exists.`, policyId: removed },
    ])
  })

  it('warns of calls that have waited for more than a minute, and fails behind five [EVR-50]', async () => {
    expect([0, 60, 61, 300, 301].map(queueStatus)).to.deep.equal(['pass', 'pass', 'warn', 'warn', 'fail'])
    const { store, orm } = f.connections
    const wait = (name: string, seconds: number, orgId = f.orgId) =>
      store.pool.query(
        `insert into effect (key, name, org_id, input, due) values ($1, $2, $3, '{}', now() - make_interval(secs => $4))`,
        [`${orgId}/${name}/${seconds}`, name, orgId, seconds],
      )
    // No process makes calls of these names.
    await wait('mine', 100)
    await wait('mine', 200)
    await wait('mine', -500)
    await wait('other', 900)
    await wait('mine', 900, `${f.orgId}-other`)
    const longest = await asOrganization(f.orgId, () => queueSeconds(orm.em.fork(), f.orgId, ['mine']))
    await store.pool.query('delete from effect where org_id like $1', [`${f.orgId}%`])
    expect(longest).to.be.within(200, 260)
  })

  it('knows the calls of the pool that scales', () => {
    const works = capabilities.flatMap(({ effects = [] }) => effects.map((effect): EffectWork => effect(anything)))
    const names = works.filter(({ pool }) => pool === 'act').map(({ name }) => name)
    expect([...actCalls].toSorted()).to.deep.equal(names.toSorted())
  })

  it('is previewed before there is a plan, and nothing is kept [EVR-04] [EVR-27] [EVR-28]', async () => {
    const count = async () => (await f.get('/event-readiness/count')).body.data.count as number
    const before = await count()
    const { name: _n, description: _d, timezone: _t, ...body } = planBody([policy])
    const preview = async (fields: object = {}) =>
      f.send('POST', '/event-readiness/preview-readiness', { ...body, ...fields })
    const { status, body: answer } = await preview()
    const { warnings, ...told } = answer.data
    expect([status, told]).to.deep.equal([
      200,
      {
        scaleUpAt: '2030-11-29T13:30:00.000Z',
        rollbackAt: '2030-11-29T18:45:00.000Z',
        targets: [
          {
            policyId: policy,
            currentMin: 2,
            currentMax: 10,
            currentDesired: 4,
            scaledMin: 5,
            scaledMax: 22,
            scaledDesired: 9,
            isEstimated: true,
          },
        ],
      },
    ])
    expect(warnings).to.be.an('array')
    expect(await count()).to.equal(before)
    const past = await preview({ eventStart: inHours(-2), eventEnd: inHours(-1) })
    expect(past.body.data.warnings).to.include('The event is over.')
    const id = await made(f, [policy])
    await f.send('POST', `/event-readiness/${id}/schedule`)
    expect((await preview()).body.data.warnings).to.include(`Plan Black Friday uses policy ${policy} at that time.`)
    const wrong = await preview({ targets: [{ policyId: 'none' }] })
    expect([wrong.status, wrong.body.errors[0].name]).to.deep.equal([400, '/targets/0/policyId'])
  })
})
