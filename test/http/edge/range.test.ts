import { expect } from 'chai'
import fc from 'fast-check'
import type { Fault } from '#engine/value/fault.ts'
import { rangeOf } from '#http/edge/parameter/range.ts'

const now = new Date('2026-03-10T13:45:00Z')

const texts = (query: { from?: string; to?: string }) => {
  const { from, to, fromDay, toDay } = rangeOf(query, now)
  return { from: from.toISOString(), to: to.toISOString(), fromDay, toDay }
}

/** What the caller is told is wrong. */
const refusal = (query: { from?: string; to?: string }) => {
  try {
    rangeOf(query, now)
  } catch (error) {
    return (error as Fault).detail['errors']
  }
  return undefined
}

describe('http range', () => {
  it('includes both days', () => {
    expect(texts({ from: '2026-01-01', to: '2026-01-31' })).to.deep.equal({
      from: '2026-01-01T00:00:00.000Z',
      to: '2026-02-01T00:00:00.000Z',
      fromDay: '2026-01-01',
      toDay: '2026-01-31',
    })
    expect(texts({ from: '2026-01-05', to: '2026-01-05' })).to.include({ fromDay: '2026-01-05', toDay: '2026-01-05' })
  })
  it('takes timestamps half-open, in any zone; without one they are UTC [GEN-08]', () => {
    expect(texts({ from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z' })).to.deep.equal(
      texts({ from: '2026-01-01', to: '2026-01-31' }),
    )
    expect(texts({ from: '2026-01-01T02:30:00+02:30', to: '2026-01-01T01:00' })).to.include({
      from: '2026-01-01T00:00:00.000Z',
      to: '2026-01-01T01:00:00.000Z',
    })
    expect(texts({ from: '2026-01-01T00:00:00 02:00', to: '2026-01-02' }).from).to.equal('2025-12-31T22:00:00.000Z')
    expect(texts({ from: '2026-01-01T00:00:00.123456Z', to: '2026-01-02' }).from).to.equal('2026-01-01T00:00:00.123Z')
    expect(texts({ from: '2026-01-01T00:00:00-05:00', to: '2026-01-02' }).from).to.equal('2026-01-01T05:00:00.000Z')
  })
  it('mixes a day with a timestamp [GEN-08]', () => {
    expect(texts({ from: '2026-01-01', to: '2026-01-31T12:00:00Z' })).to.deep.equal({
      from: '2026-01-01T00:00:00.000Z',
      to: '2026-01-31T12:00:00.000Z',
      fromDay: '2026-01-01',
      toDay: '2026-01-31',
    })
  })
  it('is the last 30 complete days and today when nothing is asked for', () => {
    expect(texts({})).to.deep.equal({
      from: '2026-02-08T00:00:00.000Z',
      to: '2026-03-11T00:00:00.000Z',
      fromDay: '2026-02-08',
      toDay: '2026-03-10',
    })
    expect(texts({ from: '2026-03-01' })).to.include({ fromDay: '2026-03-01', toDay: '2026-03-10' })
    expect(texts({ to: '2026-01-31' })).to.include({ fromDay: '2026-01-01', toDay: '2026-01-31' })
    expect(texts({ to: '2026-02-01T00:00:00Z' })).to.include({ fromDay: '2026-01-01', toDay: '2026-01-31' })
  })
  it('takes 36 months and no more', () => {
    // 2024 has 366 days: 1,096 in three years.
    expect(texts({ from: '2023-02-05', to: '2026-02-04' })).to.include({ fromDay: '2023-02-05', toDay: '2026-02-04' })
    expect(refusal({ from: '2023-02-05', to: '2026-02-05' })).to.deep.equal([
      { in: 'query', name: 'from', code: 'range', message: 'must be at most 1096 days before "to"' },
    ])
    expect(refusal({ from: '2020-01-01' })).to.have.length(1)
  })
  it('refuses a range that ends before it starts', () => {
    for (const query of [
      { from: '2026-02-02', to: '2026-02-01' },
      { from: '2026-02-02T00:00:00Z', to: '2026-02-01' },
      { from: '2026-02-01T00:00:01Z', to: '2026-02-01T00:00:00Z' },
      { from: '2026-03-11' },
    ]) {
      expect(refusal(query)).to.deep.equal([
        { in: 'query', name: 'from', code: 'range', message: 'must not be after "to"' },
      ])
    }
    expect(texts({ from: '2026-02-01T00:00:00Z', to: '2026-02-01T00:00:00Z' })).to.include({ toDay: '2026-02-01' })
  })
  for (const bad of [
    '2026-02-30',
    '2025-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-1-1',
    '01.02.2026',
    '20260101',
    '2026-01-01T24:00:00Z',
    '2026-01-01T10:60Z',
    '2026-01-01T10',
    '2026-02-30T00:00:00Z',
    '2026-01-01T00:00:00+15:00',
    '0001-01-01',
    '2500-01-01',
    'yesterday',
    '',
  ]) {
    it(`refuses "${bad}", naming the parameter [LIM-05]`, () => {
      for (const name of ['from', 'to']) {
        expect(refusal({ [name]: bad })).to.deep.equal([
          {
            in: 'query',
            name,
            code: 'format',
            message: 'must be an existing day, YYYY-MM-DD, or an ISO 8601 timestamp',
          },
        ])
      }
    })
  }
  it('reads any day it can write, and counts its days', () => {
    const day = fc.integer({ min: 0, max: 47_000 }).map((n) => new Date(n * 86_400_000).toISOString().slice(0, 10))
    fc.assert(
      fc.property(day, fc.integer({ min: 0, max: 399 }), (from, more) => {
        const to = new Date(Date.parse(from) + more * 86_400_000).toISOString().slice(0, 10)
        const range = rangeOf({ from, to }, now)
        expect([range.fromDay, range.toDay]).to.deep.equal([from, to])
        expect(range.to.getTime() - range.from.getTime()).to.equal((more + 1) * 86_400_000)
      }),
    )
  })
})
