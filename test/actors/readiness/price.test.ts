import { expect } from 'chai'
import { calculate, factorOf } from '#actors/autoscaling/policy/calculate.ts'
import { stepUp, type Database } from '#actors/readiness/database.ts'
import { isDatabase } from '#streams/cloud/resource/resource-type.ts'
import { extraDbUsd, extraUsd, rateOf, sumUsd } from '#actors/readiness/price.ts'
import { overlaps, windowOf } from '#actors/readiness/window.ts'

const hourMs = 3_600_000

describe('what a target is to be for an event', () => {
  const web = { min: 2, max: 10, desired: 4 }
  const counts = (min: number, max: number, desired: number) => ({ min, max, desired })

  it('is what its load comes to, by 50 % of 70 % where none is measured [S-19] [EVR-24] [G-83]', () => {
    const none = calculate(web, { multiplier: 3, averageCpu: null, targetCpuPercent: 60 })
    expect([none.scaled, none.isEstimated]).to.deep.equal([counts(5, 22, 9), true])
    const twice = calculate(web, { multiplier: 4, averageCpu: 35, targetCpuPercent: 70 })
    expect([twice.scaled, twice.factor, twice.isEstimated]).to.deep.equal([counts(4, 20, 8), 2, false])
    const more = calculate(web, { multiplier: 2.5, averageCpu: 35, targetCpuPercent: 70 })
    expect([more.scaled, more.factor]).to.deep.equal([counts(3, 13, 5), 1.25])
    const less = calculate(web, { multiplier: 1, averageCpu: 35, targetCpuPercent: 70 })
    expect(less.scaled).to.deep.equal(web)
  })

  it('does not round up what is exact, and lies within its bounds', () => {
    const load = { multiplier: 1.1, averageCpu: 70, targetCpuPercent: 70 }
    expect(calculate(counts(100, 100, 100), load).scaled).to.deep.equal(counts(110, 110, 110))
    expect(calculate(counts(0, 4, 9), { ...load, multiplier: 2 }).scaled).to.deep.equal(counts(0, 8, 8))
    expect(factorOf({ multiplier: 3, averageCpu: null, targetCpuPercent: 90 })).to.be.closeTo(2.142857, 1e-6)
  })
})

describe('what an event costs in addition', () => {
  it('is hours by units by the price of one, to the cent [S-19] [EVR-26] [G-84]', () => {
    const window = windowOf({
      eventStart: new Date('2030-11-29T14:00:00Z'),
      eventEnd: new Date('2030-11-29T18:00:00Z'),
      preScaleMinutes: 30,
      postEventMinutes: 45,
    })
    const ms = window.to.getTime() - window.from.getTime()
    expect(ms / hourMs).to.equal(5.25)
    const prices = [extraUsd(ms, 9 - 4, { usd: 0.2, units: 1 }), extraUsd(ms, 7 - 3, { usd: 0.5, units: 1 })]
    expect([prices, sumUsd(prices)]).to.deep.equal([[5.25, 10.5], 15.75])
    const hours = [extraUsd(4 * hourMs, 5, { usd: 0.2, units: 1 }), extraUsd(4 * hourMs, 4, { usd: 0.5, units: 1 })]
    expect([hours, sumUsd(hours)]).to.deep.equal([[4, 8], 12])
  })

  it('is exact where floats are not', () => {
    // 0.1 + 0.2 of floats is 0.30000000000000004; a third of a dollar for 3 units is one.
    expect(sumUsd([0.1, 0.2, 0.7])).to.equal(1)
    expect(extraUsd(hourMs, 3, { usd: 1, units: 3 })).to.equal(1)
    // 1.005 is rounded half away from zero.
    expect(extraUsd(hourMs, 1, { usd: 1.005, units: 1 })).to.equal(1.01)
    expect(extraUsd(60_000, 1, { usd: 0.6, units: 1 })).to.equal(0.01)
    expect(extraUsd(hourMs, 100_000, { usd: 0.0000001, units: 1 })).to.equal(0.01)
  })

  it('goes by the price of a unit, else by that of the fleet [G-84]', () => {
    const fleet = { hourlyRateUsd: 0.8, unitCount: 4, specs: {} }
    expect(rateOf(fleet)).to.deep.equal({ usd: 0.8, units: 4 })
    expect(rateOf({ ...fleet, unitCount: 0 })).to.deep.equal({ usd: 0.8, units: 1 })
    expect(rateOf({ ...fleet, unitCount: null })).to.deep.equal({ usd: 0.8, units: 1 })
    expect(rateOf({ ...fleet, specs: { unit_hourly_usd: 0.2 } })).to.deep.equal({ usd: 0.2, units: 1 })
    expect(rateOf({ ...fleet, hourlyRateUsd: null })).to.equal(undefined)
    expect(rateOf({ ...fleet, hourlyRateUsd: 0 })).to.equal(undefined)
  })
})

describe('the class that a database is to be of', () => {
  const rds: Database = {
    type: 'aws-rds',
    provider: 'aws',
    region: 'us-east-1',
    instanceType: 'db.m5.large',
    specs: { engine: 'postgres' },
  }
  const names = (of: Database, factor: number) => {
    const step = stepUp(of, factor)
    return step && [step.current.name, step.recommended.name, step.steps]
  }

  it('is the smallest of its family whose vCPUs are enough [EVR-03] [G-85]', () => {
    expect(names(rds, 2)).to.deep.equal(['db.m5.large', 'db.m5.xlarge', 1])
    expect(names(rds, 2.01)).to.deep.equal(['db.m5.large', 'db.m5.2xlarge', 2])
    expect(names(rds, 1)).to.deep.equal(['db.m5.large', 'db.m5.large', 0])
    expect(names(rds, 0.4)).to.deep.equal(['db.m5.large', 'db.m5.large', 0])
    expect(names(rds, 1000)).to.deep.equal(['db.m5.large', 'db.m5.24xlarge', 7])
  })

  it('is known of three services', () => {
    const sql = { ...rds, type: 'gcp-cloudsql', provider: 'gcp', instanceType: 'db-custom-2-7680', specs: {} }
    expect(names(sql, 3)).to.deep.equal(['db-custom-2-7680', 'db-custom-8-30720', 2])
    const plus = { ...sql, instanceType: 'db-perf-optimized-N-8' }
    expect(names(plus, 4)).to.deep.equal(['db-perf-optimized-N-8', 'db-perf-optimized-N-32', 2])
    const flexible = { ...rds, type: 'azure-postgres', provider: 'azure', instanceType: 'Standard_D2ds_v5', specs: {} }
    expect(names(flexible, 2)).to.deep.equal(['Standard_D2ds_v5', 'Standard_D4ds_v5', 1])
    const unknown = [
      { ...rds, instanceType: '' },
      { ...rds, specs: {} },
      { ...rds, type: 'aws-dynamodb-table' },
      { ...flexible, instanceType: 'Standard_B2s' },
      { ...sql, instanceType: 'db-f1-micro' },
    ]
    expect(unknown.map((of) => names(of, 2))).to.deep.equal(unknown.map(() => undefined))
    expect(['aws-rds', 'azure-redis', 'aws-asg', 'other'].map(isDatabase)).to.deep.equal([true, true, false, false])
  })

  it('costs what it costs more than the present one [G-84]', () => {
    const step = stepUp(rds, 4)!
    const [now, then] = [step.current.price!, step.recommended.price!]
    expect([now, then]).to.deep.equal([0.178, 0.712])
    expect(extraDbUsd(5.25 * hourMs, step, undefined)).to.equal(2.8)
    const twice = stepUp({ ...rds, specs: { engine: 'postgres', multi_az: true } }, 4)!
    expect(extraDbUsd(5.25 * hourMs, twice, undefined)).to.equal(5.61)
    expect(extraDbUsd(hourMs, stepUp(rds, 1)!, undefined)).to.equal(0)
    // By the vCPU: from 2 to 8 it costs three times as much in addition.
    const flexible = { ...rds, type: 'azure-postgres', instanceType: 'Standard_D2ds_v5', specs: {} }
    const larger = stepUp(flexible, 4)!
    expect(extraDbUsd(2 * hourMs, larger, { usd: 0.25, units: 1 })).to.equal(1.5)
    expect(extraDbUsd(2 * hourMs, larger, undefined)).to.equal(undefined)
  })
})

describe('windows of plans', () => {
  it('overlap where both hold a moment', () => {
    const window = (from: string, to: string) => ({ from: new Date(from), to: new Date(to) })
    const held = window('2030-01-01T10:00Z', '2030-01-01T12:00Z')
    const others = [
      window('2030-01-01T12:00Z', '2030-01-01T13:00Z'),
      window('2030-01-01T09:00Z', '2030-01-01T10:00Z'),
      window('2030-01-01T11:59Z', '2030-01-01T13:00Z'),
      window('2030-01-01T09:00Z', '2030-01-01T10:01Z'),
      window('2030-01-01T10:30Z', '2030-01-01T11:00Z'),
      window('2030-01-01T09:00Z', '2030-01-01T13:00Z'),
    ]
    expect(others.map((other) => overlaps(held, other))).to.deep.equal([false, false, true, true, true, true])
  })
})
