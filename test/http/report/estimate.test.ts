import { expect } from 'chai'
import { reportWorld } from '#test/http/report/world.ts'
import { deepIt, sample } from '#test/harness/tier.ts'

const january = 'from=2026-01-01&to=2026-01-31'

describe('how much of the costs of a report is estimated', () => {
  const world = reportWorld()
  const { line, bill, billed, restate, meta } = world

  const actual = (id: string, cost: number, more: object = {}) => line(id, cost, { x_Day: '2026-01-10', ...more })
  const estimate = (id: string, cost: number, more: object = {}) => actual(id, cost, { x_Source: 'estimate', ...more })
  const of = async (path: string): Promise<unknown[]> => {
    const said = await meta(path)
    return [said.estimatedUSD, said.estimatedShare]
  }

  it(
    'is half where half of a month is estimates, until the bill has actual lines for them',
    billed(
      () => [actual('1', 50, { ResourceId: 'r1' }), estimate('2', 50, { ResourceId: 'r2', x_Day: '2026-01-20' })],
      async () => {
        expect(await of(`/reports/trends?${january}`)).to.deep.equal([50, 0.5])
        await bill(actual('3', 40, { ResourceId: 'r2', x_Day: '2026-01-20' }))
        expect(await of(`/reports/trends?${january}`)).to.deep.equal([0, 0])
        expect((await world.data(`/reports/summary?${january}`)).totalCostUSD).to.equal(90)
      },
    ),
  )

  it(
    'is exact where one service has both on a day',
    billed(
      () => [actual('1', 2, { ResourceId: 'r1' }), estimate('2', 1, { ResourceId: 'r2' })],
      async () => {
        // A third, to four places.
        const paths = ['summary', 'providers/summary', 'cost-history', 'teams', 'costs/resources', 'tags', 'drivers']
        for (const path of sample(paths))
          expect(await of(`/reports/${path}?${january}`), path).to.deep.equal([1, 0.3333])
        expect(await of('/reports/summary?period=2026-01')).to.deep.equal([1, 0.3333])
        expect(await of('/reports/summary?period=2025-12')).to.deep.equal([0, 0])
        expect(await of('/reports/trends?from=2026-01-11&to=2026-01-31')).to.deep.equal([0, 0])
      },
    ),
  )

  deepIt(
    'is of what filters, paths and roles leave',
    billed(
      () => [
        actual('1', 60, { ResourceId: 'r1', Tags: { env: 'prod' } }),
        estimate('2', 20, { ResourceId: 'r2', ServiceName: 'storage', Tags: { env: 'prod' } }),
        estimate('3', 20, { ResourceId: 'r3', x_CloudAccountId: 'acct-2', RegionId: 'eu-1' }),
      ],
      async () => {
        for (const uid of ['r1', 'r2']) await world.discovered(uid, { tags: { env: 'prod' } })
        await world.team('t-1', 'Web')
        await world.assign('t-1', 'r2')
        const cases: readonly [path: string, usd: number, share: number][] = [
          [`/reports/trends?${january}`, 40, 0.4],
          [`/reports/trends?${january}&cloud_account_id=acct-1`, 20, 0.25],
          [`/reports/trends?${january}&region=eu-1`, 20, 1],
          [`/reports/trends?${january}&tag=env:prod`, 20, 0.25],
          [`/reports/costs/breakdown?${january}&dims=provider&filter[service_name]=compute`, 20, 0.25],
          [`/reports/costs/breakdown?${january}&dims=provider&filter[resource_uid]=r1`, 0, 0],
          [`/reports/costs/breakdown?${january}&dims=provider&filter[tag:env]=prod`, 20, 0.25],
          [`/reports/teams/t-1?${january}`, 20, 1],
          [`/reports/teams/t-1/resources?${january}`, 20, 1],
          [`/reports/tags/env?${january}`, 20, 0.25],
          [`/reports/tags/env/values/prod/resources?${january}`, 20, 0.25],
          [`/reports/tags/trends?${january}&tag_key=env&tag_value=dev`, 0, 0],
          [`/reports/drivers?${january}&filter[service_name]=storage`, 20, 1],
        ]
        const asked = sample(cases, 5)
        const shares = await Promise.all(asked.map(([path]) => of(path)))
        for (const [at, [path, usd, share]] of asked.entries()) expect(shares[at], path).to.deep.equal([usd, share])
        world.seeOnly({ cloudAccountIDs: ['acct-1'] })
        expect(await of(`/reports/trends?${january}`)).to.deep.equal([20, 0.25])
        world.seeOnly({ teamIDs: ['t-1'] })
        expect(await of(`/reports/trends?${january}`)).to.deep.equal([20, 1])
      },
    ),
  )

  deepIt('is what it was at an earlier time', async () => {
    await world.insert('cost_fact', [estimate('1', 30, { ResourceId: 'r1' })])
    await restate('2026-01-10', new Date('2026-01-15T04:00:00Z'))
    await world.insert('cost_fact', [actual('2', 25, { ResourceId: 'r1' })])
    await restate('2026-01-10', new Date('2026-01-16T05:00:00Z'))
    expect(await of(`/reports/trends?${january}`)).to.deep.equal([0, 0])
    expect(await of(`/reports/trends?${january}&asOf=2026-01-15T12:00:00Z`)).to.deep.equal([30, 1])
  })

  it(
    'is no share where credits leave less than what is estimated',
    billed(
      () => [actual('1', -25, { ResourceId: 'r1' }), estimate('2', 20, { ResourceId: 'r2' })],
      async () => {
        expect(await of(`/reports/trends?${january}`)).to.deep.equal([20, null])
      },
    ),
  )

  it(
    'is said of the cost that is shown, and not where figures are of other things',
    billed(
      () => [actual('1', 30), estimate('2', 10, { ResourceId: 'r2', EffectiveCost: '30' })],
      async () => {
        expect(await of(`/reports/trends?${january}&cost=effective`)).to.deep.equal([30, 0.5])
        for (const path of sample(['commitments', 'receipt', 'anomalies'], 1))
          expect(await meta(`/reports/${path}?${january}`), path).not.to.have.property('estimatedUSD')
        const invoice = `/reports/costs/breakdown?${january}&dims=provider&filter[invoice_id]=i`
        expect(await meta(invoice)).not.to.have.property('estimatedUSD')
      },
    ),
  )
})
