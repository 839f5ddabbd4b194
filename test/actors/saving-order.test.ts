import { expect } from 'chai'
import fc from 'fast-check'
import { resourceKey, savingActor, type SavingNeed } from '#actors/saving/actor.ts'
import type { Claim } from '#actors/saving/claim.ts'
import type { Saving } from '#actors/saving/entity.ts'
import { proofsOf } from '#actors/saving/measure.ts'
import { prove, type Bills, type UsageDay } from '#actors/saving/verify.ts'
import { addDays, dayOf, days, startOf } from '#engine/value/day.ts'
import { plain } from '#engine/value/decimal.ts'
import type { Static } from '#engine/value/schema.ts'
import { actionTold } from '#streams/action/messages.ts'
import { savingClaimed, savingMeasured } from '#streams/saving.ts'
import { plainOf, units } from '#streams/figure.ts'
import { appliedAt, powered } from '#test/harness/saved.ts'
import { MemoryActor } from '#test/harness/turn.ts'
import { amount } from '#test/harness/tier.ts'

const [place, uid] = ['acct-1', 'i-1']
const first = '2026-01-01'
/** Days of bills; the claims begin on some of the last twenty. */
const billedDays = 50
const on = (n: number) => addDays(first, n)
const today = on(billedDays)
const now = startOf(today) + 6 * 3_600_000

type Rows = Record<string, [verified: string | null, reason: string]>
type Measured = Static<typeof savingMeasured.schema>
type Word = { subject: typeof savingClaimed | typeof actionTold; data: never }

/** The resource's savings, and what stands in its rows. */
class Savings {
  readonly actor = new MemoryActor<Saving>(savingActor as never, { place, key: uid })
  readonly rows: Rows = {}

  take(subject: any, data: any): void {
    const need: SavingNeed = { rate: '0.5', instanceType: 'm5.large', isStopped: false, isDeleted: false }
    const needs = new Map([[resourceKey('o1', place, uid), need]])
    for (const { row } of this.actor.take(subject, data, { at: now, needs }).facts as { row: any }[])
      this.rows[`${row.day} ${row.source}/${row.source_id}`] = [row.verified, row.reason]
  }

  /** What a run at the moment `at` says, of what the rows say to it. */
  run(bills: Bills, at: number): Measured {
    const proofs = proofsOf(structuredClone(this.actor.state), bills, today)
    return { cloudAccountId: place, resourceUid: uid, at: new Date(at).toISOString(), proofs }
  }

  get known(): Rows {
    const told = Object.entries(this.rows).filter(([, [verified, reason]]) => verified !== null || reason !== '')
    return Object.fromEntries(told.toSorted(([a], [b]) => (a < b ? -1 : 1)))
  }
}

const billsOf = (of: ReadonlyMap<string, UsageDay>): Bills => ({
  day: (day) => of.get(day),
  first,
  isClosed: (day) => day < on(billedDays - 1),
  isElsewhere: () => false,
  listPrice: () => undefined,
})

/** What people and schedules said: applied recommendations, and stops that were ended by starts. */
const words = fc.array(
  fc.record({
    kind: fc.constantFrom('resize', 'delete', 'configure', 'stop'),
    day: fc.integer({ min: 30, max: 47 }),
    hours: fc.integer({ min: 1, max: 90 }),
  }),
  { minLength: 1, maxLength: 4 },
)

function wordsOf(said: readonly { kind: string; day: number; hours: number }[]): Word[] {
  return said.flatMap(({ kind, day, hours }, n): Word[] => {
    const from = startOf(on(day)) + n * 3_600_000
    const at = new Date(from).toISOString()
    if (kind !== 'stop') {
      const of = { recommendationId: `r-${n}`, actionType: kind as 'resize', ruleId: `RC-${n}` }
      return [{ subject: savingClaimed, data: appliedAt(at, of) as never }]
    }
    const source = { type: 'manual' as const, id: `u-${n}` }
    const until = new Date(from + hours * 3_600_000).toISOString()
    const told = [powered('stop', at, { source }), powered('start', until, { source })]
    return told.map((data) => ({ subject: actionTold, data: data as never }))
  })
}

const usage = fc.record({
  hours: fc.integer({ min: 0, max: 24 }).map((n) => units(String(n))),
  hourly: fc.integer({ min: 0, max: 5_000_000 }).map((n) => BigInt(n) * 10n ** 9n),
  other: fc.integer({ min: 0, max: 900_000 }).map((n) => BigInt(n) * 10n ** 9n),
})
const restated = fc.array(fc.record({ day: fc.integer({ min: 0, max: billedDays - 1 }), usage }), { maxLength: 12 })

describe('what is proved, whatever is repeated, restated and in whatever order', () => {
  it('ends as the newest bills have it, and is in all what the day would have cost less the bill', () => {
    const history = fc.record({
      said: words,
      bill: fc.array(usage, { minLength: billedDays, maxLength: billedDays }),
      restatements: fc.array(restated, { maxLength: 4 }),
      order: fc.infiniteStream(fc.nat()),
      isEarly: fc.boolean(),
    })
    let proved = 0
    fc.assert(
      fc.property(history, ({ said, bill, restatements, order, isEarly }) => {
        const shuffled = <T>(all: readonly T[]): T[] =>
          all
            .map((one) => ({ one, at: order.next().value! }))
            .toSorted((a, b) => a.at - b.at)
            .map(({ one }) => one)
        const savings = new Savings()
        const told = wordsOf(said)
        // Each word twice, in any order: a start without a stop is kept of what has claims alone.
        const stops = told.filter(({ data }) => (data as { action?: string }).action !== 'start')
        for (const { subject, data } of [...shuffled([...stops, ...stops]), ...shuffled([...told, ...told])])
          savings.take(subject, data)
        const usages = new Map(bill.map((one, n) => [on(n), one]))
        const runs = [undefined, ...restatements].map((changes = [], n) => {
          for (const { day, usage: anew } of changes) usages.set(on(day), anew)
          return savings.run(billsOf(new Map(usages)), now + n)
        })
        for (const word of shuffled([...runs, ...runs])) savings.take(savingMeasured, word)
        const bills = billsOf(usages)
        if (isEarly) savings.take(savingMeasured, savings.run(bills, now + 100))
        savings.take(savingMeasured, savings.run(bills, now + 101))
        expect(savings.run(bills, now + 102).proofs, 'nothing is news any more').to.deep.equal([])
        const { claims } = savings.actor.state
        expect(savings.known).to.deep.equal(expected(claims, bills, savings.rows))
        for (const day of days(on(30), on(billedDays - 2))) proved += sumsUp(claims, bills, day, savings.rows)
      }),
      { numRuns: amount(25, 400, 4000) },
    )
    expect(proved).to.be.above(amount(10, 1000, 10_000))
  })
})

/** What `prove` says of the bills as they stand, where that is something. */
function expected(claims: readonly Claim[], bills: Bills, rows: Rows): Rows {
  const said: Rows = {}
  for (const day of days(addDays(today, -45), addDays(today, -1))) {
    for (const { source, sourceId, from } of claims)
      if (dayOf(Date.parse(from)) === day) said[`${day} ${source}/${sourceId}`] = [null, 'first_day']
    for (const { claim, verified, reason } of prove(claims, bills, day).proved)
      said[`${day} ${claim.source}/${claim.sourceId}`] = [verified === null ? null : plainOf(verified), reason]
  }
  // Nothing is written where there is no row: neither a reason, nor that nothing was saved.
  const isTold = ([key, [verified]]: [string, Rows[string]]) => key in rows || (verified !== null && verified !== '0')
  return Object.fromEntries(
    Object.entries(said)
      .filter(isTold)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
}

/** Rows of a day add up to the difference to the bill; how many there are where all of it is proved. */
function sumsUp(claims: readonly Claim[], bills: Bills, day: string, rows: Rows): number {
  const { levels, proved } = prove(claims, bills, day)
  if (proved.length === 0 || proved.some(({ verified }) => verified === null)) return 0
  const own = proved.map(({ claim }) => rows[`${day} ${claim.source}/${claim.sourceId}`]?.[0] ?? '0')
  const sum = own.reduce((all, verified) => all + units(verified), 0n)
  const { hourly, other } = bills.day(day)!
  expect(plain(sum, 14)).to.equal(plain(levels[0]!.total - hourly - other, 14))
  return proved.length
}
