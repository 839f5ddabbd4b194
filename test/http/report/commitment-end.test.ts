import { expect } from 'chai'
import { begunOn, expiryOf, type Known } from '#http/report/commitment-end.ts'
import { statusOf } from '#http/report/commitment-figure.ts'
import { monthsOf, termOf } from '#streams/billing/commitment-term.ts'

const line = { name: '', type: '', category: '', regions: [], ends_at: '', ends_on: '' }
const resource = { uid: 'ri-1', name: '', region: '', observed_on: '2026-01-10', ends_at: '', days_to_end: '' }
const bought = {
  cloud_account_id: 'acct-1',
  frequency: 'One-Time',
  starts_on: '2025-02-01',
  details: '',
  description: '',
  quantity: '',
  unit: '',
  pricing_quantity: '',
}
const end = (more: Partial<Known>) => {
  const found = expiryOf({
    resource: undefined,
    line,
    terms: [],
    begunOn: undefined,
    lastDay: '2026-01-15',
    onDemandDays: 0,
    ...more,
  })
  return [found.expiresOn, found.expiryFrom]
}

describe('when a commitment ends', () => {
  it('is said by the inventory, else by bills, else by what runs on demand since', () => {
    const all = {
      resource: { ...resource, ends_at: '2026-06-30T12:00:00Z' },
      line: { ...line, ends_at: '2026-05-31T23:59:59Z', ends_on: '2026-05-01' },
      terms: [{ ...bought, details: '{"x_PurchaseTerm":"1yr"}' }],
      onDemandDays: 3,
    }
    expect(end(all)).to.deep.equal(['2026-06-30', 'inventory'])
    expect(end({ ...all, resource: { ...resource, days_to_end: '20.9' } })).to.deep.equal(['2026-01-30', 'inventory'])
    expect(end({ ...all, resource })).to.deep.equal(['2026-05-31', 'bill'])
    expect(end({ ...all, resource, line: { ...line, ends_on: '2026-05-01' } })).to.deep.equal(['2026-05-01', 'bill'])
    expect(end({ ...all, resource, line })).to.deep.equal(['2026-02-01', 'bill'])
    expect(end({ onDemandDays: 3 })).to.deep.equal(['2026-01-15', 'observed'])
    expect(end({ onDemandDays: 2 })).to.deep.equal([null, null])
    expect(end({ onDemandDays: 3, lastDay: '' })).to.deep.equal([null, null])
  })

  it('is no day that bills contradict, nor a text that is no day', () => {
    expect(end({ resource: { ...resource, ends_at: '2026-01-14T23:00:00Z' } })).to.deep.equal([null, null])
    expect(end({ line: { ...line, ends_at: '2026-01-14', ends_on: '2026-01-15' } })).to.deep.equal([
      '2026-01-15',
      'bill',
    ])
    expect(end({ line: { ...line, ends_at: 'never' } })).to.deep.equal([null, null])
    expect(end({ resource: { ...resource, days_to_end: 'many' } })).to.deep.equal([null, null])
  })

  it('follows from a purchase that is paid once and its term, or from the first of its fees', () => {
    const ofTerm = (more: object, known: Partial<Known> = {}) => end({ terms: [{ ...bought, ...more }], ...known })
    expect(ofTerm({ details: '{"x_SkuTerm":"36"}' })).to.deep.equal(['2028-02-01', 'bill'])
    expect(ofTerm({ details: '{"x_SkuTerm":36}', starts_on: '2024-02-29' })).to.deep.equal(['2027-02-28', 'bill'])
    const fee = { frequency: 'Recurring', details: '{"x_PurchaseTerm":"1yr"}', starts_on: '2026-01-01' }
    expect(ofTerm(fee)).to.deep.equal([null, null])
    expect(ofTerm(fee, { begunOn: '2025-08-31' })).to.deep.equal(['2026-08-31', 'bill'])
    expect(ofTerm({ description: 'no word of it' })).to.deep.equal([null, null])
  })

  it('is that of the term it was renewed for, where bills name it after the first', () => {
    const terms = [{ ...bought, starts_on: '2023-01-15', details: '{"x_Plan":"TWELVE_MONTH"}' }]
    expect(end({ terms, lastDay: '2024-01-15' })).to.deep.equal(['2024-01-15', 'bill'])
    expect(end({ terms, lastDay: '2026-01-15' })).to.deep.equal(['2026-01-15', 'bill'])
    expect(end({ terms, lastDay: '2026-01-16' })).to.deep.equal(['2027-01-15', 'bill'])
  })

  it('begins with the first fee only where bills reach back further than a month of fees', () => {
    expect(begunOn('2026-02-02', '2026-01-01')).to.equal('2026-02-02')
    expect(begunOn('2026-02-01', '2026-01-01')).to.equal(undefined)
    expect(begunOn('', '2020-01-01')).to.equal(undefined)
  })

  it('makes it expired once it has passed; one without a known end that bills have not named for a week is unknown', () => {
    const of = [
      [-1, -1],
      [0, -30],
      [null, -7],
      [null, -8],
      [null, null],
    ] as const
    expect(of.map(([left, named]) => statusOf(left, named))).to.deep.equal([
      'expired',
      'active',
      'active',
      'unknown',
      'unknown',
    ])
  })
})

describe('the term of a commitment', () => {
  it('is read in every spelling of exporters; anything else is none', () => {
    const spellings = ['1yr', '3 Years', 'P1Y', '36', '18 months', 'TWELVE_MONTH', 'thirty_six_month', '5-year']
    expect(spellings.map(monthsOf)).to.deep.equal([12, 36, 12, 36, 18, 12, 36, 60])
    expect(['', '0', '121', 'never', '1.5yr', '31536000'].map(monthsOf)).to.deep.equal(Array(6).fill(undefined))
  })

  it('is what the SKU says, else the hours bought of each unit, else what the words of the purchase say', () => {
    const purchase = { details: '', description: '', quantity: '', unit: '', pricingQuantity: '' }
    const of = (more: object) => termOf({ ...purchase, ...more })
    const words = { description: 'Commitment v1: N2 Cpu in Americas for 3 Years' }
    expect(of({ ...words, details: '{"x_PurchaseTerm":"1yr"}' })).to.equal(12)
    const hours = { quantity: '26280.00', unit: 'Hours' }
    expect(of({ ...hours, pricingQuantity: '1' })).to.equal(36)
    expect(of({ ...hours, pricingQuantity: '3' })).to.equal(12)
    // Three machines for a year or one for three years: the line does not say.
    expect(of(hours)).to.equal(undefined)
    expect(of({ ...hours, unit: 'USD', pricingQuantity: '1' })).to.equal(undefined)
    expect(of(words)).to.equal(36)
    expect(of({ description: 'Sign up charge', details: '["1yr"]' })).to.equal(undefined)
    expect(of({ details: '{' })).to.equal(undefined)
  })
})
