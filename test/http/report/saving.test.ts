import { expect } from 'chai'
import { sample } from '#test/harness/tier.ts'
import { reportWorld } from './world.ts'

describe('savings of reports by what they rest on', () => {
  const world = reportWorld()
  const chosen = reportWorld({ reportSavings: 'verified' })
  const january = 'from=2026-01-01&to=2026-01-31'
  const row = (org: string, day: string, source_id: string, more: object) => ({
    org_id: org,
    day,
    cloud_account_id: 'acct-1',
    resource_uid: 'r1',
    source: 'recommendation',
    source_id,
    provider: 'aws',
    resource_type: 'aws-ec2',
    x_Version: '1',
    ...more,
  })
  /** One claim proved on the first day alone, one that is observed, one that is estimated; what bills prove may be below nothing. */
  const saved = (org: string) => [
    row(org, '2026-01-10', 'a', { saved: '4', estimated: '5', observed: '4', verified: '3.5' }),
    row(org, '2026-01-11', 'a', { saved: '4', estimated: '5', observed: '4', verified: null, reason: 'not_closed' }),
    row(org, '2026-01-11', 'b', { saved: '2', estimated: null, observed: '2', verified: '-0.25' }),
    row(org, '2026-01-11', 'c', { saved: '0.4', estimated: '0.4' }),
  ]
  const expected = { reported: [4, 6.4], estimated: [5, 5.4], observed: [4, 6], verified: [3.5, -0.25] }
  const modes = Object.entries(expected)
  const sum = (values: readonly number[]) => values.reduce((some, one) => some + one, 0)
  const plantIn = (one: typeof world) => async () => {
    await Promise.all([one.insert('saving_daily', saved(one.org)), one.discovered('r1', { tags: { env: 'prod' } })])
  }
  const [plant, plantChosen] = [plantIn(world), plantIn(chosen)]
  beforeEach(() => world.shared(plant))

  // Filters of chance (sums.test.ts) are asked of every basis.
  for (const [mode, days] of sample(modes))
    it(`shows those that are ${mode} alike in every report, and says so beside them`, async () => {
      const asked = `${january}&savings=${mode}`
      const groups = ['resource', 'resource_type', 'tag:env']
      const paths = [
        `trends?from=2026-01-10&to=2026-01-11&savings=${mode}`,
        `summary?${asked}`,
        `cost-history?${asked}&granularity=monthly`,
        `costs/resources?${asked}&sort_by=date&sort_order=asc`,
        `tags?${asked}&unit=pairs`,
        ...groups.map((group) => `costs/resources?${asked}&group_by=${group}`),
      ]
      const [trends, summary, months, byDay, pairs, ...grouped] = await Promise.all(
        paths.map((path) => world.data(`/reports/${path}`)),
      )
      expect(trends.items.map((item: any) => item.savingsUSD)).to.deep.equal(days)
      expect(summary.totalSavingsUSD).to.equal(sum(days))
      expect(months.items.map((item: any) => item.savingsUSD)).to.deep.equal([sum(days)])
      expect(byDay.items.map((item: any) => item.savingsUSD)).to.deep.equal(days)
      for (const [at, { items }] of grouped.entries())
        expect(
          items.map((item: any) => item.savingsUSD),
          groups[at],
        ).to.deep.equal([sum(days)])
      expect([pairs.totalSavingsUsd, pairs.items[0].savingsUsd]).to.deep.equal([sum(days), sum(days)])
      const shown = ['summary', 'trends', 'cost-history', 'costs/resources', 'tags']
      const metas = await Promise.all(shown.map((path) => world.meta(`/reports/${path}?${asked}`)))
      for (const [at, { savings }] of metas.entries()) expect(savings, shown[at]).to.equal(mode)
    })

  it('shows what the operator chose unless it is asked for another', async () => {
    await chosen.shared(plantChosen)
    const total = async (query: string) => (await chosen.data(`/reports/summary?${january}${query}`)).totalSavingsUSD
    expect([await total(''), await total('&savings=reported')]).to.deep.equal([3.25, 10.4])
    expect((await chosen.meta(`/reports/trends?${january}`)).savings).to.equal('verified')
  })

  it('refuses a word that names none, and names the parameter', async () => {
    for (const path of ['summary', 'trends', 'cost-history', 'costs/resources', 'tags'])
      expect(await world.refused(`/reports/${path}?savings=proved`), path).to.deep.equal(['savings: enum'])
  })

  it('shows a role that sees another account none of them', async () => {
    world.seeOnly({ cloudAccountIDs: ['acct-2'] })
    expect((await world.data(`/reports/summary?${january}&savings=verified`)).totalSavingsUSD).to.equal(0)
  })
})
