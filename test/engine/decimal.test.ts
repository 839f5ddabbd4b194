import { expect } from 'chai'
import fc from 'fast-check'
import { isFiner, plain, toUnits, sum, times, Total } from '#engine/value/decimal.ts'

/** A decimal as sign, digits and exponent, and the texts that spell it. */
const decimal = fc.record({
  negative: fc.boolean(),
  digits: fc.bigInt({ min: 0n, max: 10n ** 15n }),
  exponent: fc.integer({ min: -30, max: 2 }),
})
type Decimal = { negative: boolean; digits: bigint; exponent: number }
const signed = ({ negative, digits }: Decimal): bigint => (negative ? -digits : digits)
const scientific = (d: Decimal): string => `${d.negative ? '-' : ''}${d.digits}e${d.exponent}`
const pointed = (d: Decimal): string => {
  const text = d.digits.toString()
  if (d.exponent >= 0) return `${d.negative ? '-' : ''}${text}${'0'.repeat(d.exponent)}`
  const padded = text.padStart(1 - d.exponent, '0')
  return `${d.negative ? '-' : ''}${padded.slice(0, d.exponent)}.${padded.slice(d.exponent)}`
}

/** n / 10^drop rounded half away from zero, by another route than the code: twice the remainder against the divisor. */
function rounded(n: bigint, drop: number): bigint {
  const divisor = 10n ** BigInt(drop)
  const [whole, rest] = [n / divisor, n % divisor]
  const away = 2n * (rest < 0n ? -rest : rest) >= divisor
  return away ? whole + (n < 0n ? -1n : 1n) : whole
}

describe('decimal', () => {
  it('tells amounts that so many places cannot keep, whatever notation they have, also times a rate', () => {
    const finer = ['0.000000000000001', '-1.000000000000001', '1e-15', '12.5E-15', 1.5e-15]
    expect(finer.map((value) => isFiner(value, 14))).to.deep.equal(Array(5).fill(true))
    const kept = ['0', '0.00000000000001', '0.000000000000010000', '1e-14', '150e-15', '0e-99', '', 'x', 1e-14]
    expect(kept.map((value) => isFiner(value, 14))).to.deep.equal(Array(9).fill(false))
    // 0.0000000000005 x 0.02 = 10^-14, x 0.01 = 5 x 10^-15
    expect(['0.02', '0.01'].map((rate) => isFiner('0.0000000000005', 14, rate))).to.deep.equal([false, true])
    expect(isFiner('0', 14, '0.73')).to.equal(false)
  })

  it('reads plain and scientific notation as the same exact count, rounded half away from zero', () => {
    fc.assert(
      fc.property(decimal, fc.integer({ min: 0, max: 20 }), (d, places) => {
        const shift = d.exponent + places
        const expected = shift >= 0 ? signed(d) * 10n ** BigInt(shift) : rounded(signed(d), -shift)
        expect(toUnits(scientific(d), places)).to.equal(expected)
        expect(toUnits(pointed(d), places)).to.equal(expected)
      }),
    )
  })

  it('writes what it reads: plain is the inverse of scaled', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
        fc.integer({ min: 14, max: 20 }),
        (units, places) => {
          expect(toUnits(plain(units, places), places)).to.equal(units)
        },
      ),
    )
  })

  it('multiplies exactly and rounds once, half away from zero', () => {
    const any = fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n })
    fc.assert(
      fc.property(any, any, fc.integer({ min: 0, max: 12 }), (a, b, places) => {
        expect(times(a, b, places)).to.equal(rounded(a * b, places))
      }),
    )
  })

  it('adds without ever rounding, whatever the order and the spelling', () => {
    fc.assert(
      fc.property(fc.array(decimal), (all) => {
        const exact = all.reduce((total, d) => total + signed(d) * 10n ** BigInt(d.exponent + 30), 0n)
        expect(sum(all.map(scientific))).to.equal(plain(exact, 30))
        expect(sum(all.map(pointed).toReversed())).to.equal(plain(exact, 30))
      }),
    )
  })

  it('reads the spellings that bills use', () => {
    const texts = ['1.3E-9', '5e-06', '.5', '5.', '+7', ' 8 ', '-0.00', '0e999', 1e-7, '00012.50']
    expect(texts.map((text) => plain(toUnits(text, 14)!, 14))).to.deep.equal([
      '0.0000000013',
      '0.000005',
      '0.5',
      '5',
      '7',
      '8',
      '0',
      '0',
      '0.0000001',
      '12.5',
    ])
  })

  it('rounds the half away from zero on both sides and leaves less than half', () => {
    const texts = ['0.5', '-0.5', '1.49', '-1.5', '0.05', '0.4999999999999999999999']
    expect(texts.map((text) => toUnits(text, 0))).to.deep.equal([1n, -1n, 1n, -2n, 0n, 0n])
  })

  it('refuses what is no finite decimal below 1e18', () => {
    const texts = [
      '',
      ' ',
      '.',
      '-',
      'abc',
      '1,5',
      '$5',
      '1e',
      'NaN',
      '1e18',
      '1000000000000000000',
      '0x10',
      Number.NaN,
      Infinity,
    ]
    expect(texts.map((text) => toUnits(text, 14))).to.deep.equal(texts.map(() => undefined))
    expect(toUnits('999999999999999999', 0)).to.equal(999_999_999_999_999_999n)
  })

  it('keeps every digit of a running sum', () => {
    const total = new Total()
    for (const text of ['0.1', '1e-40', '-0.05']) total.add(text)
    expect(total.toString()).to.equal(`0.05${'0'.repeat(37)}1`)
    expect(() => total.add('abc')).to.throw(RangeError, 'not a decimal')
  })
})
