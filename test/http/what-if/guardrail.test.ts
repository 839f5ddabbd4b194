import { expect } from 'chai'
import { ask } from '#test/harness/people.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { found, Tagged } from '#test/harness/tagged.ts'
import { answerOf, daysAgo, errorsOf, seeing } from '#test/harness/what-if.ts'

/** A line of the log: `2 10:00 j-1 guard_yes i-1` was written two days ago. */
interface Line {
  days: number
  time: string
  job: string
  event: string
  uid: string
  actor?: string
}

const lines: Line[] = [
  { days: 10, time: '12:00', job: 'j-0', event: 'guard_yes', uid: 'i-0' },
  { days: 10, time: '12:05', job: 'j-0', event: 'succeeded', uid: 'i-0' },
  { days: 2, time: '09:00', job: 'j-1', event: 'step_approved', uid: 'i-1', actor: 'ana' },
  { days: 2, time: '09:10', job: 'j-1', event: 'step_approved', uid: 'i-1', actor: 'ben' },
  { days: 2, time: '10:00', job: 'j-1', event: 'guard_yes', uid: 'i-1' },
  { days: 2, time: '10:05', job: 'j-1', event: 'succeeded', uid: 'i-1' },
  { days: 2, time: '10:10', job: 'j-2', event: 'guard_yes', uid: 'i-2' },
  { days: 2, time: '10:15', job: 'j-2', event: 'succeeded', uid: 'i-2' },
  { days: 2, time: '10:20', job: 'j-3', event: 'guard_yes', uid: 'i-3' },
  { days: 2, time: '10:25', job: 'j-3', event: 'succeeded', uid: 'i-3' },
  { days: 1, time: '11:30', job: 'j-4', event: 'guard_no', uid: 'i-4' },
  { days: 1, time: '11:30', job: 'j-4', event: 'failed', uid: 'i-4' },
]

const counts = (yes: number, later: number, no: number) => ({ yes, later, no })
const none = counts(0, 0, 0)

describe('what another guardrail would have answered', () => {
  let org: Tagged & Tenant
  const range = { kind: 'guardrail', from: daysAgo(3), to: daysAgo(1) }
  const whatIf = (spec: object) => answerOf(org, { ...range, change: { spec } })
  const answers = async (spec: object) => {
    const { before, after, changed } = await whatIf(spec)
    const other = changed.map((one: any) => `${one.resourceUid} ${one.after.code}`)
    return [counts(before.yes, before.later, before.no), after, other]
  }

  before(async () => {
    org = await Tagged.begin()
    await org.discover(
      found('i-0'),
      found('i-1', { tags: { env: 'prod' } }),
      found('i-2'),
      found('i-3', { tags: { env: 'prod' }, cloudAccountId: 'acct-2' }),
      found('i-4', { tags: { 'do-not-delete': 'yes' } }),
    )
    const values = lines.map(({ days, time, job, event, uid, actor = 'system' }, n) => ({
      org_id: org.orgId,
      job_id: job,
      n: n + 1,
      at: `${daysAgo(days)} ${time}:00.000`,
      event,
      status: 'running',
      actor,
      template: 'stop',
      cloud_account_id: uid === 'i-3' ? 'acct-2' : 'acct-1',
      resource_uid: uid,
      resource_type: 'aws-ec2',
      current_cost_usd: uid === 'i-0' ? '900' : '100',
      x_Version: '1',
    }))
    await org.put('workflow_event', values)
  })

  it('is asked what was asked, each guardrail with what it has let do itself', async () => {
    // Had i-2 been let do, i-3 would have met two changes of the hour; as it was not, i-1 alone stands in its way.
    const { reasons, changed, ...said } = await whatIf({ destructivePerHour: 1 })
    expect(reasons).to.have.length(3)
    expect(said).to.deep.equal({
      kind: 'guardrail',
      from: daysAgo(3),
      to: daysAgo(1),
      asks: 4,
      before: { ...counts(3, 0, 1), byCode: [{ code: 'protected', asks: 1 }] },
      after: {
        ...counts(1, 2, 1),
        byCode: [
          { code: 'limit_hour', asks: 2 },
          { code: 'protected', asks: 1 },
        ],
      },
      changedCount: 2,
      byDay: [
        { date: daysAgo(3), before: none, after: none },
        { date: daysAgo(2), before: counts(3, 0, 0), after: counts(1, 2, 0) },
        { date: daysAgo(1), before: counts(0, 0, 1), after: counts(0, 0, 1) },
      ],
      approximate: true,
    })
    expect(changed[0]).to.deep.equal({
      at: `${daysAgo(2)}T10:10:00.000Z`,
      jobID: 'j-2',
      template: 'stop',
      cloudAccountID: 'acct-1',
      resourceUid: 'i-2',
      resourceType: 'aws-ec2',
      before: { answer: 'yes' },
      after: { answer: 'later', code: 'limit_hour', message: 'The limit of 1 changes per hour is reached.' },
    })
  })

  it('counts what was let do before the days, who approved, and what protects a resource now', async () => {
    // 900 and 100 are 1000: the third and the fourth hundred are too many.
    expect(await answers({ monthlyCostTouchedUsd: 1000 })).to.deep.equal([
      counts(3, 0, 1),
      {
        ...counts(1, 2, 1),
        byCode: [
          { code: 'limit_cost', asks: 2 },
          { code: 'protected', asks: 1 },
        ],
      },
      ['i-2 limit_cost', 'i-3 limit_cost'],
    ])
    // Two have approved i-1, nobody i-3.
    expect((await answers({ protectedEnvs: ['prod'] }))[2]).to.deep.equal(['i-3 needs_two_approvals'])
    expect((await answers({ protectedTags: ['legal-hold'] }))[1]).to.deep.equal({ ...counts(4, 0, 0), byCode: [] })
    expect((await answers({ killSwitch: true }))[1]).to.deep.equal({
      ...counts(0, 4, 0),
      byCode: [{ code: 'halted', asks: 4 }],
    })
  })

  it('is of the accounts that a role sees, and of its own organization [RBAC-04]', async () => {
    const token = await seeing(org, 'acct-2')
    const body = { ...range, change: { spec: { destructivePerHour: 1 } } }
    const { data } = (await ask('POST', '/what-if', { token, body })).body
    expect([data.asks, data.before.yes, data.after.later]).to.deep.equal([1, 1, 1])
    expect((await answerOf(await tenant(), body)).asks).to.equal(0)
  })

  it('refuses what can be no guardrail, saying where', async () => {
    const of = (change: object) => errorsOf(org, { ...range, change })
    expect(await of({})).to.deep.equal([400, '/change/spec: required'])
    expect(await of({ spec: { concurrent: 0 } })).to.deep.equal([400, '/change/spec/concurrent: minimum'])
    expect(await of({ spec: { destructivePerHour: 200 } })).to.deep.equal([
      400,
      '/change/spec/destructivePerHour: maximum',
    ])
    expect(await of({ spec: {}, policyID: 'p' })).to.deep.equal([400, '/change/policyID: unknown'])
  })

  it('puts ten thousand questions again and no more', async () => {
    const busy = await tenant()
    const query = `INSERT INTO workflow_event (org_id, job_id, n, at, event, template, cloud_account_id, resource_uid, status, x_Version)
      SELECT {org:String}, toString(number), 1, toDateTime64({day:String}, 3, 'UTC'), 'guard_yes', 'stop', 'acct-1', 'i-1', 'running', 1
      FROM numbers(10001)`
    await busy.connections.clickhouse.command({ query, query_params: { org: busy.orgId, day: daysAgo(2) } })
    const { status, body } = await busy.send('POST', '/what-if', { ...range, change: { spec: {} } })
    expect([status, body.code]).to.deep.equal([422, 'report_too_large'])
  })

  it('keeps nothing; the guardrail of now is the other one once it is a policy', async () => {
    const spec = { destructivePerHour: 1 }
    const policy = { domain: 'guardrail', targetType: 'organisation', name: 'Guard', spec, enabled: true }
    expect((await org.send('POST', '/policies', policy)).status).to.equal(201)
    const stood = async () => [
      (await org.get('/policies')).body.data,
      (await org.connections.store.pool.query('select * from guard where org_id = $1', [org.orgId])).rows,
      await org.facts('SELECT count() AS lines FROM workflow_event WHERE org_id = {org:String}'),
    ]
    const then = await stood()
    const said = await whatIf(spec)
    expect(said.before).to.deep.equal({ ...said.after, later: 2 })
    expect(said.changedCount).to.equal(0)
    expect(await stood()).to.deep.equal(then)
  })
})
