/** Making and changing policies: what is asked of their actor, and what is refused before it is. */
import { expect } from 'chai'
import { Fault } from '#engine/value/fault.ts'
import { resourceDeleted, resourceDiscovered } from '#streams/resource/messages.ts'
import { answering, changed, plantedPolicies, rowOf, type Asked } from '#test/harness/autoscaler-row.ts'
import { ask } from '#test/harness/people.ts'
import { tenant, type Answer, type Tenant } from '#test/harness/product.ts'
import { found } from '#test/harness/tagged.ts'

const told = ({ status, body }: Answer) => [status, body?.code]
const wrongs = ({ status, body }: Answer) => [status, ...(body.errors ?? []).map((e: any) => `${e.name} ${e.code}`)]
const web = (fields: object = {}) => ({
  name: 'Web',
  mode: 'recommend',
  cloudAccountID: 'acct-1',
  target: { type: 'aws-asg', uid: 'asg-1' },
  min: 2,
  max: 10,
  targetCPUPercent: 60,
  ...fields,
})
const office = { preset: 'business-hours', timezone: 'America/New_York' }
const peak = { preset: 'peak-hours', timezone: 'UTC', start: '12:00', end: '14:00' }

describe('an autoscaler policy', () => {
  let org: Tenant
  let asked: Asked[]
  let end: () => void
  /** The actor's word, where it is another than yes. */
  let refusal: Fault | undefined
  before(async () => {
    const kept: Record<string, string> = {
      targetCpuPercent: 'target_cpu_percent',
      cooldownSeconds: 'cooldown_seconds',
      maxHourlyUsd: 'max_hourly_usd',
    }
    const columns = (terms: object) =>
      Object.fromEntries(Object.entries(terms).map(([name, value]) => [kept[name] ?? name, value]))
    ;({ asked, end } = await answering(async ({ data }) => {
      if (refusal) throw refusal
      if (data.isNew) await plantedPolicies(org, rowOf(data))
      else if (Object.keys(data.terms).length > 0) await changed(org, data.policyId, columns(data.terms))
      return { policyId: data.policyId }
    }))
  })
  after(() => end())
  beforeEach(async () => {
    org = await tenant()
    asked.length = 0
    refusal = undefined
    await org.publish(resourceDiscovered, [found('asg-1', { type: 'aws-asg', unitCount: 4 }), found('i-1')])
  })
  const make = (fields: object = {}) => org.send('POST', '/autoscaler-policies', web(fields))

  it('is made with what is said and the defaults, and is read by its id [ASC-02] [G-75]', async () => {
    const made = await make({ name: ' Web ' })
    const { id, createdAt: _c, updatedAt: _u, currentTarget: _t, ...rest } = made.body.data
    expect([made.status, made.headers.get('location')]).to.deep.equal([201, `/autoscaler-policies/${id}`])
    expect(rest).to.deep.equal({
      orgID: org.orgId,
      ...web(),
      effectiveMode: 'recommend',
      status: 'active',
      provider: 'aws',
      cooldownSeconds: 300,
      triggers: [],
      adoption: null,
    })
    expect((await org.get(`/autoscaler-policies/${id}`)).body.data).to.deep.equal(made.body.data)
    const [{ name, data }] = asked as [Asked]
    const { userId, ...told } = data
    expect([name, told]).to.deep.equal([
      'autoscaler.saved',
      {
        policyId: id,
        cloudAccountId: 'acct-1',
        targetUid: 'asg-1',
        isNew: true,
        mode: 'recommend',
        provider: 'aws',
        targetType: 'aws-asg',
        needsInfrastructure: false,
        terms: {
          name: 'Web',
          min: 2,
          max: 10,
          targetCpuPercent: 60,
          cooldownSeconds: 300,
          triggers: [],
          adoption: null,
          step: null,
          maxHourlyUsd: null,
        },
      },
    ])
    expect(userId).to.match(/\S/)
  })

  it('takes all that may be said, days by their names in any case too [ASC-02] [ASC-19] [G-75]', async () => {
    const said = {
      cooldownSeconds: 0,
      adoption: 'adopt',
      step: { up: 2 },
      maxHourlyUSD: 3.5,
      triggers: [
        { ...office, days: ['Fri', 'mon', 1, 'SUN'] },
        { ...peak, start: '22:00', end: '02:00', minCapacity: 10 },
        { preset: 'weekend-scale-down', timezone: 'Europe/Berlin', minCapacity: 0 },
      ],
    }
    const made = await make(said)
    expect(made.status).to.equal(201)
    expect(made.body.data).to.deep.include({
      ...said,
      triggers: [{ ...office, days: [1, 5, 7] }, said.triggers[1], said.triggers[2]],
    })
  })

  it('is made for each type of target, by stand-in names too; one type that nobody has heard of included [ASC-20] [ASC-36] [G-08]', async () => {
    const types = {
      'cloud-a-asg': 'aws-asg',
      'aws-ecs-service': 'aws-ecs-service',
      'aws-eks-deployment': 'aws-eks-deployment',
      'aws-hovercraft': 'aws-hovercraft',
    }
    for (const [given, type] of Object.entries(types)) {
      const { status, body } = await make({ target: { type: given, uid: `of ${given}` } })
      expect([status, body.data?.target, body.data?.provider], given).to.deep.equal([
        201,
        { type, uid: `of ${given}` },
        'aws',
      ])
    }
    const others = {
      'acct-2': ['gcp-mig', 'gcp'],
      'acct-3': ['azure-vmss', 'azure'],
      'acct-4': ['azure-databricks-instance-pool', 'azure'],
    } as const
    const fleets = Object.entries(others).map(([cloudAccountId, [type, provider]]) =>
      found('fleet', { cloudAccountId, type, provider }),
    )
    await org.publish(resourceDiscovered, fleets)
    for (const [cloudAccountId, [type, provider]] of Object.entries(others)) {
      const { status, body } = await make({ cloudAccountID: cloudAccountId, target: { type, uid: 'fleet' } })
      expect([status, body.data?.provider], type).to.deep.equal([201, provider])
    }
  })

  it('is refused with the place of everything that is wrong [ASC-18] [ASC-19] [G-75]', async () => {
    const cases: [object, ...string[]][] = [
      [{ mode: 'auto' }, '/mode enum'],
      [{ min: 11 }, '/min bounds'],
      [{ min: -1 }, '/min minimum'],
      [{ min: 1.5 }, '/min type'],
      [{ min: 0, max: 0 }, '/max minimum'],
      [{ max: 100_001 }, '/max maximum'],
      [{ targetCPUPercent: 9.9 }, '/targetCPUPercent minimum'],
      [{ targetCPUPercent: 91 }, '/targetCPUPercent maximum'],
      [{ cooldownSeconds: -1 }, '/cooldownSeconds minimum'],
      [{ cooldownSeconds: 86_401 }, '/cooldownSeconds maximum'],
      [{ name: ' ' }, '/name pattern'],
      [{ step: { up: 0 } }, '/step/up minimum'],
      [{ maxHourlyUSD: 0 }, '/maxHourlyUSD exclusiveMinimum'],
      [{ target: { type: 'asg', uid: 'x' } }, '/target/type type_unknown'],
      [{ target: { type: 'cloud-d-asg', uid: 'x' } }, '/target/type type_unknown'],
      [{ target: { type: 'aws-', uid: 'x' } }, '/target/type type_unknown'],
      [{ target: { type: 'aws-asg', uid: '' } }, '/target/uid minLength'],
      [{ target: { type: 'aws-asg', uid: 'i-1' } }, '/target/type mismatch'],
      [{ target: { type: 'gcp-mig', uid: 'm-1' } }, '/target/type mismatch'],
      [{ triggers: [{ ...office, preset: 'lunch' }] }, '/triggers/0/preset enum'],
      [{ triggers: [{ ...office, timezone: 'Mars/Olympus' }] }, '/triggers/0/timezone zone_unknown'],
      [{ triggers: [office, { ...office, timezone: '+02:00' }] }, '/triggers/1/timezone zone_unknown'],
      [
        { triggers: [{ preset: 'peak-hours', timezone: 'UTC' }] },
        '/triggers/0/start required',
        '/triggers/0/end required',
      ],
      [{ triggers: [{ preset: 'peak-hours', timezone: 'UTC', start: '08:00' }] }, '/triggers/0/end required'],
      [{ triggers: [{ ...peak, end: '12:00' }] }, '/triggers/0/end window_empty'],
      [{ triggers: [{ ...office, start: '18:00' }] }, '/triggers/0/end window_empty'],
      [{ triggers: [{ ...peak, start: '24:00' }] }, '/triggers/0/start pattern'],
      [{ triggers: [{ ...peak, days: [] }] }, '/triggers/0/days minItems'],
      [{ triggers: [{ ...peak, minCapacity: 11 }] }, '/triggers/0/minCapacity bounds'],
      [{ triggers: Array.from({ length: 21 }, () => office) }, '/triggers maxItems'],
    ]
    for (const [fields, ...expected] of cases)
      expect(wrongs(await make(fields)), JSON.stringify(fields).slice(0, 90)).to.include.members([400, ...expected])
    for (const day of [0, 8, 'monday', 'tues'])
      expect((await make({ triggers: [{ ...peak, days: [day] }] })).status, String(day)).to.equal(400)
    const { mode: _mode, ...lacking } = web()
    expect(wrongs(await org.send('POST', '/autoscaler-policies', lacking))).to.deep.equal([400, '/mode required'])
    expect(told(await make({ maximum: 5 }))).to.deep.equal([400, 'invalid_parameter'])
    expect(asked).to.deep.equal([])
  })

  it('is for an account that there is, and a type that the inventory has no more does not bind [G-75]', async () => {
    expect(told(await make({ cloudAccountID: 'acct-9' }))).to.deep.equal([404, 'not_found'])
    const gone = { provider: 'aws', cloudAccountId: 'acct-1', resourceUid: 'asg-1' } as const
    await org.publish(resourceDeleted, [gone])
    expect((await make({ target: { type: 'aws-eks-nodegroup', uid: 'asg-1' } })).status).to.equal(201)
    const other = await tenant()
    expect(told(await other.send('POST', '/autoscaler-policies', web()))).to.deep.equal([404, 'not_found'])
  })

  it('is refused by its actor in its own words, and then nothing is written down [G-75]', async () => {
    refusal = Fault.conflict('already_exists', 'The target has a policy.')
    const answer = await make()
    expect([...told(answer), answer.body.detail]).to.deep.equal([409, 'already_exists', 'The target has a policy.'])
    const events = (await org.get('/security-events?type=autoscaler_changed')).body.data.items
    expect(events).to.deep.equal([])
  })

  it('changes by any of its members, its mode excepted [ASC-16] [ASC-18]', async () => {
    const { id } = (await make()).body.data
    const put = (body: object) => org.send('PUT', `/autoscaler-policies/${id}`, body)
    const first = await put({ min: 3, mode: 'autopilot' })
    expect([first.status, first.body.data.min, first.body.data.max, first.body.data.mode]).to.deep.equal([
      200,
      3,
      10,
      'recommend',
    ])
    expect(asked[1]!.data).to.deep.include({ isNew: false, policyId: id, terms: { min: 3 } })
    const all = {
      name: 'Shop',
      min: 4,
      max: 20,
      targetCPUPercent: 50,
      cooldownSeconds: 60,
      triggers: [peak],
      adoption: 'adopt',
      step: { down: 1 },
      maxHourlyUSD: 9,
    }
    expect((await put(all)).body.data).to.deep.include({ ...all, mode: 'recommend' })
    const cleared = (await put({ adoption: null, step: null, maxHourlyUSD: null, triggers: [] })).body.data
    expect(cleared).to.deep.include({ adoption: null, triggers: [], name: 'Shop' })
    expect(cleared).to.not.have.any.keys('step', 'maxHourlyUSD')
    expect((await put({})).status).to.equal(200)
  })

  it('is not changed into what cannot be, beside what it says already [ASC-16]', async () => {
    const { id } = (await make({ triggers: [{ ...peak, minCapacity: 8 }] })).body.data
    const put = (body: object) => org.send('PUT', `/autoscaler-policies/${id}`, body)
    expect(wrongs(await put({ min: 11 }))).to.deep.equal([400, '/min bounds'])
    expect(wrongs(await put({ max: 1 }))).to.deep.equal([400, '/max bounds', '/max bounds'])
    expect(wrongs(await put({ max: 7 }))).to.deep.equal([400, '/max bounds'])
    expect(wrongs(await put({ min: 30, max: 20 }))).to.deep.equal([400, '/min bounds'])
    expect(wrongs(await put({ triggers: [{ ...peak, timezone: 'x' }] }))).to.deep.equal([
      400,
      '/triggers/0/timezone zone_unknown',
    ])
    expect(wrongs(await put({ target: { type: 'aws-asg', uid: 'x' } }))[0]).to.equal(400)
    expect(told(await org.send('PUT', '/autoscaler-policies/none', { min: 1 }))).to.deep.equal([404, 'not_found'])
    expect(asked).to.have.length(1)
  })

  it('leaves a trail of who made and changed it, once under one Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': 'k-1' }
    const how = { token: org.token, body: web(), headers }
    const [first, again] = [
      await ask('POST', '/autoscaler-policies', how),
      await ask('POST', '/autoscaler-policies', how),
    ]
    expect([first.status, again.status, again.headers.get('idempotency-replayed')]).to.deep.equal([201, 201, 'true'])
    const { id } = first.body.data
    await org.send('PUT', `/autoscaler-policies/${id}`, { max: 12 })
    const { items } = (await org.get('/security-events?type=autoscaler_changed')).body.data
    expect(items.map((one: any) => one.detail)).to.deep.equal([
      { policyID: id, change: 'changed' },
      { policyID: id, change: 'created' },
    ])
    expect(asked).to.have.length(2)
  })
})
