import { expect } from 'chai'
import { exact, percentChange, sumOf, usdChange } from '#http/console/web/figure.ts'

describe('figures of the console', () => {
  it('are summed to the last digit, whatever their sign', () => {
    expect(sumOf(['0.1', '0.2'])).to.equal('0.3')
    expect(sumOf(['99999999999999999999.00000000000001', '0.99999999999999'])).to.equal('100000000000000000000')
    expect(sumOf(['1.5', '-2.75'])).to.equal('-1.25')
    expect(sumOf(['-0.00000000000001'])).to.equal('-0.00000000000001')
    expect(sumOf(['12', '30'])).to.equal('42')
    expect(sumOf([])).to.equal('0')
  })

  it('keep every digit they came with', () => {
    expect(exact('1234567.00000000000001')).to.equal('1,234,567.00000000000001')
    expect(exact('-0.5')).to.equal('-0.5')
    expect(exact('1000')).to.equal('1,000')
  })

  it('have a sign where they are changes: a plus or a true minus', () => {
    expect([usdChange(-3.6), usdChange('2'), usdChange(0)]).to.deep.equal(['−$3.60', '+$2.00', '$0.00'])
    expect([percentChange(-3.6), percentChange(12.84)]).to.deep.equal(['−3.6%', '+12.8%'])
  })
})
