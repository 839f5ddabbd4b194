import { expect } from 'chai'
import { unitPrice } from '#http/console/web/view/units/unit-price.ts'

describe('the price of one unit', () => {
  it('has two places, or as many as two digits of a small price need', () => {
    expect([1234.5, 0.1, 0.0543, 0.00023456, 0, -0.05].map(unitPrice)).to.deep.equal([
      '$1,234.50',
      '$0.10',
      '$0.054',
      '$0.00023',
      '$0.00',
      '−$0.050',
    ])
  })

  it('is a dash without units', () => {
    expect(unitPrice(null)).to.equal('–')
  })
})
