import { expect } from 'chai'
import { anomalyBreakdown } from '#analytics/anomaly/questions.ts'
import { findServiceNames } from '#analytics/attribution/service-name.ts'
import { forecastCharges } from '#analytics/forecast/questions.ts'
import { run } from '#analytics/store/query.ts'
import { testClickHouse } from '#test/harness/clickhouse.ts'
import { deepIt } from '#test/harness/tier.ts'
import { covered } from '#test/http/report/committed.ts'
import { reportWorld } from '#test/http/report/world.ts'

const january = 'from=2026-01-01&to=2026-01-31'
const breakdown = (query: string) => `/reports/costs/breakdown?${january}&${query}`

describe('the cost flow', () => {
  const world = reportWorld()
  const { line, billed, planted, data, refused } = world

  /** Scenario S-07: 60 and 40 in two regions of aws, 25 in one of gcp. */
  const three = planted(() => [
    line('1', '60', { RegionId: 'us-east-1', ResourceId: 'r1', ResourceType: 'aws-ec2' }),
    line('2', '40', { RegionId: 'us-west-2', ResourceId: 'r2', ResourceType: 'aws-rds', x_Day: '2026-01-02' }),
    line('3', '25', {
      RegionId: 'europe-west1',
      x_Provider: 'gcp',
      ResourceId: 'r3',
      ResourceType: 'gcp-vm',
      x_Day: '2026-01-31',
    }),
    line('4', '99', { x_Day: '2026-02-01' }),
  ])

  it('has a node for each value on each path and a link for each step [REP-03] [REP-07] [REP-08] [REP-09] S-07', async () => {
    three()
    expect(await data(breakdown('dims=provider,region'))).to.deep.equal({
      nodes: [
        { id: 'aws', dim: 'provider', valueUSD: 100 },
        { id: 'gcp', dim: 'provider', valueUSD: 25 },
        { id: 'aws|us-east-1', dim: 'region', valueUSD: 60 },
        { id: 'aws|us-west-2', dim: 'region', valueUSD: 40 },
        { id: 'gcp|europe-west1', dim: 'region', valueUSD: 25 },
      ],
      links: [
        { source: 'aws', target: 'aws|us-east-1', valueUSD: 60 },
        { source: 'aws', target: 'aws|us-west-2', valueUSD: 40 },
        { source: 'gcp', target: 'gcp|europe-west1', valueUSD: 25 },
      ],
      totalUSD: 125,
    })
  })

  deepIt(
    'has providers that are no cloud as other, each by its name, in filters too',
    billed(
      () => [
        line('1', '60', { ServiceName: 'Compute' }),
        line('2', '40', { x_Provider: 'Oracle', ServiceName: 'Compute' }),
        line('3', '25', { x_Provider: 'Snowflake', ServiceName: 'Warehouse' }),
        line('4', '5', { x_Provider: 'other' }),
      ],
      async () => {
        const values = async (query: string) => {
          const { nodes, totalUSD } = await data(breakdown(query))
          return [...nodes.map(({ id, valueUSD }: any) => `${id} ${valueUSD}`), totalUSD]
        }
        expect(await values('dims=provider')).to.deep.equal(['other 70', 'aws 60', 130])
        const all = ['AWS 60', 'Oracle 40', 'Snowflake 25', '(none) 5', 130]
        expect(await values('dims=service_provider')).to.deep.equal(all)
        const others = ['Oracle 40', 'Snowflake 25', '(none) 5', 70]
        expect(await values('dims=service_provider&provider=other')).to.deep.equal(others)
        expect(
          await values('dims=provider&filter[service_provider]=Oracle&filter[service_provider]=AWS'),
        ).to.deep.equal(['aws 60', 'other 40', 100])
        expect(await values('dims=provider&filter[provider]=other&filter[service_provider]=(none)')).to.deep.equal([
          'other 5',
          5,
        ])
        expect(await values('dims=provider&provider=aws&filter[service_provider]=Oracle')).to.deep.equal([0])
        const summary = await data(`/reports/providers/summary?${january}`)
        expect(Object.entries(summary).map(([name, { costUSD }]: any) => [name, costUSD])).to.deep.equal([
          ['aws', 60],
          ['other', 70],
        ])
        const { items, totalUSD } = await data(`/reports/receipt?${january}&filter[service_provider]=Oracle`)
        expect([
          totalUSD,
          items.map(({ provider, serviceProvider }: any) => [provider, serviceProvider]),
        ]).to.deep.equal(['40', [['other', 'Oracle']]])
      },
    ),
  )

  it('orders its levels as the dimensions are ordered [REP-06]', async () => {
    three()
    const flow = await data(breakdown('dims=region,provider'))
    expect(flow.links).to.deep.equal([
      { source: 'us-east-1', target: 'us-east-1|aws', valueUSD: 60 },
      { source: 'us-west-2', target: 'us-west-2|aws', valueUSD: 40 },
      { source: 'europe-west1', target: 'europe-west1|gcp', valueUSD: 25 },
    ])
    expect(flow.totalUSD).to.equal(125)
  })

  it('lets out of every inner node what comes in, and sums to its total [REP-10]', async () => {
    three()
    const { nodes, links, totalUSD } = await data(breakdown('dims=provider,region,resource_type'))
    const sum = (some: { valueUSD: number }[]) => some.reduce((total, { valueUSD }) => total + valueUSD, 0)
    for (const { id, valueUSD } of nodes.filter((node: any) => node.dim === 'region')) {
      expect(sum(links.filter((link: any) => link.target === id)), id).to.equal(valueUSD)
      expect(sum(links.filter((link: any) => link.source === id)), id).to.equal(valueUSD)
    }
    expect(sum(links.filter((link: any) => link.source.includes('|')))).to.equal(125)
    expect(totalUSD).to.equal(125)
  })

  it('takes values of one filter as alternatives and filters of several dimensions together [REP-11]', async () => {
    three()
    const total = async (query: string) => (await data(breakdown(`dims=provider&${query}`))).totalUSD
    const cases: readonly [query: string, costUSD: number][] = [
      ['filter[provider]=aws', 100],
      ['filter[provider]=aws&filter[provider]=gcp', 125],
      ['filter[provider]=aws&filter[provider]=gcp&filter[region]=us-east-1', 60],
      ['filter[resource_type]=gcp-vm', 25],
      ['filter[resource_uid]=r2', 40],
      ['filter[team_id]=core', 0],
      ['filter[provider]=cloud-b', 25],
      ['provider=cloud-a,gcp&filter[provider]=gcp', 25],
      ['provider=aws&filter[provider]=gcp', 0],
    ]
    const totals = await Promise.all(cases.map(([query]) => total(query)))
    expect(totals).to.deep.equal(cases.map(([, costUSD]) => costUSD))
  })

  it(
    'takes each dimension alone and shows what has no value [REP-04]',
    billed(
      () => [line('1', '1.5'), line('2', '-0.25', { ChargeCategory: 'Credit', ServiceName: 'a|b 100%' })],
      async () => {
        const ids = async (dim: string) =>
          (await data(breakdown(`dims=${dim}`))).nodes.map((n: any) => [n.id, n.valueUSD, n.label])
        expect(await ids('provider')).to.deep.equal([['aws', 1.25, undefined]])
        expect(await ids('cloud_account_id')).to.deep.equal([['acct-1', 1.25, 'Production']])
        expect(await ids('region')).to.deep.equal([['(none)', 1.25, undefined]])
        expect(await ids('resource_type')).to.deep.equal([['(none)', 1.25, undefined]])
        expect(await ids('service_name')).to.deep.equal([
          ['compute', 1.5, undefined],
          ['a%7Cb 100%25', -0.25, undefined],
        ])
        expect(await ids('purchase_type')).to.deep.equal([['on_demand', 1.25, undefined]])
        expect(await ids('team_id')).to.deep.equal([['unassigned', 1.25, 'Unassigned']])
        expect((await data(breakdown('dims=provider&filter[region]=(none)'))).totalUSD).to.equal(1.25)
      },
    ),
  )

  const uids = Array.from({ length: 203 }, (_, i) => `r${String(i + 1).padStart(3, '0')}`)
  const many = () => [
    ...uids.map((uid, i) => line(uid, 1000 - i, { ResourceId: uid, RegionId: 'eu' })),
    line('us', '5', { ResourceId: 'u|1', RegionId: 'us' }),
  ]

  it(
    'follows the flow down to resources, with their names, the 200 dearest of each parent and the rest together [REP-05]',
    billed(many, async () => {
      await world.discovered('r001', { name: 'web|1' })
      const { nodes, links, totalUSD } = await data(breakdown('dims=region,resource_uid&filter[provider]=aws'))
      const inEu = nodes.filter((n: any) => n.id.startsWith('eu|'))
      expect(inEu).to.have.length(201)
      expect(inEu.slice(0, 3)).to.deep.equal([
        // 800 + 799 + 798
        { id: 'eu|(other)', dim: 'resource_uid', valueUSD: 2397 },
        { id: 'eu|r001', dim: 'resource_uid', label: 'web|1', valueUSD: 1000 },
        { id: 'eu|r002', dim: 'resource_uid', valueUSD: 999 },
      ])
      expect(nodes.at(-1)).to.deep.equal({ id: 'us|u%7C1', dim: 'resource_uid', valueUSD: 5 })
      expect(links).to.have.length(202)
      // 1000 + 999 + ... + 798 = 203 x 899, and 5
      expect(totalUSD).to.equal(182502)
    }),
  )

  it('names the parameter that is wrong [REP-04] [REP-05]', async () => {
    expect(await refused(breakdown('dims=colour'))).to.deep.equal(['dims: enum'])
    expect(await refused(breakdown(''))).to.deep.equal(['group_by: required'])
    expect(await refused(breakdown('dims='))).to.deep.equal(['dims: minItems'])
    expect(await refused(breakdown('dims=region,region'))).to.deep.equal(['dims: uniqueItems'])
    expect(
      await refused(
        breakdown('dims=provider,region,cloud_account_id,service_name,purchase_type,team_id,resource_type'),
      ),
    ).to.deep.equal(['dims: maxItems'])
    expect(await refused(breakdown('dims=resource_uid'))).to.deep.equal(['dims: resource_uid'])
    expect(await refused(breakdown('dims=resource_uid,region&filter[provider]=aws'))).to.deep.equal([
      'dims: resource_uid',
    ])
    expect(await refused(breakdown('dims=region&filter[colour]=red'))).to.deep.equal([
      'filter[colour]: unknown_parameter',
    ])
    expect(await refused('/reports/costs/breakdown?dims=region&from=2026-02-01&to=2026-01-01')).to.deep.equal([
      'from: range',
    ])
  })

  it(
    'rounds its total half away from zero and nothing else',
    billed(
      () => [line('1', '0.0049999'), line('2', '0.0000001', { RegionId: 'eu' })],
      async () => {
        const flow = await data(breakdown('dims=region'))
        expect(flow.nodes.map((n: any) => n.valueUSD)).to.deep.equal([0.0049999, 0.0000001])
        expect(flow.totalUSD).to.equal(0.01)
      },
    ),
  )

  it('is empty for an organization without costs', async () => {
    expect(await data(breakdown('dims=provider,region'))).to.deep.equal({ nodes: [], links: [], totalUSD: 0 })
  })
})

describe('services that formats of bills call differently', () => {
  const world = reportWorld({}, undefined, undefined, findServiceNames)
  const { line, billed, data } = world
  const services = async (query = 'dims=service_name') =>
    (await data(breakdown(query))).nodes.map(({ id, valueUSD }: any) => `${id} ${valueUSD}`)
  const explorer = () => [
    line('1', '8', { ServiceName: 'Amazon Elastic Compute Cloud - Compute' }),
    line('2', '4', { ServiceName: 'EC2 - Other' }),
  ]

  it(
    'keep the names of a bill that has one format alone',
    billed(explorer, async () => {
      expect(await services()).to.deep.equal(['Amazon Elastic Compute Cloud - Compute 8', 'EC2 - Other 4'])
    }),
  )

  deepIt(
    'are one by the name of FOCUS where bills have several, by whichever name they are asked for; receipts keep that of the bill',
    billed(
      () => [
        ...explorer(),
        line('3', '2', { ServiceName: 'AmazonEC2' }),
        line('4', '1', { ServiceName: 'Amazon Elastic Compute Cloud' }),
        line('5', '16', { ServiceName: 'AmazonS3' }),
      ],
      async () => {
        const one = 'Amazon Elastic Compute Cloud 15'
        expect(await services()).to.deep.equal(['AmazonS3 16', one])
        expect(await services('dims=service_name&filter[service_name]=AmazonEC2')).to.deep.equal([one])
        const { series } = await data(`/reports/costs/series?${january}&dims=service_name&granularity=monthly`)
        expect(series.map(({ key, costUSD }: any) => [key.service_name, costUSD])).to.deep.equal([
          ['AmazonS3', 16],
          ['Amazon Elastic Compute Cloud', 15],
        ])
        const { dimensions } = await data(`/reports/drivers?${january}`)
        const { rises } = dimensions.find(({ dimension }: any) => dimension === 'service_name')
        expect(rises.map(({ key, deltaUSD }: any) => [key, deltaUSD])).to.deep.equal([
          ['AmazonS3', 16],
          ['Amazon Elastic Compute Cloud', 15],
        ])
        const { items, totalUSD } = await data(
          `/reports/receipt?${january}&filter[service_name]=Amazon Elastic Compute Cloud`,
        )
        expect([totalUSD, items.map(({ serviceName }: any) => serviceName)]).to.deep.equal([
          '15',
          ['Amazon Elastic Compute Cloud - Compute', 'EC2 - Other', 'AmazonEC2', 'Amazon Elastic Compute Cloud'],
        ])
      },
    ),
  )

  const [code, name] = ['AmazonEC2', 'Amazon Elastic Compute Cloud']
  const uses = { ConsumedQuantity: '10' }

  deepIt(
    'are one in the reports of commitments and forecasts, and in what anomalies are made of',
    billed(
      () => [
        line('r1', 5, covered('ri-1', { ...uses, ServiceName: code, ResourceId: 'i-1' })),
        line('r2', 3, covered('ri-1', { ...uses, ServiceName: name, ResourceId: 'i-2' })),
        line('m1', 7, { ServiceName: code, x_Day: '2025-12-01' }),
        line('m2', 7, { ServiceName: name, x_Day: '2026-01-01' }),
        line('a1', 6, { ServiceName: code, x_Day: '2026-01-10' }),
        line('a2', 5, { ServiceName: name, x_Day: '2026-01-10' }),
        line('a3', 8, { ServiceName: 'AmazonS3', x_Day: '2026-01-10' }),
      ],
      async () => {
        const { items } = await data(`/reports/commitments?${january}`)
        expect(items.map(({ serviceName, usedUSD }: any) => [serviceName, usedUSD])).to.deep.equal([[name, '8']])
        const ch = await testClickHouse()
        const names = await findServiceNames((q, params) => run(ch, q, params), world.org)
        const days = { ...forecastCharges.example, org: world.org, from: '2025-12-01' }
        const seldom = (await run(ch, forecastCharges, { ...days, ...names })).filter((row) => row.seldom === 1)
        expect(seldom.map((row) => [row.day, row.service_name, row.cost_usd])).to.have.deep.members([
          ['2025-12-01', name, '7'],
          ['2026-01-01', name, '7'],
          ['2026-01-10', name, '11'],
          ['2026-01-10', 'AmazonS3', '8'],
        ])
        expect(new Set(seldom.map((row) => row.stream)).size).to.equal(2)
        const asked = { ...anomalyBreakdown.example, org: world.org, to: '2026-01-10', dim_keys: [world.org] }
        const [found] = await run(ch, anomalyBreakdown, { ...asked, ...names })
        expect([found!.spike_service, found!.spike_service_usd]).to.deep.equal([name, 11])
      },
    ),
  )
})
