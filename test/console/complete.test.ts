import { expect } from 'chai'
import { completenessOf } from '#http/console/web/completeness.ts'

describe('periods of a chart', () => {
  const month = { from: '2026-01-01', to: '2026-01-31' }
  const bills = { costsThrough: '2026-01-28', settledThrough: '2026-01-26' }

  it('have no bills yet after the newest bill, and are partial after the last settled day [G-115]', () => {
    const days = ['2026-01-25', '2026-01-26', '2026-01-27', '2026-01-28', '2026-01-29']
    expect(completenessOf(days, month, bills)).to.deep.equal(['whole', 'whole', 'partial', 'partial', 'none'])
    expect(completenessOf(days.slice(0, 2), month, { costsThrough: null })).to.deep.equal(['none', 'none'])
    expect(completenessOf(days.slice(0, 2), month, { ...bills, settledThrough: null })).to.deep.equal([
      'partial',
      'partial',
    ])
  })

  it('are partial where a week or a month lies outside of the days shown, or is not settled to its end [G-115]', () => {
    // 2026-W01 begins on 29 December, W05 ends on 1 February.
    expect(completenessOf(['2026-W01', '2026-W02', '2026-W04', '2026-W05'], month, bills)).to.deep.equal([
      'partial',
      'whole',
      'whole',
      'partial',
    ])
    const settled = { from: '2025-12-10', to: '2026-01-26' }
    expect(completenessOf(['2025-12', '2026-01'], settled, bills)).to.deep.equal(['partial', 'partial'])
    expect(completenessOf(['2025-12'], { ...settled, from: '2025-12-01' }, bills)).to.deep.equal(['whole'])
    expect(completenessOf(['2026-01-28'], month, undefined)).to.deep.equal(['whole'])
  })
})
