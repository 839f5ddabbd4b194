import { expect } from 'chai'
import { findSpellings } from '#analytics/tagging/spelling.ts'
import { amount, deepIt, isDeep } from '#test/harness/tier.ts'
import { reportWorld } from '#test/http/report/world.ts'

const january = 'from=2026-01-01&to=2026-01-31'

describe('tags of lines without a resource in the inventory', () => {
  const world = reportWorld()
  const { line, billed, data, discovered } = world
  const accept = (resource_uid: string, source: 'smart' | 'auto', tags: Record<string, string>) =>
    world.insert('accepted_tag', [{ org_id: world.org, resource_uid, source, tags, x_Version: '1' }])
  const pairs = () => data(`/reports/tags?unit=pairs&${january}`)
  const keys = () => data(`/reports/tags?${january}`)
  const tags = async () =>
    (await pairs()).items.map(
      ({ tagKey, tagValue, tagSource, costUsd, resourceCount }: any) =>
        `${tagKey}=${tagValue} ${tagSource} ${costUsd} ${resourceCount}`,
    )

  const mixed = () => [
    line('1', '60', { ResourceId: 'r1', Tags: { env: 'old' } }),
    line('2', '10', { Tags: { team: 'core', env: 'prod' } }),
    line('3', '5', { Tags: { env: 'dev', team: '' } }),
    line('4', '2.5', {}),
    line('5', '20', { ResourceId: 'r9', Tags: { env: 'prod' } }),
    line('6', '1.5', { Tags: { env: 'prod', team: 'core' } }),
  ]
  const seen = async () => {
    await discovered('r1', { tags: { env: 'prod' } })
  }

  it(
    'are those of the bill, in every report alike [G-117]',
    billed(mixed, async () => {
      await seen()
      expect(
        (await keys()).items.map(({ tagKey, costUSD, coverage }: any) => [tagKey, costUSD, coverage]),
      ).to.deep.equal([
        ['env', 96.5, { tagged: 2, untagged: 0 }],
        ['team', 11.5, { tagged: 0, untagged: 2 }],
      ])
      expect(await tags()).to.deep.equal(['env=prod cloud 91.5 2', 'team=core cloud 11.5 0', 'env=dev cloud 5 0'])
      expect(await pairs()).to.deep.include({ untaggedCostUsd: 2.5, untaggedCount: 0, totalCostUsd: 99 })
      expect(await data(`/reports/tags/env?${january}`)).to.deep.equal([
        { tagValue: 'prod', costUSD: 91.5, resourceCount: 2 },
        { tagValue: 'dev', costUSD: 5, resourceCount: 0 },
      ])
      const { nodes } = await data(`/reports/costs/breakdown?${january}&dims=tag:env`)
      expect(nodes.map(({ id, valueUSD }: any) => [id, valueUSD])).to.have.deep.members([
        ['prod', 91.5],
        ['dev', 5],
        ['(none)', 2.5],
      ])
      const { items } = await data(`/reports/tags/env/values/prod/resources?${january}`)
      expect(items.map(({ resourceUid, costUSD }: any) => [resourceUid, costUSD])).to.deep.equal([
        ['r1', 60],
        ['r9', 20],
        ['(none)', 11.5],
      ])
    }),
  )

  deepIt(
    'are shown by receipts with where each is from [G-117]',
    billed(mixed, async () => {
      await seen()
      await accept('r1', 'smart', { location: 'fra' })
      const { items, totalUSD } = await data(`/reports/receipt?${january}&filter[tag:env]=prod`)
      expect(totalUSD).to.equal('91.5')
      const core = { key: 'team', value: 'core', origin: 'bill' }
      const prod = { key: 'env', value: 'prod' }
      expect(items.map((item: any) => [item.lineId, item.costUSD, item.tags])).to.deep.equal([
        [
          '1',
          '60',
          [
            { ...prod, origin: 'cloud' },
            { key: 'location', value: 'fra', origin: 'smart' },
          ],
        ],
        ['2', '10', [{ ...prod, origin: 'bill' }, core]],
        ['5', '20', [{ ...prod, origin: 'bill' }]],
        ['6', '1.5', [{ ...prod, origin: 'bill' }, core]],
      ])
      const untagged = await data(`/reports/receipt?${january}&untagged=true`)
      expect([untagged.totalUSD, untagged.items.map(({ lineId }: any) => lineId)]).to.deep.equal(['2.5', ['4']])
    }),
  )
})

describe('tag keys of any signs', () => {
  const world = reportWorld()
  const { line, billed, data, meta } = world
  const keys = ['aws:cloudformation:stack-name', 'cost center', 'a,b', 'R&D', 'x]y', 'a=b', 'größe', '\\:']
  /** As all parameters take it: a backslash before colons, commas and backslashes. */
  const written = (key: string) => encodeURIComponent(key.replaceAll(/[\\:,]/g, String.raw`\$&`))
  const each = () => [
    ...keys.map((key, at) => line(`${at}`, 2 ** at, { Tags: { [key]: 'v:1' } })),
    line('rest', 512, { ServiceName: 'Other' }),
  ]

  it(
    'are named by tag, filter and dims in every report alike, and one that nothing has is said',
    billed(each, async () => {
      for (const [at, key] of keys.slice(0, amount(1, 8, 8)).entries()) {
        const tag = `${january}&tag=${written(key)}:v:1`
        const filter = `${january}&filter[tag:${written(key)}]=v:1`
        expect((await data(`/reports/summary?${tag}`)).totalCostUSD, key).to.equal(2 ** at)
        expect((await data(`/reports/summary?${filter}`)).totalCostUSD, key).to.equal(2 ** at)
        const { nodes } = await data(
          `/reports/costs/breakdown?${january}&dims=provider,tag:${written(key)}&tag=${written(key)}`,
        )
        expect(nodes.map(({ id, valueUSD }: any) => [id, valueUSD])).to.deep.equal([
          ['aws', 2 ** at],
          ['aws|v:1', 2 ** at],
        ])
        const { items } = await data(`/reports/trends?${filter}&granularity=monthly`)
        expect(items.map(({ costUSD }: any) => costUSD)).to.deep.equal([2 ** at])
      }
      // An unescaped key of one part goes on ending at its first colon.
      const asked = 'tag=aws:cloudformation:stack-name:v'
      expect((await meta(`/reports/summary?${january}&${asked}`)).unknownTagKey).to.deep.equal({
        key: 'aws',
        nearest: ['aws:cloudformation:stack-name', 'a,b', 'a=b'],
      })
      expect(await meta(`/reports/costs/breakdown?${january}&dims=tag:cost center`)).not.to.have.property(
        'unknownTagKey',
      )
      expect((await meta(`/reports/costs/breakdown?${january}&dims=tag:Cost`)).unknownTagKey.nearest[0]).to.equal(
        'cost center',
      )
    }),
  )

  it(
    'and every other filter of the breakdown narrow trends, history and summary alike',
    billed(each, async () => {
      const query = `${january}&granularity=monthly&filter[service_name]=Other`
      const total = async (path: string) => (await data(`/reports/${path}?${query}`)).items[0].costUSD
      expect([await total('trends'), await total('cost-history')]).to.deep.equal([512, 512])
      const summary = await data(`/reports/summary?${january}&filter[service_name]=Other`)
      expect([summary.totalCostUSD, summary.resourceCount]).to.deep.equal([512, 0])
    }),
  )
})

describe('tag keys of Azure', () => {
  const world = reportWorld({}, undefined, undefined, findSpellings)
  const { line, billed, data, discovered } = world
  const azure = (id: string, cost: string, more: object) => line(id, cost, { x_Provider: 'azure', ...more })
  /** 18 dollars of Azure under one key in four spellings. */
  const four = () => [
    azure('1', '10', { ResourceId: 'z1' }),
    azure('2', '5', { ResourceId: 'z2' }),
    azure('3', '2', { Tags: { COSTCENTER: '7' } }),
    azure('4', '1', { Tags: { CostCenter: '7', costCenter: '7' } }),
  ]
  const found = async () => {
    const seen = (uid: string, key: string, observed_at: string) =>
      discovered(uid, { provider: 'azure', tags: { [key]: '7' }, observed_at })
    await seen('z1', 'CostCenter', '2026-01-10 00:00:00.000')
    await seen('z2', 'Costcenter', '2026-01-20 00:00:00.000')
  }
  const keys = async () =>
    (await data(`/reports/tags?${january}`)).items.map(({ tagKey, costUSD, coverage }: any) => [
      tagKey,
      costUSD,
      coverage.tagged,
    ])
  /** What each report says of a key: of its values, by it, and narrowed to it. */
  const of = async (key: string) => {
    const values = await data(`/reports/tags/${key}?${january}`)
    const { nodes } = await data(`/reports/costs/breakdown?${january}&dims=tag:${key}`)
    const { totalCostUSD } = await data(`/reports/summary?${january}&tag=${key}:7`)
    const receipt = await data(`/reports/receipt?${january}&tag=${key}:7`)
    return [
      values.map(({ tagValue, costUSD }: any) => `${tagValue} ${costUSD}`).join(),
      nodes.find(({ id }: any) => id === '7')?.valueUSD,
      totalCostUSD,
      receipt.totalUSD,
    ]
  }

  it(
    'mean the same in every case, are shown in their newest spelling, and count a line once [G-117]',
    billed(four, async () => {
      await found()
      expect(await keys()).to.deep.equal([['Costcenter', 18, 2]])
      const more = { source: 'smart', tags: { Owner: 'ana' }, x_Version: '1' }
      await world.insert('accepted_tag', [{ org_id: world.org, resource_uid: 'z1', ...more }])
      expect(await keys()).to.deep.equal([
        ['Costcenter', 18, 2],
        ['Owner', 10, 1],
      ])
      for (const key of ['costcenter', 'CostCenter', 'Costcenter'].slice(0, amount(1, 3, 3)))
        expect(await of(key)).to.deep.equal(['7 18', 18, 18, '18'])
      const { items } = await data(`/reports/tags?unit=pairs&${january}`)
      expect(items.map(({ tagKey, tagValue, costUsd }: any) => [tagKey, tagValue, costUsd])).to.deep.equal([
        ['Costcenter', '7', 18],
        ['Owner', 'ana', 10],
      ])
    }),
  )

  deepIt(
    'are one key of resources that bills alone know, of which one has two spellings',
    billed(
      () =>
        ['App', 'APP', 'app']
          .map((key, at) => azure(key, '10', { ResourceId: `b${at}`, Tags: { [key]: 'shop' } }))
          .concat(azure('both', '10', { ResourceId: 'b3', Tags: { App: 'shop', app: 'shop' } })),
      async () => {
        expect(await keys()).to.deep.equal([['app', 40, 4]])
        expect((await data(`/reports/summary?${january}&tag=APP:shop`)).totalCostUSD).to.equal(40)
      },
    ),
  )

  deepIt(
    'are those of other clouds under each spelling that these have, whose own keys stay apart [G-117]',
    billed(
      () => [...four(), line('5', '100', { ResourceId: 'r1' }), line('6', '30', { ResourceId: 'r2' })],
      async () => {
        await found()
        await discovered('r1', { tags: { CostCenter: '7' } })
        await discovered('r2', { tags: { costcenter: '7' } })
        expect(await keys()).to.deep.equal([
          ['CostCenter', 118, 3],
          ['costcenter', 48, 3],
        ])
        if (isDeep) expect(await of('CostCenter')).to.deep.equal(['7 118', 118, 118, '118'])
        expect(await of('costcenter')).to.deep.equal(['7 48', 48, 48, '48'])
      },
    ),
  )
})
