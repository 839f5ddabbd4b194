import { expect } from 'chai'
import fc from 'fast-check'
import { claimKinds, type Claim } from '#actors/saving/claim.ts'
import { prove, type Bills, type UsageDay } from '#actors/saving/verify.ts'
import { addDays } from '#engine/value/day.ts'
import { plainOf, units } from '#streams/figure.ts'
import { claimOf } from '#test/harness/saved.ts'
import { amount } from '#test/harness/tier.ts'

/** Begun at ten o'clock. */
const claim = (id: string, kind: Claim['kind'], from: string, more: Partial<Claim> = {}): Claim =>
  claimOf(id, `${from}T10:00:00.000Z`, { kind, ...more })

/** Hours, dollars an hour, the rest of the day. */
const day = (hours: string, price: string, other: string): UsageDay => ({
  hours: units(hours),
  hourly: (units(hours) * units(price)) / units('1'),
  other: units(other),
})

function bills(of: Record<string, UsageDay>, more: Partial<Bills> = {}): Bills {
  return {
    day: (at) => of[at],
    first: Object.keys(of).toSorted()[0],
    isClosed: () => true,
    isElsewhere: () => false,
    listPrice: () => undefined,
    ...more,
  }
}

const shown = (claims: readonly Claim[], of: Bills, at: string) =>
  prove(claims, of, at).proved.map(({ claim: { id }, verified, reason }) => [
    id,
    verified === null ? null : plainOf(verified),
    reason,
  ])

describe('what bills prove of a machine that is resized, and later stopped at weekends', () => {
  const of: Record<string, UsageDay> = {}
  for (let at = '2026-02-01'; at < '2026-03-10'; at = addDays(at, 1)) of[at] = day('24', '0.384', '0.8')
  for (let at = '2026-03-10'; at <= '2026-03-31'; at = addDays(at, 1)) of[at] = day('24', '0.172', '0.8')
  of['2026-03-13'] = day('10', '0.172', '0.8')
  of['2026-03-21'] = day('0', '0.172', '0.8')
  of['2026-03-22'] = day('0', '0.172', '0.8')
  const resize = claim('resize', 'rate', '2026-03-10')
  const weekend = claim('weekend', 'usage', '2026-03-20')

  it('is the difference of the prices for the hours of the day, and fewer hours are not its merit', () => {
    expect(shown([resize], bills(of), '2026-03-12')).to.deep.equal([['resize', '5.088', '']])
    expect(shown([resize], bills(of), '2026-03-13')).to.deep.equal([['resize', '2.12', '']])
  })

  it('is of each what the bill lacks beside the one before it, on a Saturday that both act on', () => {
    const { levels, proved } = prove([weekend, resize], bills(of), '2026-03-21')
    expect(levels.map((one) => one && plainOf(one.total))).to.deep.equal(['10.016', '4.928', '0.8'])
    expect(proved.map(({ claim: { id }, verified }) => [id, plainOf(verified!)])).to.deep.equal([
      ['resize', '5.088'],
      ['weekend', '4.128'],
    ])
    // On a Monday the schedule leaves it on: all is the size's.
    expect(shown([weekend, resize], bills(of), '2026-03-23')).to.deep.equal([
      ['resize', '5.088', ''],
      ['weekend', '0', ''],
    ])
  })

  it('is nothing of the first day, nor of a day whose bill is not whole, nor where too little was billed before', () => {
    expect(shown([resize], bills(of), '2026-03-10')).to.deep.equal([])
    const open = bills(of, { isClosed: (at) => at < '2026-03-12' })
    expect(shown([resize], open, '2026-03-12')).to.deep.equal([['resize', null, 'not_closed']])
    const young = Object.fromEntries(Object.entries(of).filter(([at]) => at >= '2026-03-04'))
    expect(shown([resize], bills(young), '2026-03-12')).to.deep.equal([['resize', null, 'baseline_short']])
    expect(shown([resize], bills({}), '2026-03-12')).to.deep.equal([['resize', null, 'no_bill']])
    const gone = bills(of, { isElsewhere: (at) => at === '2026-03-12' })
    expect(shown([resize], gone, '2026-03-12')).to.deep.equal([['resize', null, 'moved']])
  })

  it('is not what the provider made cheaper: a list price that fell by a quarter is taken from the price before', () => {
    const cut = bills(of, { listPrice: (_, at) => (at >= '2026-03-12' ? 288n : 384n) })
    // 24 x (0.384 x 0.75 - 0.172) = 2.784
    expect(shown([resize], cut, '2026-03-12')).to.deep.equal([['resize', '2.784', '']])
    expect(shown([resize], cut, '2026-03-11')).to.deep.equal([['resize', '5.088', '']])
  })

  it('is negative where it came dearer, and still proved per hour where the use doubled', () => {
    const dear = { ...of, '2026-03-12': day('24', '0.5', '0.8') }
    expect(shown([resize], bills(dear), '2026-03-12')).to.deep.equal([['resize', '-2.784', '']])
    const two = { ...of, '2026-03-12': day('48', '0.172', '0.8') }
    expect(shown([resize], bills(two), '2026-03-12')).to.deep.equal([['resize', '10.176', '']])
  })

  it('is all that it cost on such a weekday once it is gone, its disks included', () => {
    const gone = claim('gone', 'gone', '2026-03-24')
    const before = Object.fromEntries(Object.entries(of).filter(([at]) => at <= '2026-03-24'))
    const lone = bills(before)
    // Of 24 February to 23 March: Thursdays ran 24 h; 14 days at 0.384 and 14 at 0.172, of which one of 10 h and two of none.
    const hours = (14 * 24 + 11 * 24 + 10) as number
    const hourly = 14 * 24 * 0.384 + (11 * 24 + 10) * 0.172
    const proved = prove([gone], lone, '2026-03-26').proved[0]!
    expect(proved.reason).to.equal('')
    expect(Number(plainOf(proved.verified!))).to.be.closeTo((24 * hourly) / hours + 0.8, 1e-9)
  })
})

describe('what bills prove of any claims', () => {
  const money = fc.integer({ min: 0, max: 5_000_000 }).map((n) => BigInt(n) * 10n ** 9n + BigInt(n % 97))
  const usage = fc.record({ hours: money, hourly: money, other: money })
  const history = fc.record({
    days: fc.array(fc.option(usage, { freq: 8 }), { minLength: 60, maxLength: 60 }),
    claims: fc.array(
      fc.record({
        kind: fc.constantFrom(...claimKinds.filter((kind) => kind !== 'commitment')),
        from: fc.integer({ min: 8, max: 55 }),
        long: fc.option(fc.integer({ min: 1, max: 30 })),
      }),
      { minLength: 1, maxLength: 5 },
    ),
    at: fc.integer({ min: 30, max: 59 }),
    seed: fc.boolean(),
  })

  it('adds up to what the day would have cost without any of them, less the bill, to the last digit', () => {
    const on = (n: number) => addDays('2026-01-01', n)
    let several = 0
    fc.assert(
      fc.property(history, ({ days, claims, at, seed }) => {
        const of = Object.fromEntries(days.flatMap((one, n) => (one ? [[on(n), one]] : [])))
        const all = claims.map(({ kind, from, long }, n) =>
          claim(`c${n}`, kind, on(from), { until: long === null ? null : `${on(from + long)}T20:00:00.000Z` }),
        )
        const known = bills(of, {
          listPrice: (from, to) => (seed ? BigInt(from.charCodeAt(9) + to.charCodeAt(9)) : undefined),
        })
        const { levels, proved } = prove(all, known, on(at))
        const first = levels[0]
        const bill = (of[on(at)]?.hourly ?? 0n) + (of[on(at)]?.other ?? 0n)
        if (!first || proved.some(({ verified }) => verified === null)) return
        several += Number(proved.length > 1)
        expect(levels.at(-1)!.total).to.equal(bill)
        expect(proved.reduce((sum, { verified }) => sum + verified!, 0n)).to.equal(first.total - bill)
        // Neither the order in which they are told nor those that do not act on the day matter.
        expect(prove([...all].reverse(), known, on(at)).proved).to.deep.equal(proved)
      }),
      { numRuns: amount(500, 10_000, 100_000) },
    )
    expect(several).to.be.above(amount(25, 1000, 10_000))
  })
})
