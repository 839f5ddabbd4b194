/** Exports of some days of a month: a week, or yesterday. */
import { expect } from 'chai'
import fc from 'fast-check'
import { segmentsOf, withLayer, type Layer } from '#actors/account/export/layers.ts'
import { amountWithin, daysLost, isOfSomeDays, shownDays, toldDays } from '#actors/account/export/own-days.ts'
import { Bills, stored } from '#test/harness/bills.ts'
import { amount as runs } from '#test/harness/tier.ts'

/** Exports of one day, minute by minute. */
const at = (minute: number) => `2026-01-12T03:${minute}:00.000Z`
const day = (n: number) => `2026-01-${String(n).padStart(2, '0')}`
const costs = (usd: string, ...days: number[]) => Object.fromEntries(days.map((n) => [day(n), usd]))
const some = { someDays: true }
const sum = (lines: number, usd: string) => ({ lines, billed: usd, effective: usd })

describe('an export of some days', () => {
  it('replaces its own days, and leaves the others as they are [G-107]', () => {
    const one = new Bills()
    one.deliver('month', at(20), costs('10', 3, 4, 5, 6, 7))
    const done = one.deliver('week', at(21), costs('11', 5, 6), '2026-01', some)
    expect(one.segments()).to.deep.equal(['month 03..04', 'week 05..06', 'month 07..07'])
    expect(one.bills.shown['2026-01']!.amount).to.deep.equal(sum(5, '52'))
    expect(done.marks.map(({ key }) => key.slice(-2)).toSorted()).to.deep.equal(['05', '06'])
    expect(one.bills.told.at(-1)!.periods).to.deep.equal([
      { period: '2026-01', before: sum(2, '20'), after: sum(2, '22') },
    ])
    one.deliver('yesterday', at(22), costs('1', 8), '2026-01', some)
    one.deliver('again', at(23), costs('12', 6, 7, 8), '2026-01', some)
    expect(one.segments()).to.deep.equal(['month 03..04', 'week 05..05', 'again 06..08'])
    expect(one.bills.shown['2026-01']!.amount).to.deep.equal(sum(6, '67'))
    one.deliver('whole', at(24), costs('9', 3, 4, 5, 6, 7, 8))
    expect([one.segments(), one.bills.shown['2026-01']!.layers]).to.deep.equal([['whole 03..08'], undefined])
  })

  it('is the bill where nothing stands, is over where a newer one does, and is held where its days shrink by half [G-108]', () => {
    const one = new Bills()
    one.deliver('week', at(20), costs('10', 3, 4), '2026-01', some)
    expect(one.segments()).to.deep.equal(['week 03..04'])
    one.deliver('older', at(19), costs('1', 3), '2026-01', some)
    expect([one.segments(), one.bills.told.at(-1)!.state]).to.deep.equal([['week 03..04'], 'over'])
    one.deliver('small', at(21), costs('4', 3), '2026-01', some)
    expect([one.segments(), one.bills.told.at(-1)!.state]).to.deep.equal([['week 03..04'], 'held'])
    one.end('small', at(21), { '2026-01': 1 }, { ...some, confirmed: true })
    expect(one.segments()).to.deep.equal(['small 03..03', 'week 04..04'])
  })

  it('that is held may be taken for the whole period after all', () => {
    const one = new Bills()
    one.deliver('month', at(20), costs('10', 3, 4, 5))
    one.deliver('day', at(21), costs('4', 4), '2026-01', some)
    expect(one.bills.told.at(-1)!.state).to.equal('held')
    one.end('day', at(21), { '2026-01': 1 }, { confirmed: true })
    expect([one.segments(), one.bills.shown['2026-01']!.amount]).to.deep.equal([['day 03..05'], sum(1, '4')])
  })

  it('that is removed shows what lay under it; what lies under others is taken from there [G-128]', () => {
    const one = new Bills()
    one.deliver('first', at(18), costs('1', 3, 4, 5, 6))
    one.deliver('month', at(20), costs('10', 3, 4, 5, 6))
    one.deliver('week', at(21), costs('11', 4, 5), '2026-01', some)
    one.deliver('day', at(22), costs('12', 5), '2026-01', some)
    one.remove('week')
    expect(one.segments()).to.deep.equal(['month 03..04', 'day 05..05', 'month 06..06'])
    one.remove('month')
    expect(one.segments()).to.deep.equal(['first 03..04', 'day 05..05', 'first 06..06'])
    expect(one.bills.shown['2026-01']!.amount).to.deep.equal(sum(4, '15'))
    one.remove('day')
    expect([one.segments(), one.bills.shown['2026-01']!.amount]).to.deep.equal([['first 03..06'], sum(4, '4')])
  })

  it('lies over others day by day, in whatever order ranges come', () => {
    const ranges = fc.array(fc.tuple(fc.integer({ min: 1, max: 31 }), fc.integer({ min: 0, max: 9 })), {
      maxLength: 12,
    })
    fc.assert(
      fc.property(ranges, (all) => {
        let bill: { id: string; at: string; from: string; to: string; layers?: Layer[] } = {
          id: 'base',
          at: '',
          from: day(5),
          to: day(20),
        }
        const shown = new Map(Array.from({ length: 16 }, (_, n) => [day(n + 5), 'base']))
        for (const [n, [first, length]] of all.entries()) {
          const days = { from: day(first), to: day(Math.min(31, first + length)) }
          const [id, layers] = [`e${n}`, withLayer(bill, { id: `e${n}`, at: '', days })]
          bill = {
            id,
            at: '',
            layers,
            from: [bill.from, days.from].toSorted()[0]!,
            to: [bill.to, days.to].toSorted()[1]!,
          }
          for (let d = first; d <= Math.min(31, first + length); d++) shown.set(day(d), id)
        }
        const found = segmentsOf(bill)
        for (const [d, id] of shown)
          expect(
            found.filter(({ from, to }) => from <= d && d <= to).map((one) => one.id),
            d,
          ).to.deep.equal([id])
        expect(bill.layers?.every(({ id }) => found.some((one) => one.id === id)) ?? true).to.equal(true)
      }),
      { numRuns: runs(100, 3000, 30_000) },
    )
  })
})

describe('what a bill says of its days', () => {
  const bill = { id: 'e', at: '', complete: true, from: day(1), to: day(9), amount: sum(0, '0'), since: '', before: [] }
  const kept = stored('e', at(20), costs('2', 1, 4, 9))

  it('loses days that show lines before its first and behind its last', () => {
    const shown = shownDays(bill, [...kept, ...stored('other', at(20), costs('9', 2))])
    expect(daysLost(shown, { from: day(2), to: day(8) })).to.deep.equal([day(1), day(9)])
    expect(daysLost(shown, { from: day(1), to: day(31) })).to.deep.equal([])
    expect(amountWithin(shown, { from: day(2), to: day(9) })).to.deep.equal(sum(2, '4'))
    expect(toldDays([1, 2, 3, 4, 5, 6, 7].map(day))).to.equal(`${[1, 2, 3, 4, 5].map(day).join(', ')} and 2 more`)
  })

  it('is of some days where its billing period is shorter than the month, whether or not its end is in it', () => {
    const found = [
      ['2026-02-01', '2026-03-01'],
      ['2026-02-01', '2026-02-28'],
      ['2026-01-31', '2026-03-02'],
      ['', '9999'],
      ['2026-02-08', '2026-02-15'],
      ['2026-02-01', '2026-02-08'],
      ['2026-02-08', '2026-03-01'],
    ].map(([from, to]) => isOfSomeDays('2026-02', from!, to!))
    expect(found).to.deep.equal([false, false, false, false, true, true, true])
    // From the middle of a month to the middle of the next it is as long as one.
    const shifted = [
      ['2026-02-15', '2026-03-15'],
      ['2026-02-15', '2026-03-14'],
      ['2026-02-22', '2026-03-01'],
    ].map(([from, to]) => isOfSomeDays('2026-02', from!, to!))
    expect(shifted).to.deep.equal([false, false, true])
  })
})
