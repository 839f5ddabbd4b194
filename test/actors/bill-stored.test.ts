/** Lines that their sender has stored count exactly as lines that were sent one by one. */
import { expect } from 'chai'
import fc from 'fast-check'
import { deepCopy } from '#engine/actor/row.ts'
import { billingExportEnded, billingLine } from '#streams/billing/messages.ts'
import { billLinesStored } from '#streams/billing/stored.ts'
import { Account, id, none } from '#test/harness/account.ts'
import type { Done } from '#test/harness/turn.ts'

const at = (day: number): string => `2026-01-${String(day).padStart(2, '0')}T03:00:00.000Z`
const exports = [10, 11, 12].map((day, n) => ({ exportId: `e${n + 1}`, exportedAt: at(day) }))

interface Delivery {
  of: number
  days: number[]
  isHidden: boolean
}

const dayOf = (day: number): string => `2026-01-${String(day).padStart(2, '0')}`

const bySending = (account: Account, { of, days, isHidden }: Delivery): Done[] =>
  days.map((day) =>
    account.actor.take(
      billingLine,
      {
        lineId: `l${day}`,
        cloudAccountId: id,
        provider: 'aws',
        serviceName: 's',
        usageDate: dayOf(day),
        costUSD: '1',
        ...exports[of]!,
        ...(isHidden && { hiddenUntilEnd: true }),
      },
      { needs: none },
    ),
  )

const byStoring = (account: Account, { of, days, isHidden }: Delivery): Done[] => [
  account.actor.take(
    billLinesStored,
    {
      cloudAccountId: id,
      provider: 'aws',
      ...exports[of]!,
      ...(isHidden && { hiddenUntilEnd: true }),
      block: { index: 1, rows: days.length, hash: '0'.repeat(64) },
      periods: [{ period: '2026-01', lines: days.length, days: days.map(dayOf) }],
    },
    { needs: none },
  ),
]

const marksOf = (done: readonly Done[]): string[] =>
  [...new Set(done.flatMap(({ marks }) => marks.map(({ key }) => key)))].toSorted()

const delivery = fc.record({
  of: fc.integer({ min: 0, max: 2 }),
  days: fc
    .uniqueArray(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 })
    .map((days) => days.toSorted((a, b) => a - b)),
  isHidden: fc.boolean(),
})

describe('lines of an export that their sender has stored', () => {
  it('count, mark days and hide exactly as lines that are sent one by one, in any order of exports', () => {
    fc.assert(
      fc.property(fc.array(delivery, { minLength: 1, maxLength: 8 }), (deliveries) => {
        const [sent, stored] = [new Account(), new Account()]
        for (const one of deliveries) {
          const now = sent.actor.now
          const marked = marksOf(bySending(sent, one))
          sent.actor.now = stored.actor.now = now
          expect(marksOf(byStoring(stored, one))).to.deep.equal(marked)
          expect(deepCopy(stored.state.bills.shown)).to.deep.equal(deepCopy(sent.state.bills.shown))
          expect(stored.state.bills.begun).to.deep.equal(sent.state.bills.begun)
          expect(stored.state.bills.ignored).to.equal(sent.state.bills.ignored)
          stored.actor.now = sent.actor.now = now + 60_000
        }
      }),
      { numRuns: 60 },
    )
  })

  it('change no export that a newer one has replaced, and are counted as ignored', () => {
    const account = new Account()
    const days = [3, 4]
    byStoring(account, { of: 1, days, isHidden: true })
    const counted = days.map((day) => ({
      period: '2026-01',
      export: 'e2',
      day: dayOf(day),
      lines: 1,
      billed: '1',
      effective: '1',
      oldest: at(11),
      newest: at(11),
    }))
    const needs = { ...none, counts: new Map([[`o1\0${id}`, counted]]) }
    const end = { cloudAccountId: id, ...exports[1]!, periods: [{ period: '2026-01', lines: 2 }] }
    account.actor.take(billingExportEnded, end, { needs })
    expect(account.state.bills.shown['2026-01']).to.include({ id: 'e2', complete: true })
    expect(marksOf(byStoring(account, { of: 0, days, isHidden: false }))).to.deep.equal([])
    expect(account.state.bills.shown['2026-01']).to.include({ id: 'e2', complete: true })
    expect(account.state.bills.ignored).to.equal(2)
  })

  it('make the account known, by the provider of the first', () => {
    const account = new Account()
    byStoring(account, { of: 0, days: [3], isHidden: true })
    expect(account.state).to.include({ name: id, provider: 'aws', status: 'connected' })
    expect(account.state.bills.shown).to.deep.equal({})
  })
})
