/** What a policy might say by how its target was used, and what a unit of it costs: worked out by hand. */
import { expect } from 'chai'
import { smartDefaults } from '#actors/autoscaling/policy/smart-default.ts'
import { unitUsdOf } from '#actors/autoscaling/policy/price.ts'

const of = (p95CpuPercent: number | null, peakUnits: number | null) => {
  const { min, max, targetCpuPercent, cooldownSeconds } = smartDefaults({ p95CpuPercent, peakUnits })
  return [min, max, targetCpuPercent, cooldownSeconds]
}

describe('smart defaults', () => {
  it('are a quarter and one and a half of the most units, each rounded up [ASC-01] [S-21]', () => {
    expect(of(45, 8)).to.deep.equal([2, 12, 60, 300])
    expect(of(45, 9)).to.deep.equal([3, 14, 60, 300])
    expect(of(45, 1)).to.deep.equal([1, 2, 60, 300])
    expect(of(45, 0)).to.deep.equal([1, 2, 60, 300])
    expect(of(45, 100_000)).to.deep.equal([25_000, 100_000, 60, 300])
  })

  it('aim higher the less the units have worked [ASC-01] [G-78]', () => {
    expect([0, 39.99, 40, 69.99, 70, 100].map((p95) => of(p95, 4)[2])).to.deep.equal([70, 70, 60, 60, 50, 50])
  })

  it('of what nobody measured are 1, 2 and 60 [ASC-01] [G-78]', () => {
    expect(of(null, null)).to.deep.equal([1, 2, 60, 300])
    expect(of(80, null)).to.deep.equal([1, 2, 50, 300])
    expect(of(null, 8)).to.deep.equal([2, 12, 60, 300])
  })
})

describe('the price of a unit', () => {
  it('is the one that is told, else that of the fleet by its units, else that of the fleet [G-84]', () => {
    const fleet = { hourlyRateUsd: 0.8, unitCount: 4, specs: {} }
    expect(unitUsdOf(fleet)).to.equal(0.2)
    expect(unitUsdOf({ ...fleet, specs: { unit_hourly_usd: 0.25 } })).to.equal(0.25)
    expect(unitUsdOf({ ...fleet, specs: { unit_hourly_usd: '0.25' } })).to.equal(0.2)
    expect(unitUsdOf({ ...fleet, unitCount: 0 })).to.equal(0.8)
    expect(unitUsdOf({ ...fleet, unitCount: null })).to.equal(0.8)
    expect(unitUsdOf({ ...fleet, hourlyRateUsd: null })).to.equal(null)
    expect(unitUsdOf({ ...fleet, hourlyRateUsd: 0 })).to.equal(null)
  })
})
