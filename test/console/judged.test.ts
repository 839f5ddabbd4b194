import { expect } from 'chai'
import { judgedDays, knownFrom } from '#http/console/web/view/anomalies/evaluated-days.ts'

describe('days that can be judged', () => {
  const february = (...days: number[]) => days.map((one) => `2026-02-${String(one).padStart(2, '0')}`)

  it('have bills on four of the seven days before', () => {
    expect(judgedDays(february(1, 2, 3, 4, 5, 6), '2026-01-01')).to.deep.equal(february(5, 6))
    // 11 has three before it; 12 has 5, 6, 7 and 11, 13 has 6, 7, 11 and 12, and 14 has 7, 11, 12 and 13.
    expect(judgedDays(february(5, 6, 7, 11, 12, 13, 14), '2026-02-01')).to.deep.equal(february(12, 13, 14))
    expect(judgedDays(february(5, 6, 7, 12), '2026-02-01')).to.deep.equal([])
  })

  it('begin with the first that is asked for, and know the week before it', () => {
    expect(knownFrom('2026-03-05')).to.equal('2026-02-26')
    expect(judgedDays(february(1, 2, 3, 4, 5, 6), '2026-02-06')).to.deep.equal(february(6))
  })
})
