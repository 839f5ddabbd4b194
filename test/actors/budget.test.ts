import { expect } from 'chai'
import { budgetActor } from '#actors/budget/actor.ts'
import { budgetEvaluation } from '#actors/budget/evaluate.ts'
import { budgetMonthEnd } from '#actors/budget/month-end.ts'
import { mergeScope, type ScopeTerms } from '#actors/budget/scope.ts'
import { levelOf, toBudgetStatus } from '#actors/budget/status.ts'
import { scopeKey, scopeParams, spendByScope } from '#analytics/budget/questions.ts'
import type { MonthEnd } from '#analytics/forecast/month-end.ts'
import { days } from '#engine/value/day.ts'
import { decoder } from '#engine/value/schema.ts'
import { budgetEvaluated, type BudgetEvaluated } from '#streams/budget.ts'
import { NotificationEvent } from '#streams/notification/messages.ts'
import { eventTypes } from '#streams/notification/event-type.ts'
import type { Threshold } from '#actors/budget/threshold.ts'
import { units } from '#streams/figure.ts'
import { MemoryActor } from '#test/harness/turn.ts'

const example = budgetEvaluated.examples[0]!

describe('the budget actor', () => {
  let actor: MemoryActor<object>
  beforeEach(() => {
    actor = new MemoryActor(budgetActor as never, { key: 'b-1', place: '-' })
  })
  const take = (level: number, more: Partial<BudgetEvaluated> = {}) =>
    actor.take(budgetEvaluated, { ...example, level, ...more }).emitted.map(({ type }) => type)

  it('tells of each level once in a month, however often the spend falls and rises [BUD-10] [BUD-11]', () => {
    const told = [1, 1, 0, 1, 2, 2, 1, 2].map((level) => take(level))
    expect(told).to.deep.equal([['budget.warning'], [], [], [], ['budget.exceeded'], [], [], []])
  })

  it('tells of further alerts once each, of the highest of those reached together; of an exceeded budget that alone', () => {
    const [half, most, foreseen, beyond] = [
      { percent: 50, of: 'spend' },
      { percent: 70, of: 'spend' },
      { percent: 100, of: 'forecast' },
      { percent: 120, of: 'spend' },
    ] as const
    const titles = (level: number, reached: BudgetEvaluated['reached']) =>
      actor
        .take(budgetEvaluated, { ...example, level, reached, forecastUSD: 1100 } as BudgetEvaluated)
        .emitted.map(({ type, data }) => `${type}: ${(data as { summary: string }).summary}`)
    const spent = 'Spend of 2026-01 is 800.00 of 1000.00 US dollars (80%)'
    expect(titles(0, [half, most])).to.deep.equal([`budget.warning: ${spent}; the alert threshold is 70%.`])
    expect(titles(0, [half, most])).to.deep.equal([])
    expect(titles(1, [half, most, foreseen])).to.deep.equal([
      `budget.warning: ${spent}; the alert threshold is 80%.`,
      `budget.warning: ${spent}, and is expected to be 1100.00 at the end of the month; the alert threshold is 100%.`,
    ])
    expect(titles(2, [half, most, foreseen])).to.deep.equal([`budget.exceeded: ${spent}.`])
    expect(titles(2, [half, most, foreseen, beyond])).to.deep.equal([
      `budget.exceeded: ${spent}; the alert threshold is 120%.`,
    ])
  })

  it('says of a jump past both levels the worse alone', () => {
    expect([take(2), take(1)]).to.deep.equal([['budget.exceeded'], []])
  })

  it('begins anew with a month and with an edit, and minds nothing that was said of an earlier one', () => {
    take(2)
    expect(take(1, { month: '2026-02' })).to.deep.equal(['budget.warning'])
    expect(take(2)).to.deep.equal([])
    expect(take(1, { month: '2026-02', revision: 2 })).to.deep.equal(['budget.warning'])
    expect(take(2, { month: '2026-02' })).to.deep.equal([])
    expect(take(0, { month: '2026-03', revision: 2 })).to.deep.equal([])
    expect(actor.state).to.include({ budgetId: 'b-1', month: '2026-03', revision: 2, level: 0 })
  })

  it('publishes the event as receivers get it', () => {
    const [sent] = actor.take(budgetEvaluated, { ...example, spendUSD: 801.5, percentUsed: 80.15 }).emitted
    const { id, ...event } = decoder(NotificationEvent)(sent!.data)
    expect(id).to.match(/^[0-9a-f-]{36}$/)
    expect(event).to.deep.equal({
      eventType: 'budget.warning',
      name: 'Budget Warning',
      category: 'budget',
      orgID: 'o1',
      occurredAt: '2026-01-15T10:00:01.000Z',
      title: 'The budget of team Core is nearly used up',
      summary: 'Spend of 2026-01 is 801.50 of 1000.00 US dollars (80.15%); the alert threshold is 80%.',
      scope: { type: 'team', id: 't-1' },
      data: {
        budgetID: 'b-1',
        month: '2026-01',
        currentSpendUSD: 801.5,
        monthlyBudgetUSD: 1000,
        percentUsed: 80.15,
        alertThresholdPercent: 80,
        scopeName: 'Core',
      },
    })
  })
})

describe('an alert of a budget', () => {
  it('names its scope, and goes to subscriptions of that scope; of a service or a tag to those of the organization', () => {
    const scopes = [
      ['org', 'o1', 'Organization', 'the organization', ['org', '']],
      ['cloud_account', 'acct-1', 'Production', 'account Production', ['cloud_account', 'acct-1']],
      ['service', 'Amazon S3', 'Amazon S3', 'service Amazon S3', ['org', '']],
      ['tag', 'env:prod', 'env:prod', 'tag env:prod', ['org', '']],
      ['resource_group', 'g-1', 'Shop', 'resource group Shop', ['resource_group', 'g-1']],
    ] as const
    for (const [type, id, name, whose, scope] of scopes) {
      const actor = new MemoryActor(budgetActor as never, { key: 'b-1', place: '-' })
      const [sent] = actor.take(budgetEvaluated, { ...example, level: 1, scope: { type, id, name } }).emitted
      const event = decoder(NotificationEvent)(sent!.data)
      expect(event.title).to.equal(`The budget of ${whose} is nearly used up`)
      expect([event.scope.type, event.scope.id], type).to.deep.equal(scope)
    }
  })
})

describe('the scope of a budget', () => {
  const org: ScopeTerms = { teamName: '', resourceGroupId: '', scopeKind: 'org', scopeId: '' }
  const core: ScopeTerms = { ...org, scopeKind: '', teamName: 'Core' }

  it('is the one that was given, if it is another one, and otherwise what the older fields say', () => {
    expect(mergeScope(core, { scope: { kind: 'org' } })).to.deep.equal(org)
    expect(mergeScope(core, { scope: { kind: 'team', name: 'Core' }, teamName: 'Shop' }).teamName).to.equal('Shop')
    expect(mergeScope(org, { scope: { kind: 'org' }, teamName: '', resourceGroupID: '' })).to.deep.equal(org)
    expect(mergeScope(org, { teamName: 'Core' })).to.deep.equal(core)
    expect(mergeScope(org, { scope: { kind: 'resource_group', id: 'g-1' }, teamName: 'Core' })).to.deep.equal({
      ...org,
      scopeKind: '',
      resourceGroupId: 'g-1',
    })
  })

  it('is counted by every name of a service, and by the key and value of a tag', () => {
    const [ec2, s3] = ['Amazon Elastic Compute Cloud', 'Amazon Simple Storage Service']
    const rows = [
      { scope: 'service', id: 'AmazonEC2', day: '', cost_usd: '1.5' },
      { scope: 'service', id: ec2, day: '', cost_usd: '2' },
      { scope: 'tag', id: ec2, day: '', cost_usd: '7' },
      { scope: 'service', id: s3, day: '', cost_usd: '9' },
    ] as const
    expect(spendByScope(rows).get(scopeKey({ type: 'service', id: 'AmazonEC2' }))).to.equal(units(3.5))
    const { ids, dim_tags } = scopeParams([
      { type: 'service', id: 'AmazonEC2' },
      { type: 'tag', id: String.raw`a\:b:c` },
      { type: 'tag', id: 'env:prod' },
      { type: 'tag', id: 'env:test' },
      { type: 'team', id: '' },
    ])
    expect(ids).to.include.members(['AmazonEC2', ec2, 'env:prod', 'env:test', String.raw`a\:b:c`])
    expect(dim_tags).to.deep.equal(['a:b', 'env'])
  })
})

describe('the evaluation of budgets', () => {
  const budget = {
    id: 'b-1',
    monthlyBudgetUsd: '1000.00000000000000',
    alertThresholdPercent: '80.00000000000000',
    thresholds: [] as Threshold[],
    revision: 2,
    scope_type: 'team',
    scope_id: 't-1',
    scope_name: 'Core',
  }
  const told = (month: string | null, revision: number | null, level: number | null) => ({
    ...budget,
    told_month: month,
    told_revision: revision,
    told_level: level,
    told_thresholds: [] as string[],
  })
  /** The levels that are said of one budget which spent `spend` in January. */
  const levels = async (spend: string, row: object): Promise<number[]> =>
    (await evaluate(spend, row)).map(({ level }) => level)
  const evaluate = async (spend: string, row: object, forecast?: number): Promise<BudgetEvaluated[]> => {
    const sent: { data: BudgetEvaluated }[] = []
    const work = budgetEvaluation({
      reads: { rows: async () => [row] } as never,
      ask: async () => [{ scope: 'team', id: 't-1', day: '', cost_usd: spend }] as never,
      publisher: { publish: async (event: never) => void sent.push(event) } as never,
      cost: 'billed_cost',
      budgetForecasts: async (_org, budgets) =>
        new Map(forecast === undefined ? [] : budgets.map(({ id }) => [id, forecast])),
      now: () => new Date('2026-01-31T23:59:59.999Z'),
    })
    await work({} as never, { orgId: 'o1' } as never)
    return sent.map(({ data }) => decoder(budgetEvaluated.schema)(data))
  }

  for (const [title, spend, row, expected] of [
    ['says nothing of a budget below its threshold', '799.99999999999999', told(null, null, null), []],
    ['says what is new of a budget nothing was told of', '800', told(null, null, null), [1]],
    ['says nothing twice', '999.99', told('2026-01', 2, 1), []],
    ['says that the level rose', '1000', told('2026-01', 2, 1), [2]],
    ['says nothing of one that fell', '800', told('2026-01', 2, 2), []],
    ['says it again in another month', '800', told('2025-12', 2, 2), [1]],
    ['says it again after an edit', '1000', told('2026-01', 1, 2), [2]],
    ['leaves a budget green that was told of before an edit', '0', told('2026-01', 1, 2), []],
  ] as const)
    it(title, async () => expect(await levels(spend, row)).to.deep.equal(expected))

  const thresholds: Threshold[] = [
    { percent: 50, of: 'spend' },
    { percent: 120, of: 'spend' },
    { percent: 100, of: 'forecast' },
  ]
  /** The further alerts that are said to be reached, where `told` were notified. */
  const reached = async (spend: string, forecast: number | undefined, told: string[] = []) => {
    const row = { ...budget, thresholds, told_month: '2026-01', told_revision: 2, told_level: 0, told_thresholds: told }
    return (await evaluate(spend, row, forecast)).map((one) =>
      one.reached!.map(({ percent, of }) => `${of} ${percent}`),
    )
  }

  it('says which further alerts the spend and the forecast reach, by exact amounts, and each once', async () => {
    expect(await reached('499.99999999999999', 999.99)).to.deep.equal([])
    expect(await reached('500', 999.99)).to.deep.equal([['spend 50']])
    expect(await reached('500', 1000)).to.deep.equal([['spend 50', 'forecast 100']])
    expect(await reached('500', 1000, ['spend 50'])).to.deep.equal([['spend 50', 'forecast 100']])
    expect(await reached('500', 1000, ['spend 50', 'forecast 100'])).to.deep.equal([])
    expect(await reached('700', undefined, ['spend 50'])).to.deep.equal([])
  })
})

describe('how a budget stands', () => {
  const limits = { monthlyBudgetUsd: '1000', alertThresholdPercent: '80' }

  it('goes by exact amounts, not by those that are shown [BUD-08] [BUD-09] [BUD-10] [BUD-11]', () => {
    const shown = ['-5', '799.99', '799.99999999999999', '800', '999.99999999999999', '1000', '1200'].map((spend) =>
      Object.values(toBudgetStatus(limits, units(spend))),
    )
    expect(shown).to.deep.equal([
      [-5, 1005, -0.5, 'green'],
      [799.99, 200.01, 80, 'green'],
      [800, 200, 80, 'green'],
      [800, 200, 80, 'yellow'],
      [1000, 0, 100, 'yellow'],
      [1000, 0, 100, 'red'],
      [1200, -200, 120, 'red'],
    ])
  })

  it('has no yellow where the threshold is the budget', () => {
    const levels = ['999.99', '1000'].map((spend) => levelOf({ ...limits, alertThresholdPercent: '100' }, units(spend)))
    expect(levels).to.deep.equal([0, 2])
  })
})

describe('the month end of a budget', () => {
  const today = '2026-01-15'
  const usd = (amount: bigint | null) => (amount === null ? null : Number(amount) / 1e14)
  /** Ten dollars are expected of each day from the 14th on; each day before it cost five, which is 65. */
  const end = (more: Partial<MonthEnd> = {}): MonthEnd => ({
    through: '2026-01-13',
    settled: 6500,
    days: new Map([...days('2026-01-14', '2026-01-31')].map((day) => [day, 1000])),
    expected: 18_000,
    low: 17_000,
    high: 19_000,
    basis: 'tested',
    method: 'level',
    held: { made: 10, held: 8 },
    ...more,
  })
  const of = (budget: number, late: Readonly<Record<string, number>> = {}, of = end()) => {
    const settled = [...days('2026-01-01', '2026-01-13')].map((day) => [day, units(5)] as const)
    const spent = new Map([...settled, ...Object.entries(late).map(([day, cost]) => [day, units(cost)] as const)])
    const { exceededOn, ...amounts } = budgetMonthEnd(of, spent, units(budget), today)
    return { ...Object.fromEntries(Object.entries(amounts).map(([name, one]) => [name, usd(one)])), exceededOn }
  }

  it('is what was billed of complete days and what is expected of the others, whatever was billed of these', () => {
    const made = { monthToDate: 65, forecast: 245, low: 235, high: 255 }
    for (const [budget, exceededOn] of [
      [65, '2026-01-13'],
      [65.01, '2026-01-14'],
      [75, '2026-01-14'],
      [245, '2026-01-31'],
      [245.01, null],
    ] as const)
      expect(of(budget), String(budget)).to.deep.equal({ ...made, exceededOn })
    const late = { '2026-01-14': 3, '2026-01-15': 4 }
    expect(of(300, late)).to.deep.equal({ ...made, monthToDate: 68, exceededOn: null })
  })

  it('is never below what was spent, on no day and in no bound', () => {
    const late = { '2026-01-14': 1, '2026-01-15': 185 }
    const spent = { monthToDate: 66, forecast: 251, low: 251, high: 255 }
    expect(of(250, late)).to.deep.equal({ ...spent, exceededOn: '2026-01-15' })
    expect(of(251.01, late)).to.deep.equal({ ...spent, exceededOn: null })
  })

  it('has no bounds where nothing was tested, and is all expectation before the first day of a month is complete', () => {
    expect(of(300, {}, end({ low: null, high: null, basis: 'untested' }))).to.include({ low: null, high: null })
    const whole = [...days('2026-01-01', '2026-01-31')].map((day) => [day, 1000] as const)
    const first = end({ through: '2025-12-30', settled: 0, days: new Map(whole), expected: 31_000, low: 0, high: null })
    expect(budgetMonthEnd(first, new Map(), units(100), '2026-01-01')).to.deep.equal({
      monthToDate: 0n,
      forecast: units(310),
      low: 0n,
      high: null,
      exceededOn: '2026-01-10',
    })
  })
})

describe('the event types', () => {
  it('are those of the interface, each once, anomalies by dimension and severity [NOTIF-30] [NOTIF-54]', () => {
    expect(new Set(eventTypes.map(({ key }) => key)).size).to.equal(22)
    const counts = Map.groupBy(eventTypes, ({ category }) => category)
    expect([...counts].map(([category, all]) => [category, all.length])).to.deep.equal([
      ['resource', 5],
      ['budget', 2],
      ['cost_anomaly', 15],
    ])
    expect(eventTypes.filter(({ key }) => /^cost\.anomaly\.(emergency|team\.critical)$/.test(key))).to.deep.equal([
      { key: 'cost.anomaly.emergency', name: 'Cost Anomaly (Emergency)', category: 'cost_anomaly' },
      { key: 'cost.anomaly.team.critical', name: 'Team Anomaly', category: 'cost_anomaly' },
    ])
  })
})
