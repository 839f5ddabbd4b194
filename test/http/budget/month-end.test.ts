import { expect } from 'chai'
import { days } from '#engine/value/day.ts'
import { BudgetForecasts } from '#http/budget/forecast.ts'

/** The month end of what no day of is complete. */
const nothing = {
  monthToDateUSD: 0,
  forecastUSD: 0,
  lowUSD: null,
  highUSD: null,
  basis: 'untested',
  heldPercent: null,
  expectedToExceedOn: null,
  method: 'daily_median',
  settledThrough: null,
}

describe('the month ends of many budgets', () => {
  /** Team a costs 10 a day, group b 20, from 2026-01-19 on; it is 2026-03-20. */
  const forecasts = async (billedUntil: string) => {
    const asked: unknown[] = []
    const billed = [...days('2026-01-19', billedUntil)]
    const row = (scope: string, id: string, cost: string) => ({
      scope,
      id,
      category: 'Usage',
      seldom: 0,
      service_name: '',
      stream: '',
      days: billed,
      costs: billed.map(() => cost),
    })
    const analytics = async ({ name }: { name: string }, { from, ids }: { from: string; ids?: string[] }) => {
      asked.push([name, from, ids])
      const account = { cloud_account_id: 'acct-1' }
      const reach = { billed_since: billed[0], billed_through: billedUntil, confirmed_through: '' }
      if (name === 'account_freshness') return [{ ...account, ...reach }]
      return ids ? [row('resource_group', 'b', '20'), row('team', 'a', '10')] : [{ ...account, days: billed }]
    }
    const em = { find: async () => [] }
    const now = () => new Date('2026-03-20T12:00:00Z')
    const services = { analytics, em, now, settings: { reportCost: 'billed' } } as never
    const list = (
      [
        ['team', 'a', '300'],
        ['resource_group', 'b', '700'],
        ['team', '', '1'],
        ['resource_group', 'b', '600'],
      ] as const
    ).map(([type, id, monthlyBudgetUsd]) => ({
      scope: { type, id, name: id },
      budget: { monthlyBudgetUsd } as never,
    }))
    return { all: await BudgetForecasts.of('o1', list, services), list, asked }
  }

  it('come of one question, and add up to those of all together [G-120]', async () => {
    const { all, list, asked } = await forecasts('2026-03-19')
    // 430 days back.
    expect(asked).to.deep.equal([
      ['budget_charges', '2025-01-14', ['a', 'b']],
      ['account_freshness', '2026-01-19', undefined],
      ['forecast_billed_days', '2025-01-14', undefined],
    ])
    const level = { basis: 'widened', heldPercent: 100, method: 'level', settledThrough: '2026-03-17' }
    const of = (monthToDateUSD: number, forecastUSD: number, expectedToExceedOn: string | null) => ({
      ...level,
      monthToDateUSD,
      forecastUSD,
      expectedToExceedOn,
      lowUSD: forecastUSD,
      highUSD: forecastUSD,
    })
    expect(list.map((one) => all.one(one))).to.deep.equal([
      of(190, 310, '2026-03-30'),
      of(380, 620, null),
      { ...nothing, settledThrough: '2026-03-17' },
      of(380, 620, '2026-03-30'),
    ])
    // 50 a day: 1,550 of 1,601.
    expect(all.together(list)).to.deep.equal(of(950, 1550, null))
  })

  it('are not known where the newest settled day lies more than 14 days back', async () => {
    expect((await forecasts('2026-03-06')).all.staleSince).to.equal(undefined)
    const { all, list } = await forecasts('2026-03-05')
    expect(all.staleSince).to.equal('2026-03-05')
    expect([...list.map((one) => all.one(one)), all.together(list)]).to.deep.equal(Array(5).fill(null))
  })
})
