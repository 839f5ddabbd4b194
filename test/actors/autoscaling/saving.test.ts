import { expect } from 'chai'
import fc from 'fast-check'
import type { PolicySaving } from '#actors/autoscaling/entity.ts'
import {
  begunSaving,
  addCount,
  type UnitCount,
  type SavedOf,
  type SavingRow,
} from '#actors/autoscaling/policy/saving.ts'
import { uuidOf } from '#engine/value/id.ts'

const at = (text: string) => Date.parse(`2030-01-${text}Z`)
const of: SavedOf = {
  orgId: 'o1',
  cloudAccountId: 'acct-1',
  targetUid: 'asg-web',
  policyId: 'p-1',
  provider: 'aws',
  region: 'us-east-1',
  targetType: 'aws-asg',
  unitUsd: 0.2,
}

/** All counts one after the other, and the rows by day: the newest stands. */
function taken(first: PolicySaving, counts: readonly UnitCount[], unitUsd: number | null = 0.2) {
  let saving = first
  const rows: SavingRow[] = []
  for (const count of counts) {
    const done = addCount(saving, count, { ...of, unitUsd })
    saving = done.saving
    rows.push(...done.rows)
  }
  return { saving, rows, days: Object.fromEntries(rows.map(({ day, saved: usd }) => [day, usd])) }
}
/** The same number, every half hour. */
const every = (from: number, to: number, units: number): UnitCount[] =>
  Array.from({ length: Math.floor((to - from) / 1_800_000) }, (_, n) => ({ at: from + (n + 1) * 1_800_000, units }))

describe('what an autopilot policy saves', () => {
  it('is the units fewer than before its first change, by the hour and their price', () => {
    // From 6 to 4 at 10:00: two units for three hours at 0.20 are 1.20; then none for an hour; then one for two: 0.40.
    const first = begunSaving(6, { at: at('07T10:00:00'), units: 4 })
    const { days } = taken(first, [
      ...every(at('07T10:00:00'), at('07T12:30:00'), 4),
      { at: at('07T13:00:00'), units: 6 },
      { at: at('07T14:00:00'), units: 5 },
      ...every(at('07T14:00:00'), at('07T16:00:00'), 5),
    ])
    expect(days).to.deep.equal({ '2030-01-07': '1.6' })
  })

  it('is one row a day, observed, of the policy', () => {
    const first = begunSaving(6, { at: at('07T10:00:00'), units: 4 })
    const { rows } = addCount(first, { at: at('07T11:00:00'), units: 4 }, of)
    expect(rows).to.deep.equal([
      {
        org_id: 'o1',
        day: '2030-01-07',
        cloud_account_id: 'acct-1',
        resource_uid: 'asg-web',
        source: 'autoscaler',
        source_id: 'p-1',
        provider: 'aws',
        region: 'us-east-1',
        service_name: '',
        resource_type: 'aws-asg',
        purchase_type: '',
        saved: '0.4',
        basis: 'observed',
        estimated: null,
        observed: '0.4',
        verified: null,
        claim_id: uuidOf('saving', 'o1', 'p-1'),
        rule_id: '',
        category: '',
        reason: 'units',
      },
    ])
  })

  it('goes to the day it is of, to the millisecond', () => {
    // Two units from 23:30 to 00:30 are 0.20 on each day.
    const first = begunSaving(6, { at: at('07T23:30:00'), units: 4 })
    const { rows } = addCount(first, { at: at('08T00:30:00'), units: 6 }, of)
    expect(rows.map(({ day, saved: usd }) => [day, usd])).to.deep.equal([
      ['2030-01-07', '0.2'],
      ['2030-01-08', '0.2'],
    ])
  })

  it('is nothing while there are more units than before, and never less than nothing', () => {
    const first = begunSaving(4, { at: at('07T10:00:00'), units: 9 })
    const { rows, saving } = taken(first, [
      ...every(at('07T10:00:00'), at('07T12:00:00'), 9),
      { at: at('07T13:00:00'), units: 3 },
    ])
    expect([rows, saving.sum]).to.deep.equal([[], '0'])
  })

  it('is nothing while the policy does not hold its target, and goes on against the same number behind it', () => {
    const first = begunSaving(6, { at: at('07T10:00:00'), units: 4 })
    const { days } = taken(first, [
      { at: at('07T11:00:00'), units: null },
      { at: at('07T15:00:00'), units: 4 },
      { at: at('07T16:00:00'), units: null },
      { at: at('07T20:00:00'), units: null },
    ])
    expect(days).to.deep.equal({ '2030-01-07': '0.8' })
  })

  it('is of two hours where nobody counted for longer', () => {
    const first = begunSaving(6, { at: at('07T10:00:00'), units: 4 })
    expect(taken(first, [{ at: at('07T22:00:00'), units: 4 }]).days).to.deep.equal({ '2030-01-07': '0.8' })
    const night = taken(begunSaving(6, { at: at('07T23:00:00'), units: 4 }), [{ at: at('09T12:00:00'), units: 4 }])
    expect(night.days).to.deep.equal({ '2030-01-07': '0.4', '2030-01-08': '0.4' })
  })

  it('is nothing for what nobody has a price of', () => {
    const first = begunSaving(6, { at: at('07T10:00:00'), units: 4 })
    expect(taken(first, every(at('07T10:00:00'), at('07T12:00:00'), 4), null).rows).to.deep.equal([])
  })

  it('ends after twelve months', () => {
    const first = { ...begunSaving(6, { at: at('07T10:00:00'), units: 4 }), at: '2031-01-07T09:00:00.000Z' }
    const { days } = taken(first, [{ at: Date.parse('2031-01-07T11:00:00Z'), units: 4 }])
    expect(days).to.deep.equal({ '2031-01-07': '0.4' })
  })

  it('is written once an hour while the number stays, and at once when it changes', () => {
    const first = begunSaving(6, { at: at('07T10:00:00'), units: 4 })
    const minutes = Array.from({ length: 125 }, (_, n) => ({
      at: at('07T10:00:00') + (n + 1) * 60_000,
      units: n < 122 ? 4 : 5,
    }))
    const written = taken(first, minutes).rows.map(({ saved: usd }) => usd)
    // After 1, 61 and 121 minutes, and at 123, when it is another: 0.40 an hour.
    expect(written).to.deep.equal(['0.00666666666667', '0.40666666666667', '0.80666666666667', '0.82'])
  })

  it('is not moved by counts that come late, or twice', () => {
    const first = begunSaving(6, { at: at('07T10:00:00'), units: 4 })
    const { saving } = addCount(first, { at: at('07T11:00:00'), units: 4 }, of)
    for (const late of [at('07T11:00:00'), at('07T10:30:00'), at('06T10:00:00')])
      expect(addCount(saving, { at: late, units: 0 }, of)).to.deep.equal({ saving, rows: [] })
  })

  it('comes to the same however often the same number is counted in between', () => {
    const begin = at('07T10:00:00')
    const span = 40 * 3_600_000
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 1, max: span / 60_000 - 1 }), { maxLength: 40 }),
        fc.integer({ min: 0, max: 8 }),
        (minutes, units) => {
          const steps = Array.from({ length: 40 }, (_, n) => (n + 1) * 60)
          const of = (extra: readonly number[]) =>
            taken(
              begunSaving(6, { at: begin, units }),
              [...new Set([...steps, ...extra])]
                .toSorted((a, b) => a - b)
                .map((one) => ({ at: begin + one * 60_000, units })),
            )
          const [few, many] = [of([]), of(minutes)]
          expect(many.saving.sum).to.equal(few.saving.sum)
          expect(many.days['2030-01-07']).to.equal(few.days['2030-01-07'])
        },
      ),
    )
  })
})
