import { rangeGiven } from '#http/what-if/body.ts'
import { expect } from 'chai'
import { billingLine } from '#streams/billing/messages.ts'
import { anomalies, before as daysBefore, day, detect, line, publish } from '#test/harness/anomaly.ts'
import { ask } from '#test/harness/people.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'
import { deepIt } from '#test/harness/tier.ts'
import { answerOf, errorsOf, seeing } from '#test/harness/what-if.ts'

describe('the days of a what-if', () => {
  const now = new Date('2026-01-20T12:00:00Z')

  it('are by default the 30 through the last settled day, else through yesterday; of what is there by the hour through today [G-115]', () => {
    expect(rangeGiven({}, now, {}, '2026-01-17')).to.deep.equal({ from: '2025-12-19', to: '2026-01-17' })
    expect(rangeGiven({}, now, {}, undefined)).to.deep.equal({ from: '2025-12-21', to: '2026-01-19' })
    expect(rangeGiven({}, now, { untilToday: true }, '2026-01-17')).to.deep.equal({
      from: '2025-12-22',
      to: '2026-01-20',
    })
    expect(rangeGiven({ to: '2026-01-19' }, now, {}, '2026-01-17')).to.deep.equal({
      from: '2025-12-21',
      to: '2026-01-19',
    })
  })
})

describe('what would have been found by other thresholds of anomalies', () => {
  let org: Tenant
  const range = { kind: 'anomaly', from: day(-1), to: day(1) }
  const whatIf = (change: object) => answerOf(org, { ...range, change })
  const counts = (all: number, more: object = {}) => ({
    anomalies: all,
    info: 0,
    warning: 0,
    critical: 0,
    emergency: 0,
    ...more,
  })
  const never = { percent: 1e6, deviations: 1000 }

  before(async () => {
    org = await tenant()
    // 140 is 40 % above 100; on the next day 260 is 145.95 % above 740 / 7.
    const hundreds = daysBefore(Array.from({ length: 10 }, () => 100))
    await publish(org, [...hundreds, line(0, 140), line(1, 260)])
    await detect(org, day(0))
    await detect(org, day(1))
  })

  it('is what was found, by the figures of now', async () => {
    const found = await anomalies(org)
    const none = await whatIf({ thresholds: { warning: never, critical: never, emergency: never } })
    const texts = (all: any[]) =>
      all
        .map((one) =>
          [one.date, one.anomalyType, one.anomalyKey, one.severity, one.actualCostUsd, one.deviationPercent].join(),
        )
        .toSorted()
    expect(found.length).to.equal(6)
    expect(texts(none.removed)).to.deep.equal(texts(found))
    expect([none.before, none.after]).to.deep.equal([counts(6, { warning: 3, critical: 3 }), counts(0)])
    expect(await whatIf({})).to.deep.equal({
      kind: 'anomaly',
      from: day(-1),
      to: day(1),
      before: counts(6, { warning: 3, critical: 3 }),
      after: counts(6, { warning: 3, critical: 3 }),
      addedCount: 0,
      removedCount: 0,
      regradedCount: 0,
      added: [],
      removed: [],
      regraded: [],
      byDay: [
        { date: day(-1), before: 0, after: 0 },
        { date: day(0), before: 3, after: 3 },
        { date: day(1), before: 3, after: 3 },
      ],
    })
  })

  it('says what would not be found, what would be found besides, and what would be of another severity', async () => {
    const half = await whatIf({ thresholds: { warning: { percent: 50 }, critical: { percent: 150 } } })
    expect([half.removedCount, half.regradedCount, half.addedCount]).to.deep.equal([3, 3, 0])
    expect(half.removed.map((one: any) => [one.date, one.severity])).to.deep.equal(
      Array.from({ length: 3 }, () => [day(0), 'warning']),
    )
    const org_ = half.regraded.find((one: any) => one.anomalyType === 'org')
    expect(org_).to.deep.equal({
      date: day(1),
      anomalyType: 'org',
      anomalyKey: org.orgId,
      severity: 'warning',
      severityBefore: 'critical',
      actualCostUsd: 260,
      expectedCostUsd: 105.71,
      deviationPercent: 145.95,
    })
    // 260 is less than the double of 140.
    expect((await whatIf({ differencePercent: 100 })).after).to.deep.equal(counts(3, { warning: 3 }))
    expect((await whatIf({ baselineUSDMin: 101 })).after).to.deep.equal(counts(3, { critical: 3 }))
  })

  // Those of tags and of allocation are asked the same way.
  deepIt('keeps nothing, and changes nothing', async () => {
    const stood = await anomalies(org)
    await whatIf({ thresholds: { warning: { percent: 1 } } })
    expect(await anomalies(org)).to.deep.equal(stood)
  })

  it('is of the accounts that a role sees, and of its own organization [RBAC-04]', async () => {
    const of = async (account: string) => {
      const token = await seeing(org, account)
      return (await ask('POST', '/what-if', { token, body: { ...range, change: {} } })).body.data.before.anomalies
    }
    // The account itself and its resource; nothing of the organization.
    expect([await of('acct-1'), await of('acct-9')]).to.deep.equal([4, 0])
    expect((await answerOf(await tenant(), { ...range, change: {} })).before).to.deep.equal(counts(0))
  })

  it('refuses what cannot be, and says where', async () => {
    const of = (more: object) => errorsOf(org, { ...range, change: {}, ...more })
    expect(await of({ from: '2026-02-30' })).to.deep.equal([400, '/from: format'])
    expect(await of({ from: day(2) })).to.deep.equal([400, '/from: range'])
    expect(await of({ from: day(-30) })).to.deep.equal([400, '/to: range'])
    expect(await of({ to: '2099-01-01', from: '2099-01-01' })).to.deep.equal([400, '/to: range'])
    expect(await of({ change: { monthlyBudgetUSD: 3 } })).to.deep.equal([400, '/change/monthlyBudgetUSD: unknown'])
    expect(await of({ change: { thresholds: { warning: { percent: 101 } } } })).to.deep.equal([
      400,
      '/change/thresholds/critical/percent: range',
    ])
    expect((await of({ kind: 'weather' }))[0]).to.equal(400)
  })
})

describe('what another budget would have said', () => {
  let org: Tenant
  let team = ''
  let budget = ''
  const range = { kind: 'budget', from: '2026-02-10', to: '2026-03-03' }
  const whatIf = (change: object) => answerOf(org, { ...range, change })
  const line_ = (usageDate: string, costUSD: number) =>
    ({
      lineId: usageDate,
      cloudAccountId: 'acct-1',
      provider: 'aws',
      serviceName: 'Compute',
      purchaseType: 'on_demand',
      ResourceId: 'i-1',
      usageDate,
      costUSD,
      source: 'actual',
      exportedAt: '2026-04-01T00:00:00Z',
    }) as const

  before(async () => {
    org = await tenant()
    team = (await org.send('POST', '/teams', { name: 'Core' })).body.data.id
    await org.send('POST', `/teams/${team}/resources`, { resourceUIDs: ['i-1'] })
    const limits = { monthlyBudgetUSD: 1000, alertThresholdPercent: 80 }
    budget = (await org.send('POST', '/budgets', { teamName: 'Core', ...limits })).body.data.id
    await org.publish(billingLine, [
      line_('2026-02-01', 300),
      line_('2026-02-12', 500),
      line_('2026-02-20', 250),
      line_('2026-03-02', 90),
    ])
    await until('the bills', async () => {
      const { after } = await answerOf(org, { ...range, change: { budgetID: budget } })
      return after.alerts.length === 2
    })
  })

  it('is told day by day beside the present one, from the first of the month on', async () => {
    const told = await whatIf({ budgetID: budget, monthlyBudgetUSD: 800 })
    expect([told.from, told.to, told.byDay.length]).to.deep.equal(['2026-02-01', '2026-03-03', 31])
    expect(told.before).to.deep.equal({
      monthlyBudgetUSD: 1000,
      alertThresholdPercent: 80,
      // 800 from the 12th to the 19th, 1050 from the 20th to the 28th.
      daysYellow: 8,
      daysRed: 9,
      alerts: [
        { date: '2026-02-12', status: 'yellow', spendUSD: 800, percentUsed: 80 },
        { date: '2026-02-20', status: 'red', spendUSD: 1050, percentUsed: 105 },
      ],
    })
    expect(told.after).to.deep.equal({
      monthlyBudgetUSD: 800,
      alertThresholdPercent: 80,
      daysYellow: 0,
      daysRed: 17,
      alerts: [{ date: '2026-02-12', status: 'red', spendUSD: 800, percentUsed: 100 }],
    })
    expect(told.byDay[11]).to.deep.equal({ date: '2026-02-12', spendUSD: 800, before: 'yellow', after: 'red' })
    expect(told.byDay[29]).to.deep.equal({ date: '2026-03-02', spendUSD: 90, before: 'green', after: 'green' })
  })

  it('may be one that is not there yet, of a team or a group', async () => {
    const { before: present, after } = await whatIf({ teamID: team, monthlyBudgetUSD: 100 })
    expect(present).to.equal(null)
    expect(after.alerts.map((one: any) => `${one.date} ${one.status}`)).to.deep.equal([
      '2026-02-01 red',
      '2026-03-02 yellow',
    ])
    const group = (await org.send('POST', '/resource-groups', { name: 'Empty' })).body.data.id
    expect((await whatIf({ resourceGroupID: group, monthlyBudgetUSD: 1 })).after.alerts).to.deep.equal([])
  })

  it('needs one that it is about, and an amount for a new one', async () => {
    const of = (change: object) => errorsOf(org, { ...range, change })
    expect(await of({ monthlyBudgetUSD: 1 })).to.deep.equal([400, '/change: required'])
    expect(await of({ budgetID: budget, teamID: team })).to.deep.equal([400, '/change: required'])
    expect(await of({ teamID: team })).to.deep.equal([400, '/change/monthlyBudgetUSD: required'])
    for (const change of [
      { budgetID: 'none' },
      { teamID: 'none', monthlyBudgetUSD: 1 },
      { resourceGroupID: 'none', monthlyBudgetUSD: 1 },
    ])
      expect((await of(change))[0]).to.equal(404)
    const token = await seeing(org, 'acct-1')
    const body = { ...range, change: { budgetID: budget } }
    expect((await ask('POST', '/what-if', { token, body })).status).to.equal(404)
    expect((await (await tenant()).send('POST', '/what-if', body)).status).to.equal(404)
  })
})

describe('questions of what would have been', () => {
  it('are answered one at a time for an organization: 429 for the others', async () => {
    const org = await tenant()
    const body = { kind: 'anomaly', from: day(-6), to: day(1), change: {} }
    const all = await Promise.all(Array.from({ length: 4 }, () => org.send('POST', '/what-if', body)))
    const statuses = all.map(({ status }) => status).toSorted((a, b) => a - b)
    expect(statuses[0]).to.equal(200)
    expect(statuses.at(-1)).to.equal(429)
    expect(all.find(({ status }) => status === 429)!.body.code).to.equal('rate_limited')
    expect((await org.send('POST', '/what-if', body)).status).to.equal(200)
  })
})
