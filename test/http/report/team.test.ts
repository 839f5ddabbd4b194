import { expect } from 'chai'
import { deepIt } from '#test/harness/tier.ts'
import { reportWorld } from '#test/http/report/world.ts'

const january = 'from=2026-01-01&to=2026-01-31'
const winter = 'from=2025-12-01&to=2026-01-31'
const sum = (items: readonly { costUSD: number }[]) => items.reduce((total, { costUSD }) => total + costUSD, 0)

describe('team reports', () => {
  const world = reportWorld()
  const { line, bill, billed, planted, data, team, assign } = world

  /** 60 and 40 of aws, 25 of gcp; r1 in Core, r2 in Web, r3 in no team. */
  const three = () => [
    line('1', '60', { RegionId: 'us-east-1', ResourceId: 'r1', ResourceType: 'aws-ec2' }),
    line('2', '40', { RegionId: 'us-west-2', ResourceId: 'r2', ResourceType: 'aws-rds', x_Day: '2026-01-02' }),
    line('3', '25', {
      RegionId: 'europe-west1',
      x_Provider: 'gcp',
      ResourceId: 'r3',
      ResourceType: 'gcp-vm',
      x_Day: '2026-01-31',
    }),
  ]
  const owned = () => Promise.all([team('core', 'Core'), team('web', 'Web'), assign('core', 'r1'), assign('web', 'r2')])
  const threeAlone = planted(three)
  /** For tests that only read it. */
  const shown = async () => {
    threeAlone()
    await owned()
  }
  const teams = (query = january) => data(`/reports/teams?${query}`)
  const shares = async (query = january) =>
    (await teams(query)).map((row: any) => `${row.teamName} ${row.costUSD} ${row.percentOfTotal}`)

  it('show what each team spent and its share, what has no team with them [REP-29] [REP-30] S-08', async () => {
    await world.shared(shown)
    expect(await teams()).to.deep.equal([
      { teamID: 'core', teamName: 'Core', costUSD: 60, resourceCount: 1, percentOfTotal: 48 },
      { teamID: 'web', teamName: 'Web', costUSD: 40, resourceCount: 1, percentOfTotal: 32 },
      { teamID: null, teamName: 'Unassigned', costUSD: 25, resourceCount: 1, percentOfTotal: 20 },
    ])
  })

  it(
    'follow a resource to its new team, for the whole range S-08',
    billed(three, async () => {
      await owned()
      await assign('core', 'r2')
      expect(await shares()).to.deep.equal(['Core 100 80', 'Unassigned 25 20'])
      await assign('', 'r1')
      expect(await shares()).to.deep.equal(['Unassigned 85 68', 'Core 40 32'])
    }),
  )

  deepIt('have shares that add up to 100, with odd amounts, credits and nothing at all [REP-29]', async () => {
    expect(await teams()).to.deep.equal([])
    await owned()
    await bill(...three(), line('4', '0.0000000003', { ResourceId: 'r3' }), line('5', '-15.37', { ResourceId: 'r2' }))
    const rows = await teams()
    expect(rows.map((row: any) => row.costUSD)).to.deep.equal([60, 25.0000000003, 24.63])
    const total = rows.reduce((all: number, row: any) => all + row.percentOfTotal, 0)
    expect(total).to.be.closeTo(100, 0.01)
    await bill(line('6', '-109.6300000003', { ResourceId: 'r1' }))
    expect(await shares()).to.deep.equal(['Unassigned 25.0000000003 0', 'Web 24.63 0', 'Core -49.6300000003 0'])
  })

  deepIt(
    'put what belongs to no resource under Unassigned, where it counts no resource [REP-30]',
    billed(three, async () => {
      await owned()
      await bill(line('4', '5', { ServiceName: 'tax' }), line('5', '7', { ServiceName: 'support' }))
      expect((await teams())[2]).to.deep.include({
        teamName: 'Unassigned',
        teamID: null,
        costUSD: 37,
        resourceCount: 1,
      })
    }),
  )

  deepIt(
    'divide a team by provider and type, in parts that add up to it; unassigned is one too [REP-31]',
    billed(three, async () => {
      await owned()
      await assign('core', 'r2', 'r3')
      expect(await data(`/reports/teams/core?${january}`)).to.deep.equal({
        teamID: 'core',
        teamName: 'Core',
        costUSD: 125,
        byProvider: [
          { provider: 'aws', costUSD: 100 },
          { provider: 'gcp', costUSD: 25 },
        ],
        byResourceType: [
          { resourceType: 'aws-ec2', costUSD: 60 },
          { resourceType: 'aws-rds', costUSD: 40 },
          { resourceType: 'gcp-vm', costUSD: 25 },
        ],
      })
      await bill(line('4', '5'))
      expect(await data(`/reports/teams/unassigned?${january}`)).to.deep.equal({
        teamID: null,
        teamName: 'Unassigned',
        costUSD: 5,
        byProvider: [{ provider: 'aws', costUSD: 5 }],
        byResourceType: [{ resourceType: '(none)', costUSD: 5 }],
      })
      expect(await data(`/reports/teams/web?${january}`)).to.deep.equal({
        teamID: 'web',
        teamName: 'Web',
        costUSD: 0,
        byProvider: [],
        byResourceType: [],
      })
    }),
  )

  it(
    'list the resources of a team, a page at a time, which add up to it [REP-32]',
    billed(three, async () => {
      await owned()
      await assign('core', 'r2')
      await world.discovered('r1', { name: 'web server' })
      const page = (query: string) => data(`/reports/teams/core/resources?${january}&${query}`)
      const first = await page('limit=1')
      expect(first).to.deep.equal({
        items: [
          { resourceUid: 'r1', resourceName: 'web server', resourceType: 'aws-ec2', provider: 'aws', costUSD: 60 },
        ],
        total: 2,
        page: 1,
        limit: 1,
        hasMore: true,
      })
      const second = await page('limit=1&page=2')
      expect([second.items[0].resourceName, second.hasMore]).to.deep.equal(['r2', false])
      expect(sum([...first.items, ...second.items])).to.equal((await data(`/reports/teams/core?${january}`)).costUSD)
      expect(await page('limit=1&page=3')).to.deep.include({ items: [], total: 2 })
      await bill(line('4', '5'))
      const { items } = await data(`/reports/teams/unassigned/resources?${january}`)
      expect(items.map((row: any) => `${row.resourceUid} ${row.costUSD}`)).to.deep.equal(['r3 25', '(none) 5'])
    }),
  )

  deepIt(
    'give each team by day, ISO week and month, with one sum [REP-33]',
    billed(three, async () => {
      await owned()
      await bill(line('4', '0.5', { ResourceId: 'r1', x_Day: '2026-01-02' }))
      const trends = (granularity: string) => data(`/reports/teams/trends?${january}&granularity=${granularity}`)
      expect(await trends('daily')).to.deep.equal({
        granularity: 'daily',
        items: [
          {
            teamID: 'core',
            teamName: 'Core',
            points: [
              { date: '2026-01-02', costUSD: 0.5 },
              { date: '2026-01-15', costUSD: 60 },
            ],
          },
          { teamID: null, teamName: 'Unassigned', points: [{ date: '2026-01-31', costUSD: 25 }] },
          { teamID: 'web', teamName: 'Web', points: [{ date: '2026-01-02', costUSD: 40 }] },
        ],
      })
      const weekly = await trends('weekly')
      expect(weekly.items.map(({ points }: any) => points.map((point: any) => point.date).join())).to.deep.equal([
        '2026-W01,2026-W03',
        '2026-W05',
        '2026-W01',
      ])
      for (const granularity of ['daily', 'weekly', 'monthly']) {
        const { items } = await trends(granularity)
        const points = items.map((item: any) => sum(item.points))
        expect(points, granularity).to.deep.equal([60.5, 25, 40])
      }
      expect((await trends('monthly')).items[0].points).to.deep.equal([{ date: '2026-01', costUSD: 60.5 }])
      expect(await world.refused('/reports/teams/trends?granularity=hourly')).to.deep.equal(['granularity: enum'])
    }),
  )

  deepIt(
    'leave the resources of a deleted team unassigned, but not in a month that a snapshot closed',
    billed(three, async () => {
      await owned()
      await bill(line('4', '10', { ResourceId: 'r1', x_Day: '2025-12-31' }))
      const closed = { org_id: world.org, period: 202512, x_Version: '1', created_at: '2026-01-03 05:00:00.000' }
      await world.insert('closed_assignment', [
        { org_id: world.org, period: 202512, resource_uid: 'r1', team_id: 'core' },
        { org_id: world.org, period: 202601, resource_uid: 'r3', team_id: 'web' },
      ])
      await world.insert('snapshot_state', [{ ...closed, total_cost_usd: '10', total_savings_usd: '0', resources: 1 }])
      await team('core', 'Core', 1)
      expect((await teams(winter)).map((row: any) => [row.teamID, row.teamName, row.costUSD])).to.deep.equal([
        [null, 'Unassigned', 85],
        ['web', 'Web', 40],
        ['core', 'Core', 10],
      ])
      expect((await data(`/reports/teams/core?${winter}`)).costUSD).to.equal(10)
      await assign('web', 'r1')
      expect((await teams(winter)).map((row: any) => `${row.teamName} ${row.costUSD}`)).to.deep.equal([
        'Web 100',
        'Unassigned 25',
        'Core 10',
      ])
    }),
  )

  deepIt(
    'keep what had no team in a closed month without one, whoever has it now',
    billed(three, async () => {
      await owned()
      const closed = { org_id: world.org, period: 202601, x_Version: '1', created_at: '2026-02-03 05:00:00.000' }
      await world.insert('snapshot_state', [{ ...closed, total_cost_usd: '125', total_savings_usd: '0', resources: 3 }])
      await world.insert('closed_assignment', [
        { org_id: world.org, period: 202601, resource_uid: 'r2', team_id: 'web' },
        { org_id: world.org, period: 202601, resource_uid: 'r1', team_id: '' },
      ])
      expect(await shares()).to.deep.equal(['Unassigned 85 68', 'Web 40 32'])
    }),
  )

  it('are named in the cost flow [REP-04]', async () => {
    await world.shared(shown)
    expect(await data(`/reports/costs/breakdown?${january}&dims=team_id,provider`)).to.deep.equal({
      nodes: [
        { id: 'core', dim: 'team_id', label: 'Core', valueUSD: 60 },
        { id: 'web', dim: 'team_id', label: 'Web', valueUSD: 40 },
        { id: 'unassigned', dim: 'team_id', label: 'Unassigned', valueUSD: 25 },
        { id: 'core|aws', dim: 'provider', valueUSD: 60 },
        { id: 'web|aws', dim: 'provider', valueUSD: 40 },
        { id: 'unassigned|gcp', dim: 'provider', valueUSD: 25 },
      ],
      links: [
        { source: 'core', target: 'core|aws', valueUSD: 60 },
        { source: 'web', target: 'web|aws', valueUSD: 40 },
        { source: 'unassigned', target: 'unassigned|gcp', valueUSD: 25 },
      ],
      totalUSD: 125,
    })
  })

  // Filters of chance (sums.test.ts) are asked of every report.
  deepIt('narrow every other report by team', async () => {
    await world.shared(shown)
    const costs = async (ids: string) => {
      const query = `${january}&team_id=${ids}`
      const totals = [
        (await data(`/reports/summary?team_id=${ids}`)).totalCostUSD,
        (await data(`/reports/costs/breakdown?${query}&dims=region`)).totalUSD,
        (
          await data(
            `/reports/costs/breakdown?${january}&dims=region&filter[team_id]=${ids.replace(',', '&filter[team_id]=')}`,
          )
        ).totalUSD,
        (await data(`/reports/tags?${query}&unit=pairs`)).totalCostUsd,
        sum((await data(`/reports/trends?${query}`)).items),
        sum((await data(`/reports/cost-history?${query}&granularity=monthly`)).items),
        sum((await data(`/reports/tags/trends?${query}`)).items),
        sum(await data(`/reports/teams?${query}`)),
        sum((await data(`/reports/teams/trends?${query}`)).items.flatMap((item: any) => item.points)),
        sum(Object.values(await data(`/reports/providers/summary?${query}`))),
      ]
      for (const grain of ['', '&group_by=resource', '&group_by=purchase_type', '&group_by=resource_type'])
        totals.push(sum((await data(`/reports/costs/resources?${query}${grain}`)).items))
      return [...new Set(totals)]
    }
    const all = { 'web,unassigned': 65, core: 60, nobody: 0 }
    for (const [ids, cost] of Object.entries(all)) expect(await costs(ids), ids).to.deep.equal([cost])
  })

  it('refuse a team that never was with 404', async () => {
    await world.shared(shown)
    for (const path of ['/reports/teams/nobody', '/reports/teams/nobody/resources'])
      expect(await world.missing(path), path).to.equal('not_found')
  })

  deepIt('are narrowed by the other filters as every report is', async () => {
    await world.shared(shown)
    expect(await shares(`${january}&provider=aws`)).to.deep.equal(['Core 60 60', 'Web 40 40'])
    expect(await shares(`${january}&region=us-west-2&resource_type=aws-rds`)).to.deep.equal(['Web 40 100'])
    expect(await shares('from=2026-01-03&to=2026-01-20')).to.deep.equal(['Core 60 100'])
  })
})
