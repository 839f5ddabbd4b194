import { expect } from 'chai'
import { cents } from '#streams/figure.ts'
import { reportWorld } from '#test/http/report/world.ts'

const january = 'from=2026-01-01&to=2026-01-31'
/** Names of what is a total, stands alone or is a percentage; rows that add up to a total are called otherwise. */
const rounded = /^total.*usd$|^(un)?taggedCostUsd$|^(actual|expected)CostUsd$|percent|^deltaUSD$/i

describe('figures of reports', () => {
  const world = reportWorld()
  const { line, bill, data, discovered, team, assign } = world

  it('are totals to the cent and percentages to two places in every report, and rows exact G-07', async () => {
    await discovered('r1', { tags: { env: 'prod' } })
    await team('core', 'Core')
    await assign('core', 'r1')
    await bill(
      line('1', '77.0850000001', { ResourceId: 'r1', x_Day: '2026-01-10' }),
      line('2', '0.0049999', { ResourceId: 'r2', x_Day: '2026-01-10' }),
    )
    const top = [{ resourceUid: 'r1', resourceName: 'r1', costUSD: 77.0850000001, deltaUSD: 45.6549 }]
    await world.insert('anomaly_state', [
      {
        org_id: world.org,
        date: '2026-01-10',
        anomaly_type: 'org',
        anomaly_key: world.org,
        id: 'a-1',
        severity: 'critical',
        method: 'percent',
        actual_usd: 77.0899999,
        expected_usd: 31.4249999,
        deviation_percent: 145.3082559,
        top_resources: JSON.stringify(top),
        created_at: '2026-01-11 05:00:00.000',
        x_Version: '1',
      },
    ])
    const found: [path: string, name: string, value: number][] = []
    const walk = (path: string, name: string, value: unknown): void => {
      if (typeof value === 'number' && rounded.test(name)) found.push([path, name, value])
      if (typeof value === 'object' && value !== null)
        for (const [key, of] of Object.entries(value)) walk(path, key, of)
    }
    const paths = [
      'summary?',
      'costs/breakdown?dims=provider&',
      'tags?',
      'tags?unit=pairs&',
      'teams?',
      'anomalies?',
      'trends?',
    ]
    const answers = await Promise.all(
      paths.map((path) => data(`/reports/${path}${path === 'summary?' ? '' : january}`)),
    )
    for (const [at, path] of paths.entries()) walk(path, '', answers[at])
    for (const [path, name, value] of found) expect(value, `${name} of ${path}`).to.equal(cents(value))
    const of = (name: string) => found.filter(([, called]) => called === name).map(([, , value]) => value)
    expect(of('totalCostUSD')).to.deep.equal([77.09])
    expect(of('totalUSD')).to.deep.equal([77.09])
    expect(of('taggedCostUsd')).to.deep.equal([77.09])
    expect([of('totalCostUsd'), of('untaggedCostUsd')]).to.deep.equal([[77.09], [0]])
    // Of tag keys, then of teams.
    expect(of('percentOfTotal')).to.deep.equal([99.99, 99.99, 0.01])
    // The record, and the same numbers in the trend of its day.
    expect(of('deviationPercent')).to.deep.equal([145.31, 145.31])
    expect(of('actualCostUsd')).to.deep.equal([77.09, 77.09])
    expect(of('expectedCostUsd')).to.deep.equal([31.42, 31.42])
    expect(of('deltaUSD')).to.deep.equal([45.65])
    const core = await data(`/reports/teams/core?${january}`)
    expect([core.costUSD, core.byProvider[0].costUSD]).to.deep.equal([77.09, 77.0850000001])
  })
})
