import { expect } from 'chai'
import fc from 'fast-check'
import { forecast, sum, type Forecast } from '#analytics/forecast/forecast.ts'
import { calendarOf, dueDay, dueOf } from '#analytics/forecast/due-day.ts'
import { expectedAhead, outlookAt } from '#analytics/forecast/level.ts'
import { monthEnd } from '#analytics/forecast/month-end.ts'
import { components, type Charge } from '#analytics/forecast/split-charges.ts'
import { knownDays } from '#analytics/forecast/complete-days.ts'
import { addDays, days, isWeekend, startOf } from '#engine/value/day.ts'
import { units } from '#streams/figure.ts'

type Cost = (at: number, day: string) => number | string

/** A charge of usage on each day, 2026-01-01 first. */
const daily = (count: number, cost: Cost): Charge[] =>
  Array.from({ length: count }, (_, at) => addDays('2026-01-01', at)).map((day, at) =>
    charged(day, 'Usage', cost(at, day)),
  )
const charged = (day: string, category: string, cost: number | string, stream = ''): Charge => ({
  day,
  category,
  isSeldom: stream !== '',
  service: stream,
  stream,
  amount: units(cost),
})

/** Of bills that are complete until the day before yesterday. */
function made(charges: readonly Charge[], today: string): Forecast {
  const through = addDays(today, -2)
  return forecast({ charges, through, known: new Set(days('2026-01-01', through)) }, today)!
}

const weekly: Cost = (_, day) => (isWeekend(startOf(day)) ? 4 : 10)
const expected = (all: Forecast) => all.days.map((day) => day.expected / 100)

describe('a forecast', () => {
  it('counts complete days as billed and gives each day to come the level of its weekday', () => {
    const all = made(daily(77, weekly), '2026-03-20')
    // March 2026 begins on a Sunday: 5 days of a weekend and 13 others until the 18th, then 4 and 9; April has 8 and 22.
    expect(sum(Object.values(all.settled))).to.equal(150_00)
    expect(expected(all)).to.deep.equal([10, 10, 4, 4, 10, 10, 10, 10, 10, 4, 4, 10, 10])
    expect(all.rest).to.include({ from: '2026-03-19', to: '2026-03-31', expected: 106_00, low: 106_00, high: 106_00 })
    expect(all.months.map((one) => one.from.slice(0, 7))).to.deep.equal([
      ...['04', '05', '06', '07', '08', '09', '10', '11', '12'].map((month) => `2026-${month}`),
      '2027-01',
      '2027-02',
      '2027-03',
    ])
    expect(all.months[0]!.expected).to.equal(252_00)
    // 28 days: four of each weekday. A leap year has 29, the last of them a Tuesday.
    expect(all.months[10]!.expected).to.equal(232_00)
    expect(all.trial.method).to.equal('level')
  })

  it('has the 29th of February of a leap year', () => {
    const charges = daily(60, () => 1).map((one) => ({ ...one, day: addDays(one.day, 700) }))
    const last = charges.at(-1)!.day
    expect(last).to.equal('2028-01-30')
    const known = new Set(charges.map(({ day }) => day))
    const all = forecast({ charges, through: last, known }, '2028-02-01')!
    expect([all.rest.expected, all.rest.to, all.days.length]).to.deep.equal([29_00, '2028-02-29', 29])
    // The 31st of January is neither complete nor of the month.
    expect(all.days[0]!.from).to.equal('2028-02-01')
  })

  it('goes on with a trend that was nearer in both halves of the test, for 28 days', () => {
    const all = made(
      daily(90, (at) => 100 + 2 * at),
      '2026-04-02',
    )
    expect(all.trial.method).to.equal('level_and_trend')
    expect(all.slope).to.equal(2)
    // 278 on 31 March: 280, 282 and so on until 334 on the 28th of April, then as it is.
    expect(expected(all).slice(0, 3)).to.deep.equal([280, 282, 284])
    expect(expected(all).slice(-4)).to.deep.equal([332, 334, 334, 334])
    expect(all.rest.expected).to.equal(9264_00)
  })

  it('is at a new level within 7 days of a step, without a trend [G-120]', () => {
    const of = (newDays: number, today: string) =>
      made(
        daily(77 + newDays, (at) => (at >= 77 ? 20 : 10)),
        today,
      )
    // Through 25 March: seven days of 20.
    const all = of(7, '2026-03-27')
    expect([all.trial.method, ...expected(all)]).to.deep.equal(['level', 20, 20, 20, 20, 20, 20])
    expect(all.months[0]!.expected).to.equal(600_00)
    // Two weeks later it is what it was, though half of the four weeks are of the level before.
    const later = of(21, '2026-04-10')
    expect(expected(later).slice(0, 3)).to.deep.equal([20, 20, 20])
    // Five days may be a busy week: half of the way to where the last seven stand, whose middle is 10 above the weekdays.
    expect(expected(of(5, '2026-03-25'))).to.deep.equal([15, 15, 15, 15, 15, 15, 15, 15])
  })

  it('follows a step back, and keeps what weekends are beside the other days', () => {
    const all = made(
      daily(77, (at, day) => Number(weekly(at, day)) + (at >= 50 && at < 65 ? 30 : 0)),
      '2026-03-20',
    )
    expect(expected(all)).to.deep.equal([10, 10, 4, 4, 10, 10, 10, 10, 10, 4, 4, 10, 10])
  })

  it('does not mind outliers', () => {
    const all = made(
      daily(77, (at, day) => (at % 13 === 5 ? 500 : weekly(at, day))),
      '2026-03-20',
    )
    expect(all.rest.expected).to.equal(106_00)
    expect(all.rest.high!).to.be.above(106_00)
  })

  it('expects on the first what came on the last two firsts, and nothing again that came once', () => {
    const firsts = ['2026-01-01', '2026-02-01', '2026-03-01']
    const all = made(
      [
        ...daily(77, () => 10),
        ...firsts.map((day, at) => charged(day, 'Tax', 5 + at, 'tax')),
        ...firsts.slice(1).map((day) => charged(day, 'Purchase', 30, 'plan')),
        charged('2026-01-01', 'Usage', 3, 'gone'),
        charged('2026-02-10', 'Purchase', 1000, 'upfront'),
        charged('2026-03-05', 'Credit', -50, 'credit'),
        charged('2026-03-07', 'Tax', 1, 'late tax'),
      ],
      '2026-03-20',
    )
    expect(all.settled).to.deep.equal({ usage: 181_00, commitments: 30_00, monthlyCharges: 7_00, credits: -50_00 })
    expect(all.rest.parts).to.deep.equal({ usage: 130_00, commitments: 0, monthlyCharges: 0, credits: 0 })
    expect(all.months[0]!.parts).to.deep.equal({ usage: 300_00, commitments: 30_00, monthlyCharges: 7_00, credits: 0 })
    expect(all.split.monthly.map(({ service, component, lastOn }) => [service, component, lastOn])).to.deep.equal([
      ['tax', 'monthlyCharges', '2026-03-01'],
      ['plan', 'commitments', '2026-03-01'],
    ])
    expect(all.split.once.map(({ service }) => service)).to.deep.equal(['upfront', 'credit', 'late tax'])
  })

  it('takes a charge of the 1st for no habit of its weekday, be it a Sunday [G-120]', () => {
    // In 2026 the 1st of February and of March are Sundays, as are the 22nd and the 29th of March.
    const all = made(
      daily(77, (_, day) => (day.endsWith('-01') ? 1010 : 10)),
      '2026-03-20',
    )
    expect(expected(all)).to.deep.equal(Array(13).fill(10))
    expect(all.settled).to.include({ usage: 180_00, monthlyCharges: 1000_00 })
    expect(all.months[0]!.parts).to.include({ usage: 300_00, monthlyCharges: 1000_00 })
  })

  it('expects on its day of the month what came on that day of the last two, several times a month where it did', () => {
    const half = ['2026-01-15', '2026-02-01', '2026-02-15', '2026-03-01', '2026-03-15']
    const all = made(
      [
        ...daily(77, () => 10),
        ...['2026-01-31', '2026-02-28'].map((day, at) => charged(day, 'Usage', 50 + at, 'support')),
        ...['2026-01-01', '2026-02-02', '2026-03-02'].map((day) => charged(day, 'Tax', 5, 'tax')),
        ...half.map((day) => charged(day, 'Purchase', 20, 'plan')),
        ...['2026-01-20', '2026-02-21'].map((day) => charged(day, 'Tax', 1, 'other')),
      ],
      '2026-03-20',
    )
    // The last day of March; of April the first working day (Wednesday the 1st), the 1st, the 15th and the last day.
    expect(all.rest.parts).to.deep.equal({ usage: 130_00, commitments: 0, monthlyCharges: 51_00, credits: 0 })
    expect(all.months[0]!.parts).to.deep.equal({
      usage: 300_00,
      commitments: 40_00,
      monthlyCharges: 56_00,
      credits: 0,
    })
    expect(all.split.monthly.map(({ service, due }) => [service, due])).to.deep.equal([
      ['support', 31],
      ['tax', 'first_working_day'],
      ['plan', 15],
      ['plan', 1],
    ])
    expect(all.split.once.map(({ service }) => service)).to.deep.equal(['other', 'other'])
  })

  it('tells what a service charges on the first from what it charges daily, and a credit of any day from one that came once', () => {
    const all = made(
      [
        ...daily(77, (at, day) => (day.endsWith('-01') ? 25.5 : 10 + (at % 2))),
        ...daily(77, () => -1).map((one) => ({ ...one, category: 'Credit' })),
      ],
      '2026-03-20',
    )
    // Ten and eleven in turns: the first stands 15 above their middle, and the others at most half a dollar.
    expect(all.split.monthly.map(({ amount }) => amount)).to.deep.equal([units('15')])
    expect(all.months[0]!.parts).to.include({ monthlyCharges: 15_00, credits: -30_00 })
    expect(all.settled.monthlyCharges).to.equal(15_00)
  })

  it('takes days of which nothing is known for no days, and days without cost for what they are', () => {
    const [gap, zeros] = [daily(77, () => 10).filter((_, at) => at < 50 || at > 58), daily(77, () => 0)]
    const known = new Set(gap.map(({ day }) => day).filter((day) => day < '2026-03-19'))
    expect(forecast({ charges: gap, through: '2026-03-18', known }, '2026-03-20')!.rest.expected).to.equal(130_00)
    expect(made(gap, '2026-03-20').rest.low!).to.be.below(130_00)
    const nothing = made(zeros, '2026-03-20')
    expect([nothing.rest.expected, nothing.months[11]!.expected]).to.deep.equal([0, 0])
  })

  it('is of 28 complete days and more, and says of which band how it came about', () => {
    const of = (count: number) => {
      const charges = daily(count, (at, day) => Number(weekly(at, day)) + (at % 3))
      const through = charges.at(-1)!.day
      return forecast({ charges, through, known: new Set(charges.map(({ day }) => day)) }, addDays(through, 2))
    }
    expect(of(3)).to.equal(undefined)
    expect(of(27)).to.equal(undefined)
    const least = of(28)!
    // Of fourteen origins each has a day behind it; nine of two days ahead that do not overlap would take eighteen.
    expect(least.days.map(({ basis }) => basis)).to.deep.equal(['tested', 'widened', 'widened'])
    expect(of(200)!.days[0]!.basis).to.equal('tested')
  })

  it('has wider bands for what lies further ahead than was tested', () => {
    const all = made(
      daily(77, (at, day) => Number(weekly(at, day)) + (at % 5)),
      '2026-03-20',
    )
    const widths = all.months.map(({ low, high, from, to }) => (high! - low!) / (startOf(to) - startOf(from)))
    expect(all.months.map(({ basis }) => basis)).to.deep.equal(all.months.map(() => 'widened'))
    expect(widths.every((width, at) => at === 0 || width > widths[at - 1]!)).to.equal(true)
  })
})

describe('the month end of a budget', () => {
  const of = (charges: readonly Charge[], today: string, known: Iterable<string>, through = addDays(today, -2)) => {
    const { days: each, ...rest } = monthEnd({ charges, through, known: new Set(known) }, today)
    return { ...rest, days: [...each] }
  }

  it('is the median of the complete days while they are too few to test anything, from one day on [G-120]', () => {
    const one = [charged('2026-03-10', 'Usage', 10, 'vm'), charged('2026-03-10', 'Tax', 1000, 'tax')]
    const untested = { low: null, high: null, basis: 'untested', method: 'daily_median', held: { made: 0, held: 0 } }
    expect(of(one, '2026-03-12', ['2026-03-10'])).to.deep.equal({
      through: '2026-03-10',
      settled: 1010_00,
      days: [...days('2026-03-11', '2026-03-31')].map((day) => [day, 10_00]),
      expected: 210_00,
      ...untested,
    })
    const five = daily(5, (at) => (at === 2 ? 1000 : 10))
    const known = days('2026-01-01', '2026-01-05')
    expect(of(five, '2026-01-07', known)).to.include({ settled: 1040_00, expected: 260_00, method: 'daily_median' })
    expect(of([], '2026-01-31', [], '2026-01-30')).to.deep.equal({
      through: '2026-01-30',
      settled: 0,
      days: [['2026-01-31', 0]],
      expected: 0,
      ...untested,
    })
  })

  it('knows the last day of the year, 1 January and the 29th of February', () => {
    const charges = [
      ...daily(800, () => 10),
      ...['2026-11-01', '2026-12-01', '2027-12-01', '2028-01-01', '2028-02-01'].map((day) =>
        charged(day, 'Tax', 7, 'tax'),
      ),
    ]
    const at = (today: string) => {
      const some = charges.filter(({ day }) => day < addDays(today, -1))
      const { settled, expected: sum, days: each } = of(some, today, days('2026-01-01', addDays(today, -2)))
      return [settled, sum, each.length]
    }
    expect(at('2026-12-31')).to.deep.equal([29 * 1000 + 700, 2000, 2])
    expect(at('2027-01-01')).to.deep.equal([0, 31 * 1000 + 700, 31])
    expect(at('2028-02-29')).to.deep.equal([27 * 1000 + 700, 2000, 2])
    // The last day of February is not complete, and not of March.
    expect(at('2028-03-01')).to.deep.equal([0, 31 * 1000 + 700, 31])
  })
})

describe('the day of the month of a charge', () => {
  const dueOn = (first: string, through: string, ...came: string[]) =>
    dueOf(calendarOf(first, through), new Set(came))?.due

  it('is the last one of months that are shorter, and a working day where it is the first of these', () => {
    expect([31, 30, 29, 28].map((due) => dueDay('2026-02', due))).to.deep.equal(Array(4).fill('2026-02-28'))
    expect([31, 30, 29, 28].map((due) => dueDay('2028-02', due).slice(-2))).to.deep.equal(['29', '29', '29', '28'])
    // Sunday, Saturday, Wednesday; the holiday of a Friday is a working day.
    const months = ['2026-02', '2026-08', '2026-07', '2027-01']
    expect(months.map((month) => dueDay(month, 'first_working_day').slice(-2))).to.deep.equal(['02', '03', '01', '01'])
  })

  it('is the one that explains the most months in a row', () => {
    expect(dueOn('2026-02-10', '2026-04-10', '2026-02-28', '2026-03-31')).to.equal(31)
    expect(dueOn('2027-12-20', '2028-03-15', '2027-12-31', '2028-01-31', '2028-02-29')).to.equal(31)
    expect(dueOn('2026-05-20', '2026-08-20', '2026-06-01', '2026-07-01', '2026-08-03')).to.equal('first_working_day')
    expect(dueOn('2026-05-20', '2026-08-20', '2026-06-01', '2026-07-01', '2026-08-01')).to.equal(1)
    expect(dueOn('2026-08-20', '2026-10-20', '2026-09-01', '2026-10-01')).to.equal(1)
    expect(dueOn('2026-01-01', '2026-03-20', '2026-01-15', '2026-02-15', '2026-03-15')).to.equal(15)
  })

  it('is none for what came in one month, or not in the newest', () => {
    expect(dueOn('2026-01-01', '2026-03-20', '2026-03-15')).to.equal(undefined)
    expect(dueOn('2026-01-01', '2026-03-20', '2026-01-15', '2026-02-15')).to.equal(undefined)
  })
})

describe('what holds of every forecast', () => {
  const costs = fc.array(fc.integer({ min: -500, max: 100_000 }), { minLength: 45, maxLength: 120 })
  const ofCents = (list: readonly number[]) => daily(list.length, (at) => (list[at]! / 100).toFixed(2))
  const todayOf = (list: readonly number[]) => addDays('2026-01-01', list.length + 1)

  it('days and components add up to what is shown, and bands lie around it', () => {
    fc.assert(
      fc.property(costs, (list) => {
        const all = made(ofCents(list), todayOf(list))
        expect(sum(all.days.map((day) => day.expected))).to.equal(all.rest.expected)
        for (const name of components)
          expect(sum(all.days.map(({ parts }) => parts[name]))).to.equal(all.rest.parts[name])
        for (const one of [...all.days, all.rest, ...all.months]) {
          expect(sum(Object.values(one.parts))).to.equal(one.expected)
          expect([one.low! <= one.expected, one.high! >= one.expected]).to.deep.equal([true, true])
        }
        const begin = todayOf(list).slice(0, 8)
        const settled = list.filter((_, at) => addDays('2026-01-01', at).startsWith(begin))
        expect(sum(Object.values(all.settled))).to.equal(sum(settled))
      }),
      { numRuns: 40 },
    )
  })

  it('a budget has the same month end as the report', () => {
    fc.assert(
      fc.property(costs, (list) => {
        const [charges, today] = [ofCents(list), todayOf(list)]
        const through = addDays(today, -2)
        const { rest, settled, trial, held, days: each } = made(charges, today)
        const end = monthEnd({ charges, through, known: new Set(days('2026-01-01', through)) }, today)
        const { expected: sumOf, low, high, basis } = rest
        expect(end).to.deep.include({ through, expected: sumOf, low, high, basis, method: trial.method })
        expect(end.settled).to.equal(sum(Object.values(settled)))
        expect([...end.days]).to.deep.equal(each.map((day) => [day.from, day.expected]))
        expect([end.held.made, end.held.held]).to.deep.equal([held.rest.made, held.rest.held])
      }),
      { numRuns: 20 },
    )
  })

  it('the order of charges, and what lies behind the last complete day, change nothing', () => {
    fc.assert(
      fc.property(costs, fc.integer(), (list, seed) => {
        const [charges, today] = [ofCents(list), todayOf(list)]
        const shuffled = charges.toSorted((a, b) => ((startOf(a.day) ^ seed) % 97) - ((startOf(b.day) ^ seed) % 97))
        const later = charged(addDays(today, -1), 'Usage', 9999)
        const [one, other] = [made(charges, today), made([...shuffled, later], today)]
        expect([other.rest, other.months, other.settled]).to.deep.equal([one.rest, one.months, one.settled])
      }),
      { numRuns: 20 },
    )
  })

  it('twice the costs are twice the level and trend, and as much more on each day is as much more', () => {
    fc.assert(
      fc.property(costs, fc.integer({ min: 1, max: 60 }), (list, ahead) => {
        for (const method of ['level', 'level_and_trend'] as const) {
          const of = (change: (cost: number) => number) =>
            expectedAhead(outlookAt(list.map(change), list.length - 1)!, method, ahead)
          const plain = of((cost) => cost)
          expect(of((cost) => 2 * cost)).to.equal(2 * plain)
          expect(of((cost) => cost + 1024)).to.be.closeTo(plain + 1024, 1e-6)
        }
      }),
    )
  })
})

describe('the last complete day', () => {
  it('has days before it that nobody was billed for: without cost between bills, unknown in a longer silence', () => {
    const billed = ['2026-01-01', '2026-01-04', '2026-01-20', '2026-01-21']
    expect([...knownDays([{ billed, closed: '2026-01-23' }], '2026-01-22')].toSorted()).to.deep.equal([
      ...days('2026-01-01', '2026-01-04'),
      ...days('2026-01-20', '2026-01-22'),
    ])
  })
})
