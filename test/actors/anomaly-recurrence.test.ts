import { expect } from 'chai'
import { creditCause } from '#actors/anomaly/cause.ts'
import { historyDays, recurrenceOf, type History } from '#actors/anomaly/recurrence.ts'
import { boundsOf, judgeDay } from '#actors/anomaly/rule.ts'
import { addDays, days } from '#engine/value/day.ts'
import { anomalyCheck, anomalyDetection } from '#actors/anomaly/job.ts'

/** 100 US dollars a day for the 150 days before, but for some. */
function historyOf(date: string, costs: Readonly<Record<string, number>>): History {
  const all = [...days(addDays(date, -150), addDays(date, -1))]
  return new Map(all.map((day) => [day, { cost: costs[day] ?? 100, charged: costs[day] ?? 100 }]))
}
const of = (date: string, actual: number, costs: Readonly<Record<string, number>>, isRunning = false) =>
  recurrenceOf({ date, actual, isRunning }, historyOf(date, costs))

describe('an anomaly is recurring', () => {
  it('on the same day of two of the last three months, month ends and years crossed [G-118]', () => {
    const third = of('2026-11-28', 400, { '2026-09-28': 400, '2026-10-28': 400 })
    expect(third).to.equal('on the 28th of each month')
    expect(of('2026-11-28', 400, { '2026-08-28': 400, '2026-10-28': 400 })).to.equal(third)
    expect(of('2026-11-28', 400, { '2026-10-28': 400 })).to.equal('')
    expect(of('2026-01-01', 400, { '2025-12-01': 400, '2025-11-01': 400 })).to.equal('on the 1st of each month')
    expect(of('2024-02-29', 400, { '2024-01-29': 400, '2023-12-29': 400 })).to.equal('on the 29th of each month')
    // February has no 31st: its last day stands for it.
    expect(of('2026-03-31', 400, { '2026-02-28': 400, '2026-01-31': 400 })).to.equal('on the 31st of each month')
  })

  it('on the last, the first working and the last working day of two of the last three months [G-118]', () => {
    expect(of('2026-11-30', 400, { '2026-10-31': 400, '2026-09-30': 400 })).to.equal('on the last day of each month')
    // The 1st of November 2026 is a Sunday, that of August a Saturday.
    expect(of('2026-11-02', 400, { '2026-10-01': 400, '2026-08-03': 400 })).to.equal(
      'on the first business day of each month',
    )
    // The last days of October and August 2026 are a Saturday and a Monday.
    expect(of('2026-10-30', 400, { '2026-09-30': 400, '2026-08-31': 400 })).to.equal(
      'on the last business day of each month',
    )
  })

  it('on the same weekday of three of the last four weeks [G-118]', () => {
    const fridays = { '2026-10-30': 300, '2026-11-13': 300, '2026-11-20': 300 }
    expect(of('2026-11-27', 300, fridays)).to.equal('every Friday')
    expect(of('2026-11-27', 300, { ...fridays, '2026-10-30': 100 })).to.equal('')
    // A day later than usual is not its day.
    expect(of('2026-11-28', 300, fridays)).to.equal('')
  })

  it('where its dollars differ by less than 20 per cent [G-118]', () => {
    const at = (earlier: number) => of('2026-11-28', 400, { '2026-09-28': earlier, '2026-10-28': earlier }) !== ''
    // 400 is 20 per cent below 500, and 20 per cent above 333.33.
    expect([at(499), at(500), at(333.34), at(333.33)]).to.deep.equal([true, false, true, false])
  })

  it('where the earlier days stood out too: a return to a former level is new [G-118]', () => {
    const former = Object.fromEntries([...days('2026-08-01', '2026-11-13')].map((day) => [day, 140]))
    expect(of('2026-11-27', 140, former)).to.equal('')
  })

  it('where two of the 13 days before cost as much, less a fifth [G-118]', () => {
    // 80 per cent of 150 are 120; the 14th is 13 days before the 27th.
    expect(of('2026-11-27', 150, { '2026-11-14': 120, '2026-11-18': 170 })).to.equal(
      'also on 2 of the 13 previous days',
    )
    expect(of('2026-11-27', 150, { '2026-11-13': 120, '2026-11-18': 170 })).to.equal('')
    expect(of('2026-11-27', 150, { '2026-11-14': 119.99, '2026-11-18': 170 })).to.equal('')
  })

  it('while its day is not over also below what it comes to, and with the day over only near it [G-118]', () => {
    const firsts = { '2026-10-01': 400, '2026-09-01': 400 }
    expect([of('2026-11-01', 250, firsts, true), of('2026-11-01', 250, firsts)]).to.deep.equal([
      'on the 1st of each month',
      '',
    ])
    expect(of('2026-11-01', 500, firsts, true)).to.equal('')
  })

  it('only by days that are there: one day of bills, or a month, tells of none [G-118]', () => {
    const known = (from: string) => new Map([...historyOf('2026-11-28', {})].filter(([day]) => day >= from))
    for (const from of ['2026-11-28', '2026-11-27', '2026-11-01'])
      expect(recurrenceOf({ date: '2026-11-28', actual: 400, isRunning: false }, known(from))).to.equal('')
  })

  it('is told by the days that are asked for: those of its rhythms, the week before each, and the 13 days before', () => {
    const asked = historyDays('2026-11-28')
    expect(asked.slice(0, 8)).to.deep.equal([...days('2026-08-21', '2026-08-28')])
    expect([asked.includes('2026-10-24'), asked.includes('2026-10-30'), asked.at(-1)]).to.deep.equal([
      true,
      true,
      '2026-11-27',
    ])
    // Eight days each of August and September, and all from the 21st of October on: the week before the 28th, then the four weeks.
    expect(asked).to.have.length(8 + 8 + 38)
  })
})

describe('credits that run out', () => {
  const day = { expected: 0, charged: 10, prior_days: 30, prior_mean: 0, prior_deviation: 0.01 }

  it('are judged by what was charged before them, from a dollar a day on [G-119]', () => {
    const at = (actual: number, more = {}) => {
      const found = judgeDay({ ...day, actual, ...more })
      return found && `${found.severity} ${found.method} ${found.deviationPercent}`
    }
    expect(at(10)).to.equal('critical percent 100')
    expect([at(3), at(2.99)]).to.deep.equal(['warning percent 30', undefined])
    expect([at(1, { charged: 1 }), at(0.99, { charged: 0.99 })]).to.deep.equal(['critical percent 100', undefined])
    // With a net of a dollar the baseline is the net, as ever.
    expect(at(10, { expected: 1 })).to.equal('emergency percent 900')
    expect(boundsOf({ ...day, baseline_days: 7 })).to.deep.equal([3, 10, 50])
  })

  it('are the cause, with what they covered and until when [G-119]', () => {
    const credits = { expected: 0, actual: 10, charged: 10, charged_now: 10, credit_days: 7 }
    const cause = (more = {}) => creditCause(10, { ...credits, credited_until: '2026-11-26', ...more })
    expect(cause()).to.deep.equal({
      name: 'Credits ended',
      usd: 10,
      told: '10.00 USD of 10.00 USD a day were covered by credits until 2026-11-26',
    })
    // 16 before credits, 10 net: they covered 6 of the 10 that it rose by, or less.
    expect(cause({ expected: 4, charged: 10, actual: 14, charged_now: 14 })?.usd).to.equal(6)
    expect(cause({ expected: 4.1, charged: 10, actual: 14.1, charged_now: 14.1 })).to.equal(undefined)
    expect(cause({ credit_days: 3 })).to.equal(undefined)
    // They cover as much as before: something else rose.
    expect(cause({ charged_now: 20 })).to.equal(undefined)
  })
})

describe('detection while a new account reads its history', () => {
  /** The other account is billed to the 27th, too short a time to be judged. */
  const tools = (isLoading: boolean, asked: string[]) => ({
    cost: 'billed_cost',
    publisher: {},
    ask: async ({ name }: { name: string }) => {
      asked.push(name)
      if (name === 'billed_days') return [{ cloud_account_id: 'A', days: [...days('2026-11-18', '2026-11-27')] }]
      return name === 'anomaly_days' ? [{ prior_days: 0, is_there: 0 }] : []
    },
    reads: { rows: async (sql: string) => (sql.includes('backfilling') ? [{ isLoading }] : []) },
  })
  const run = async (isLoading: boolean) => {
    const asked: string[] = []
    const of = tools(isLoading, asked) as never
    const at = '2026-11-28T04:30:00.000Z'
    const key = { orgId: 'o1', key: 'k' } as never
    const through = await anomalyDetection(of)({ at, through: '' } as never, key)
    await anomalyCheck(of)({ at, through: '' } as never, key)
    return [through, asked.filter((name) => name === 'anomaly_days').length]
  }

  it('judges no day, which the next run makes up for [G-118]', async () => {
    expect(await run(true)).to.deep.equal([undefined, 0])
    // The daily run and the check look at the 27th and the 28th.
    expect(await run(false)).to.deep.equal(['2026-11-27', 2])
  })
})
