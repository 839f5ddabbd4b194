/** What helps to make a policy: defaults, what scales the target already, what the cloud must allow and have, and what would have been. */
import { expect } from 'chai'
import { cloudFault } from '#streams/cloud/connector.ts'
import { metricSample } from '#streams/metric/messages.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { answering, type Asked } from '#test/harness/autoscaler-row.ts'
import { tenant, testProduct, type Answer, type Tenant } from '#test/harness/product.ts'
import { found } from '#test/harness/tagged.ts'

const told = ({ status, body }: Answer) => [status, body?.code]
const wrongs = ({ status, body }: Answer) => [
  status,
  ...(body.errors ?? []).map((e: any) => `${e.in} ${e.name} ${e.code}`),
]
const hourMs = 3_600_000
const dayMs = 24 * hourMs
const at = '/autoscaler-policies'

describe('smart defaults', () => {
  let org: Tenant
  const asked = (fields: Record<string, string> = {}) => {
    const query = new URLSearchParams({
      cloud_account_id: 'acct-1',
      target_type: 'aws-asg',
      target_uid: 'asg-1',
      ...fields,
    })
    return org.get(`${at}/smart-defaults?${String(query)}`)
  }
  const none = {
    min: 1,
    max: 2,
    targetCPUPercent: 60,
    cooldownSeconds: 300,
    basedOn: { windowDays: 14, p95CPUPercent: null, peakInstances: null },
  }
  before(async () => {
    org = await tenant()
    await org.publish(resourceDiscovered, [found('asg-1', { type: 'aws-asg', unitCount: 4 })])
  })

  it('of what nobody measured are 1, 2 and 60 [ASC-01] [G-78]', async () => {
    expect((await asked()).body).to.deep.equal({ data: none })
    expect((await asked({ target_uid: 'unknown' })).body.data).to.deep.equal(none)
  })

  it('are made of the last 14 days, and nothing older [ASC-01] [ASC-21] [S-21]', async () => {
    const hour = Math.floor(Date.now() / hourMs) * hourMs - hourMs
    const of = (metric: 'cpu_percent' | 'instance_count', value: number, ago: number) => ({
      metric,
      value,
      ts: new Date(hour - ago).toISOString(),
    })
    // Twenty hours at 20 % and one whose two samples have a mean of 45 %: rank 0.95 x 20 = 19 is the last of the 20s.
    const quiet = Array.from({ length: 20 }, (_, n) => of('cpu_percent', 20, (n + 1) * hourMs))
    const busy = [of('cpu_percent', 30, 0), of('cpu_percent', 60, -60_000)]
    const old = [of('cpu_percent', 99, 15 * dayMs), of('instance_count', 50, 15 * dayMs)]
    const counts = [of('instance_count', 8, dayMs), of('instance_count', 3, 0)]
    const samples = [...quiet, ...busy, ...old, ...counts]
    await org.publish(metricSample, [{ resourceUid: 'asg-1', samples }], { place: 'acct-1' })
    expect((await asked()).body.data).to.deep.equal({
      min: 2,
      max: 12,
      targetCPUPercent: 70,
      cooldownSeconds: 300,
      basedOn: { windowDays: 14, p95CPUPercent: 20, peakInstances: 8 },
    })
    // One more such hour: rank 0.95 x 21 = 19.95 lies nearly all the way from 20 to 45: 43.75.
    const more = [of('cpu_percent', 45, 30 * hourMs)]
    await org.publish(metricSample, [{ resourceUid: 'asg-1', samples: more }], { place: 'acct-1' })
    const { data } = (await asked({ target_type: 'cloud-a-asg' })).body
    expect([data.targetCPUPercent, data.basedOn.p95CPUPercent]).to.deep.equal([60, 43.75])
  })

  it('are refused for accounts there are not and types that are others [ASC-01]', async () => {
    expect(told(await asked({ cloud_account_id: 'acct-9' }))).to.deep.equal([404, 'not_found'])
    expect(wrongs(await asked({ target_type: 'aws-ecs-service' }))).to.deep.equal([400, 'query target_type mismatch'])
    expect(wrongs(await asked({ target_type: 'asg' }))).to.deep.equal([400, 'query target_type type_unknown'])
    expect(wrongs(await org.get(`${at}/smart-defaults?target_type=aws-asg`))).to.include.members([
      400,
      'query cloud_account_id required',
    ])
  })
})

describe('what scales a target already', () => {
  let org: Tenant
  let cloud: any
  let policies: any
  before(async () => {
    cloud = (await testProduct()).product.get(tokens.clouds).simulated
    policies = cloud.policies
    org = await tenant()
    await org.publish(resourceDiscovered, [
      found('svc-1', { type: 'aws-ecs-service', cloudAccountId: 'acct-2' }),
      found('svc-1', { type: 'aws-ecs-service', cloudAccountId: 'acct-1' }),
      found('dep-1', { type: 'aws-eks-deployment' }),
    ])
  })
  after(() => {
    if (policies) cloud.policies = policies
    else delete cloud.policies
  })
  const native = (managedBy: string, policyName = 'cpu') => ({
    policyName,
    metric: 'cpu_percent',
    target: 50,
    managedBy,
  })
  const asked = (uid = 'svc-1', type = 'aws-ecs-service', more = '') =>
    org.get(`${at}/existing-policies?target_type=${type}&target_uid=${uid}${more}`)

  it('is asked of its cloud, and is to be adopted where others manage any of it [ASC-03] [ASC-22] [G-79]', async () => {
    for (const [list, advice] of [
      [[], 'replace'],
      [[native('tidemark')], 'replace'],
      [[native('tidemark'), native('customer', 'theirs')], 'adopt'],
    ] as const) {
      cloud.policies = async () => list
      const { status, body } = await asked()
      expect([status, body]).to.deep.equal([200, { data: { policies: list, recommendation: advice } }])
    }
  })

  it('is asked in the first account that has it, or in the one that is named [ASC-03]', async () => {
    const seen: unknown[] = []
    cloud.policies = async (account: any, ref: any) => {
      seen.push([account.id, ref.resourceUid, ref.type, ref.region])
      return []
    }
    await asked()
    await asked('svc-1', 'cloud-a-ecs-service', '&cloud_account_id=acct-2')
    expect(seen).to.deep.equal([
      ['acct-1', 'svc-1', 'aws-ecs-service', 'us-east-1'],
      ['acct-2', 'svc-1', 'aws-ecs-service', 'us-east-1'],
    ])
  })

  it('is 404 for what is not known, and what the cloud says where it says no [ASC-03]', async () => {
    cloud.policies = async () => {
      throw cloudFault('user_action', 'access_denied', 'Not allowed.', { fixHint: 'Allow it.' })
    }
    expect(told(await asked('none'))).to.deep.equal([404, 'not_found'])
    expect(wrongs(await asked('svc-1', 'aws-asg'))).to.deep.equal([400, 'query target_type mismatch'])
    const { status, body } = await asked()
    expect([status, body.code, body.bucket, body.fixHint]).to.deep.equal([
      422,
      'access_denied',
      'user_action',
      'Allow it.',
    ])
  })

  it('is not asked of an account that is disabled', async () => {
    cloud.policies = async () => []
    await org.send('PATCH', '/cloud-accounts/acct-1', { enabled: false })
    expect(told(await asked())).to.deep.equal([422, 'capability_missing'])
    await org.send('PATCH', '/cloud-accounts/acct-1', { enabled: true })
    expect((await asked()).status).to.equal(200)
  })

  it('is not to be replaced where it is an autoscaler of a cluster [ASC-35]', async () => {
    const { end } = await answering(async ({ data }) => ({ policyId: data.policyId }))
    const body = { name: 'D', mode: 'monitor', cloudAccountID: 'acct-1', min: 1, max: 4, targetCPUPercent: 60 }
    const make = (adoption: string) =>
      org.send('POST', at, { ...body, adoption, target: { type: 'aws-eks-deployment', uid: 'dep-1' } })
    cloud.policies = async () => [native('customer', 'hpa')]
    try {
      expect(told(await make('replace'))).to.deep.equal([422, 'capability_missing'])
      // Whoever answers for the actor here makes no row of it.
      expect(told(await make('adopt'))).to.deep.equal([404, 'not_found'])
    } finally {
      end()
    }
  })
})

describe('what policies need at the cloud of an account', () => {
  let org: Tenant
  let asked: Asked[]
  let end: () => void
  const sql = `insert into scaling_infrastructure (org_id, cloud_account_id, status, attempt, role, runtime, message, created_at, updated_at)
    values ($1, $2, $3, 1, $4, $5, $6, $7, now()) on conflict (org_id, cloud_account_id)
    do update set status = $3, role = $4, runtime = $5, message = $6, created_at = $7`
  const is = (status: string, ...[role, runtime, message, at]: (string | null)[]) =>
    org.connections.store.pool.query(sql, [
      org.orgId,
      'acct-1',
      status,
      role ?? null,
      runtime ?? null,
      message ?? '',
      at ?? null,
    ])
  before(async () => {
    org = await tenant()
    await org.publish(resourceDiscovered, [
      found('asg-1', { type: 'aws-asg' }),
      found('m', { cloudAccountId: 'acct-2', provider: 'gcp', type: 'gcp-mig' }),
    ])
    ;({ asked, end } = await answering(async ({ data }) => {
      const sql = `select status from scaling_infrastructure where org_id = $1 and status <> 'failed'`
      const isBegun = (await org.connections.store.pool.query(sql, [org.orgId])).rowCount === 0
      if (isBegun) await is('creating')
      return { cloudAccountId: data.cloudAccountId, isBegun }
    }))
  })
  after(() => end())
  const status = (account = 'acct-1') => org.get(`${at}/infrastructure-status?cloud_account_id=${account}`)
  const create = (cloudAccountID = 'acct-1') => org.send('POST', `${at}/create-infrastructure`, { cloudAccountID })
  const bare = { cloudAccountID: 'acct-1', createdAt: null, components: { role: null, runtime: null } }

  it('are permissions by the names of its cloud [ASC-04]', async () => {
    for (const [account, provider] of [
      ['acct-1', 'aws'],
      ['acct-2', 'gcp'],
    ]) {
      const { body } = await org.get(`${at}/required-permissions?cloud_account_id=${account}`)
      expect(Object.keys(body.data)).to.deep.equal(['provider', 'permissions'])
      expect([body.data.provider, body.data.permissions.length > 0]).to.deep.equal([provider, true])
    }
    expect(told(await org.get(`${at}/required-permissions?cloud_account_id=none`))).to.deep.equal([404, 'not_found'])
    expect((await org.get(`${at}/required-permissions`)).status).to.equal(400)
  })

  it('is created once, and told of until it is ready [ASC-05] [ASC-06] [ASC-23] [G-79]', async () => {
    expect((await status()).body).to.deep.equal({ data: { ...bare, status: 'not_created' } })
    const first = await create()
    expect([first.status, first.body.data]).to.deep.equal([202, { ...bare, status: 'creating' }])
    const again = await create()
    expect([again.status, again.body.data]).to.deep.equal([200, { ...bare, status: 'creating' }])
    await is('ready', 'role/t', 'function/t', '', '2030-01-07T13:00:02.000Z')
    const ready = {
      cloudAccountID: 'acct-1',
      status: 'ready',
      createdAt: '2030-01-07T13:00:02.000Z',
      components: { role: 'role/t', runtime: 'function/t' },
    }
    expect((await status()).body.data).to.deep.equal(ready)
    const third = await create()
    expect([third.status, third.body.data]).to.deep.equal([200, ready])
    expect(asked.map(({ name }) => name)).to.deep.equal(
      Array.from({ length: 3 }, () => 'scaling-infrastructure.wanted'),
    )
    const { items } = (await org.get('/security-events?type=autoscaler_changed')).body.data
    expect(items.map((one: any) => one.detail)).to.deep.equal([
      { cloudAccountID: 'acct-1', change: 'infrastructure_created' },
    ])
  })

  it('is made again after a failure, which is told [ASC-05] [G-79]', async () => {
    asked.length = 0
    await is('failed', null, null, 'Not allowed to create roles.')
    expect((await status()).body.data).to.deep.equal({
      ...bare,
      status: 'failed',
      message: 'Not allowed to create roles.',
    })
    expect((await create()).status).to.equal(202)
    expect(asked).to.have.length(1)
  })

  it('is of accounts that there are', async () => {
    expect(told(await status('none'))).to.deep.equal([404, 'not_found'])
    expect(told(await create('none'))).to.deep.equal([404, 'not_found'])
    expect((await org.send('POST', `${at}/create-infrastructure`, {})).status).to.equal(400)
  })
})

describe('what a policy would have made of a load', () => {
  let org: Tenant
  const begin = Date.parse('2026-01-05T00:00:00Z')
  const iso = (minutes: number) => new Date(begin + minutes * 60_000).toISOString()
  before(async () => {
    org = await tenant()
    const fleet = { type: 'aws-asg', unitCount: 4, hourlyRateUSD: 0.8 }
    await org.publish(resourceDiscovered, [found('asg-1', fleet), found('asg-2', { type: 'aws-asg' })])
    const every = (metric: 'cpu_percent' | 'instance_count', value: number) =>
      Array.from({ length: 12 }, (_, n) => ({ metric, value, ts: iso(n * 5) }))
    const samples = [...every('cpu_percent', 90), ...every('instance_count', 4)]
    await org.publish(metricSample, [{ resourceUid: 'asg-1', samples }], { place: 'acct-1' })
  })
  const body = { target: { type: 'aws-asg', uid: 'asg-1' }, min: 2, max: 10, targetCPUPercent: 60 }
  const ask = (fields: object = {}) =>
    org.send('POST', `${at}/what-if`, { ...body, from: iso(0), to: iso(60), ...fields })

  it('is replayed minute by minute: nothing is kept and nothing changed', async () => {
    // 360 % for an hour: a minute of 4 units and 59 of 6, at 0.80 / 4 US dollars an hour each.
    const { status, body: answer } = await ask()
    expect([status, answer.data]).to.deep.equal([
      200,
      {
        writes: 1,
        capacityHours: 5.97,
        hoursAboveTarget: 0.02,
        costUSD: 1.19,
        recordedCapacityHours: 4,
        measuredHours: 1,
      },
    ])
    expect((await org.get(at)).body.data.total).to.equal(0)
  })

  it('is told as a course of so many points, where it is asked for', async () => {
    const { points, writes } = (await ask({ points: 2 })).body.data
    // A minute of 4 units and 29 of 6, then 6.
    expect([writes, points]).to.deep.equal([
      1,
      [
        { at: iso(0), cpuPercent: 90, recordedUnits: 4, units: 5.93 },
        { at: iso(30), cpuPercent: 90, recordedUnits: 4, units: 6 },
      ],
    ])
    expect(wrongs(await ask({ points: 501 }))).to.deep.equal([400, 'body /points maximum'])
  })

  it('is narrower by all that a policy may say', async () => {
    const of = async (fields: object) => {
      const { data } = (await ask(fields)).body
      return [data.writes, data.capacityHours]
    }
    // 4 and 59 times 5: 299 minutes. One unit at a time, each behind five minutes: 4, then 5 for five, 6 for 54: 353.
    expect(await of({ maxHourlyUSD: 1 })).to.deep.equal([1, 4.98])
    expect(await of({ step: { up: 1 } })).to.deep.equal([2, 5.88])
    const trigger = { preset: 'peak-hours', timezone: 'UTC', start: '00:30', end: '00:40', minCapacity: 9 }
    // 4, 6 to 00:30, 9 to 00:40, then what the load needed: 6 from 00:41 on.
    expect((await of({ triggers: [trigger] }))[0]).to.equal(3)
  })

  it('of what nobody measured, or of which nobody knows the price, says so', async () => {
    const { data } = (await ask({ target: { type: 'aws-asg', uid: 'asg-2' } })).body
    expect(data).to.deep.equal({
      writes: 0,
      capacityHours: 0,
      hoursAboveTarget: 0,
      costUSD: null,
      recordedCapacityHours: 0,
      measuredHours: 0,
    })
    // The last sample, at 55 minutes, stands for an hour.
    expect((await ask({ to: iso(600) })).body.data.measuredHours).to.equal(1.92)
  })

  it('is refused with the place of what is wrong', async () => {
    const cases: [object, string][] = [
      [{ to: iso(0) }, 'body /to range'],
      [{ to: iso(31 * 1440 + 1) }, 'body /to range'],
      [{ from: 'yesterday' }, 'body /from format'],
      [{ min: 20 }, 'body /min bounds'],
      [{ target: { type: 'aws-ecs-service', uid: 'asg-1' } }, 'body /target/type mismatch'],
      [{ triggers: [{ preset: 'peak-hours', timezone: 'UTC', start: '08:00' }] }, 'body /triggers/0/end required'],
    ]
    for (const [fields, place] of cases) expect(wrongs(await ask(fields)), place).to.deep.equal([400, place])
    expect(told(await ask({ target: { type: 'aws-asg', uid: 'none' } }))).to.deep.equal([404, 'not_found'])
    expect(told(await ask({ cloudAccountID: 'acct-9' }))).to.deep.equal([404, 'not_found'])
    expect(
      told(await (await tenant()).send('POST', `${at}/what-if`, { ...body, from: iso(0), to: iso(60) })),
    ).to.deep.equal([404, 'not_found'])
  })
})
