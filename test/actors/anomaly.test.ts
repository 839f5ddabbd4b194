import { expect } from 'chai'
import { anomalyActor } from '#actors/anomaly/actor.ts'
import { judgeDay } from '#actors/anomaly/rule.ts'
import type { Static } from '#engine/schema.ts'
import { anomalyCleared, anomalyFound } from '#streams/anomaly.ts'
import { MemoryActor } from '#test/harness/turn.ts'

const found = (date: string, actualUsd: number, more: Partial<Static<typeof anomalyFound.schema>> = {}) => ({
  ...anomalyFound.examples[0]!,
  date,
  actualUsd,
  ...more,
})
const series = () => new MemoryActor(anomalyActor, { place: '-', key: 'org|o1' })
const types = (emitted: { type: string }[]) => emitted.map(({ type }) => type)

describe('the judgement of a day', () => {
  const day = (actual: number, more = {}) =>
    judgeDay({ actual, expected: 100, prior_days: 30, prior_mean: 100, prior_deviation: 0, ...more })

  it('begins at each threshold itself [ANOM-13]', () => {
    const levels = [129.99, 130, 199.99, 200, 599.99, 600].map((actual) => day(actual)?.severity)
    expect(levels).to.deep.equal([undefined, 'warning', 'warning', 'critical', 'critical', 'emergency'])
  })

  it('hears the standard deviation from 2, 3 and 5 on, fourteen days and more than a tenth of the mean [ANOM-05] [ANOM-14] [ANOM-16] [ANOM-18]', () => {
    const at = (actual: number, sd: number, days = 14) => {
      const { severity, method } = day(actual, { prior_deviation: sd, prior_days: days })!
      return `${severity} ${method}`
    }
    expect([at(160, 20), at(159.9, 20), at(190, 18), at(189.9, 18), at(160, 20, 13)]).to.deep.equal([
      'critical zscore',
      'warning percent',
      'emergency zscore',
      'critical zscore',
      'warning percent',
    ])
    expect([at(160, 10), at(160, 10.001)]).to.deep.equal(['warning percent', 'emergency zscore'])
  })
})

describe('the anomalies of a dimension', () => {
  it('are stored under one id a day, and told of as the interface names them [ANOM-01] [ANOM-33]', () => {
    const { facts, emitted } = series().take(anomalyFound, found('2026-01-15', 200))
    expect(facts.map(({ table, row }) => [table, row.anomaly_type, row.severity, row.notified])).to.deep.equal([
      ['anomaly_state', 'org', 'critical', 1],
    ])
    expect(emitted).to.have.lengthOf(1)
    const [{ type, data }] = emitted as [any]
    expect([type, data.eventType, data.category, data.scope, data.data.anomalyID]).to.deep.equal([
      'cost.anomaly.critical',
      'cost.anomaly.critical',
      'cost_anomaly',
      { type: 'org', id: '' },
      facts[0]!.row.id,
    ])
    const team = found('2026-01-15', 200, { type: 'team', key: 't1', severity: 'warning' })
    expect(types(series().take(anomalyFound, team).emitted)).to.deep.equal(['cost.anomaly.team.warning'])
  })

  it('are told of in cents and percentages of two places, and kept as they are G-07', () => {
    const odd = { expectedUsd: 77.0850000001, deviationPercent: 145.3082559 }
    const topResources = [{ resourceUid: 'i-1', resourceName: 'web-1', costUSD: 12.3456, deltaUSD: 0.005 }]
    const { facts, emitted } = series().take(anomalyFound, found('2026-01-15', 189.095, { ...odd, topResources }))
    const [{ data }] = emitted as [any]
    expect(data.title).to.equal('Cost of Example Ltd: 189.10 US dollars on 2026-01-15, 145.31 % above 77.09')
    const { actualCostUsd, expectedCostUsd, deviationPercent } = data.data
    expect([actualCostUsd, expectedCostUsd, deviationPercent]).to.deep.equal([189.1, 77.09, 145.31])
    expect(data.data.topResources).to.deep.equal([{ ...topResources[0], costUSD: 12.35, deltaUSD: 0.01 }])
    expect([facts[0]!.row.actual_usd, facts[0]!.row.deviation_percent]).to.deep.equal([189.095, 145.3082559])
  })

  it('stay one record while the day grows, told of once; the daily run has the last word [ANOM-34]', () => {
    const one = series()
    const first = one.take(anomalyFound, found('2026-01-15', 140, { origin: 'running', severity: 'warning' }))
    const second = one.take(anomalyFound, found('2026-01-15', 190, { origin: 'running' }))
    const daily = one.take(anomalyFound, found('2026-01-15', 210))
    const late = one.take(anomalyFound, found('2026-01-15', 205, { origin: 'running' }))
    expect([first, second, daily, late].map(({ emitted }) => emitted.length)).to.deep.equal([1, 0, 0, 0])
    expect([first, second, daily].map(({ facts }) => facts[0]!.row.actual_usd)).to.deep.equal([140, 190, 210])
    expect(new Set([first, second, daily].map(({ facts }) => facts[0]!.row.id)).size).to.equal(1)
    expect(new Set([first, second, daily].map(({ facts }) => facts[0]!.row.created_at)).size).to.equal(1)
    expect(late.facts).to.deep.equal([])
  })

  it('are taken back when the running day found what the daily run does not, and only then', () => {
    const one = series()
    one.take(anomalyFound, found('2026-01-14', 200))
    one.take(anomalyFound, found('2026-01-15', 400, { origin: 'running' }))
    const kept = one.take(anomalyCleared, { type: 'org', key: 'o1', date: '2026-01-14' })
    const gone = one.take(anomalyCleared, { type: 'org', key: 'o1', date: '2026-01-15' })
    expect([kept.facts.length, gone.facts.map(({ row }) => [row.date, row.withdrawn])]).to.deep.equal([
      0,
      [['2026-01-15', 1]],
    ])
    expect(one.state.stored.map(({ date }) => date)).to.deep.equal(['2026-01-14'])
  })

  it('are taken back too when the day ended no higher than the anomaly before it [ANOM-30]', () => {
    const one = series()
    one.take(anomalyFound, found('2026-01-14', 200))
    one.take(anomalyFound, found('2026-01-15', 400, { origin: 'running' }))
    const daily = one.take(anomalyFound, found('2026-01-15', 210))
    expect(daily.facts.map(({ row }) => row.withdrawn)).to.deep.equal([1])
  })

  it('tell nothing while suppressed, and tell when more than new resources are behind it [ANOM-32]', () => {
    const one = series()
    const quiet = one.take(anomalyFound, found('2026-01-15', 200, { suppressed: true, origin: 'running' }))
    expect([quiet.emitted, quiet.facts[0]!.row.severity]).to.deep.equal([[], 'info'])
    expect(types(one.take(anomalyFound, found('2026-01-15', 300)).emitted)).to.deep.equal(['cost.anomaly.critical'])
  })

  it('are told of again on the seventh day, counted in days and not in records [ANOM-29]', () => {
    const one = series()
    const told = [200, 250, 320, 400].map((actual, i) => {
      const date = ['2026-01-15', '2026-01-18', '2026-01-21', '2026-01-22'][i]!
      return one.take(anomalyFound, found(date, actual)).emitted.length
    })
    expect(told).to.deep.equal([1, 0, 0, 1])
  })
})
