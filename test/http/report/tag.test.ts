import { expect } from 'chai'
import { reportWorld } from '#test/http/report/world.ts'
import { deepIt } from '#test/harness/tier.ts'

const january = 'from=2026-01-01&to=2026-01-31'
const sum = (items: readonly { costUSD: number }[]) => items.reduce((total, { costUSD }) => total + costUSD, 0)

describe('tag reports', () => {
  const world = reportWorld()
  const { line, bill, billed, planted, data, discovered } = world
  let version = 0

  const accept = (resource_uid: string, source: 'smart' | 'auto', tags: Record<string, string>) =>
    world.insert('accepted_tag', [{ org_id: world.org, resource_uid, source, tags, x_Version: String(++version) }])
  /** r1 60 with env=prod of the cloud, r2 40 and r3 25 without tags. */
  const three = () => [
    line('1', '60', { ResourceId: 'r1', ResourceType: 'aws-ec2' }),
    line('2', '40', { ResourceId: 'r2', ResourceType: 'aws-rds' }),
    line('3', '25', { ResourceId: 'r3', x_Provider: 'gcp', ResourceType: 'gcp-vm', x_Day: '2026-01-31' }),
  ]
  const found = () => Promise.all([discovered('r1', { tags: { env: 'prod' } }), discovered('r2'), discovered('r3')])
  const threeAlone = planted(three)
  /** For tests that only read it. */
  const shown = async () => {
    threeAlone()
    await found()
  }
  const pairs = (query = january) => data(`/reports/tags?unit=pairs&${query}`)
  const keys = (query = january) => data(`/reports/tags?${query}`)
  const tags = async (query?: string) =>
    (await pairs(query)).items.map(
      ({ tagKey, tagValue, tagSource, costUsd, resourceCount }: any) =>
        `${tagKey}=${tagValue} ${tagSource} ${costUsd} ${resourceCount}`,
    )

  it('list pairs with what they cost and what has no tag [REP-35] [REP-36] S-09', async () => {
    await world.shared(shown)
    expect(await pairs()).to.deep.equal({
      items: [
        {
          tagKey: 'env',
          tagValue: 'prod',
          tagSource: 'cloud',
          costUsd: 60,
          savingsUsd: 0,
          resourceCount: 1,
          prevCostUsd: 0,
        },
      ],
      total: 1,
      page: 1,
      limit: 20,
      totalCostUsd: 125,
      totalSavingsUsd: 0,
      untaggedCostUsd: 65,
      untaggedCount: 2,
      period: '2026-01',
      hasBilling: true,
      costSourceLabel: 'billing',
    })
  })

  deepIt('say what all tagged resources cost to the cent [REP-34] G-07', async () => {
    await discovered('r1', { tags: { env: 'prod' } })
    await bill(line('1', '77.0850000001', { ResourceId: 'r1' }))
    expect((await keys()).taggedCostUsd).to.equal(77.09)
  })

  it(
    'count a suggestion once it is accepted, and not where the cloud says otherwise [REP-34] [REP-45] S-09',
    billed(three, async () => {
      await found()
      await accept('r2', 'auto', { env: 'dev' })
      expect(await tags()).to.deep.equal(['env=prod cloud 60 1', 'env=dev auto 40 1'])
      expect(await pairs()).to.deep.include({ total: 2, untaggedCostUsd: 25, untaggedCount: 1, totalCostUsd: 125 })
      expect(await keys()).to.deep.equal({
        items: [{ tagKey: 'env', coverage: { tagged: 2, untagged: 1 }, costUSD: 100, percentOfTotal: 80 }],
        total: 1,
        page: 1,
        limit: 20,
        hasMore: false,
        taggedCostUsd: 100,
      })
      await discovered('r2', { tags: { env: 'qa' } })
      expect(await tags()).to.deep.equal(['env=prod cloud 60 1', 'env=qa cloud 40 1'])
    }),
  )

  it(
    'take each key from the first source that has it: cloud, smart, auto [REP-45]',
    billed(three, async () => {
      await found()
      await accept('r1', 'smart', { env: 'smart', loc: 'eu' })
      await accept('r1', 'auto', { env: 'auto', loc: 'us', noStop: 'true' })
      await accept('r2', 'auto', { loc: 'eu' })
      expect(await tags()).to.deep.equal([
        'env=prod cloud 60 1',
        'loc=eu smart 60 1',
        'noStop=true auto 60 1',
        'loc=eu auto 40 1',
      ])
      await accept('r1', 'smart', {})
      expect(await tags()).to.deep.equal([
        'env=prod cloud 60 1',
        'loc=us auto 60 1',
        'noStop=true auto 60 1',
        'loc=eu auto 40 1',
      ])
    }),
  )

  it(
    'cover the resources that cost something in the range or were there [REP-34]',
    billed(
      () => [line('1', '5', { ResourceId: 'r1' }), line('2', '3', { ResourceId: 'unknown' }), line('3', '2')],
      async () => {
        await discovered('r1', { tags: { env: 'prod', owner: 'ana' } })
        await discovered('idle', { tags: { env: 'dev' } })
        await discovered('plain')
        await discovered('left', { tags: { env: 'dev' }, deleted_at: '2025-12-31 23:59:59.000' })
        await discovered('leaving', { tags: { env: 'dev' }, deleted_at: '2026-01-01 00:00:00.000' })
        await discovered('later', { tags: { env: 'dev' }, first_seen_at: '2026-02-01 00:00:00.000' })
        const { items, taggedCostUsd } = await keys()
        expect(items).to.deep.equal([
          { tagKey: 'env', coverage: { tagged: 3, untagged: 2 }, costUSD: 5, percentOfTotal: 50 },
          { tagKey: 'owner', coverage: { tagged: 1, untagged: 4 }, costUSD: 5, percentOfTotal: 50 },
        ])
        expect(taggedCostUsd).to.equal(5)
        const { untaggedCount, untaggedCostUsd, totalCostUsd } = await pairs()
        expect([untaggedCount, untaggedCostUsd, totalCostUsd]).to.deep.equal([2, 5, 10])
        expect((await keys('from=2026-02-01&to=2026-02-28')).items[0].coverage).to.deep.equal({
          tagged: 3,
          untagged: 1,
        })
      },
    ),
  )

  deepIt(
    'say what tagged resources cost only when both totals are known, and the rest always [REP-37]',
    billed(three, async () => {
      await found()
      const { taggedCostUsd, ...rest } = await keys()
      expect(taggedCostUsd).to.equal(60)
      const { untaggedCostUsd, totalCostUsd } = await pairs()
      expect(taggedCostUsd + untaggedCostUsd).to.equal(totalCostUsd)
      expect(rest.items).to.deep.equal([
        { tagKey: 'env', coverage: { tagged: 1, untagged: 2 }, costUSD: 60, percentOfTotal: 48 },
      ])
      world.fail('cost_total')
      expect(await keys()).to.deep.equal({
        ...rest,
        items: [{ tagKey: 'env', coverage: { tagged: 1, untagged: 2 }, costUSD: 60 }],
      })
      world.fail('tag_totals')
      const without = await keys()
      expect(without).to.not.have.property('taggedCostUsd')
      expect(without.items.map((item: any) => [item.tagKey, item.costUSD, item.coverage.tagged])).to.deep.equal([
        ['env', 60, 1],
      ])
    }),
  )

  deepIt('say no percentage of costs that credits bring to nothing', async () => {
    await discovered('r1', { tags: { env: 'prod' } })
    await bill(line('1', '5', { ResourceId: 'r1' }), line('2', '-5', { ResourceId: 'unknown' }))
    expect((await keys()).items).to.deep.equal([{ tagKey: 'env', coverage: { tagged: 1, untagged: 1 }, costUSD: 5 }])
  })

  deepIt('are read a page at a time [REP-34] [REP-36]', async () => {
    await discovered('r1', { tags: { a: '1', b: '2', c: '3' } })
    await bill(line('1', '60', { ResourceId: 'r1' }))
    expect((await keys('limit=2')).items.map((item: any) => item.tagKey)).to.deep.equal(['a', 'b'])
    const last = await keys('limit=2&page=2')
    expect([last.items.map((item: any) => item.tagKey), last.total, last.hasMore]).to.deep.equal([['c'], 3, false])
    const second = await pairs('limit=2&page=2')
    expect([second.items.map((item: any) => item.tagKey), second.total]).to.deep.equal([['c'], 3])
    expect(await pairs('limit=2&page=9')).to.deep.include({ items: [], total: 3, page: 9, limit: 2 })
  })

  deepIt(
    'compare a pair with as many days directly before, and name the range [REP-35] [REP-36]',
    billed(three, async () => {
      await found()
      const before = { ResourceId: 'r1' }
      await bill(
        line('4', '7', { ...before, x_Day: '2025-12-01' }),
        line('5', '2', { ...before, x_Day: '2025-12-31' }),
        line('6', '100', { ...before, x_Day: '2025-11-30' }),
      )
      const compared = async (query: string) => {
        const { items, period } = await pairs(query)
        return [items[0].costUsd, items[0].prevCostUsd, period]
      }
      expect(await compared(january)).to.deep.equal([60, 9, '2026-01'])
      expect(await compared('from=2026-01-15&to=2026-01-15')).to.deep.equal([60, 0, '2026-01-15..2026-01-15'])
      expect(await compared('from=2026-01-01&to=2026-01-30')).to.deep.equal([60, 2, '2026-01-01..2026-01-30'])
      expect(await compared('from=2025-12-01&to=2026-01-31')).to.deep.equal([69, 100, '2025-12-01..2026-01-31'])
      expect(await compared('from=2025-12-01&to=2025-12-31')).to.deep.equal([9, 100, '2025-12'])
    }),
  )

  deepIt('say whether their costs are billed or estimated [REP-36]', async () => {
    const source = async () => {
      const { hasBilling, costSourceLabel } = await pairs()
      return `${hasBilling} ${costSourceLabel}`
    }
    await bill(line('1', '60', { ResourceId: 'r1', x_Source: 'estimate' }))
    expect(await source()).to.equal('false estimated')
    await bill(line('2', '40', { ResourceId: 'r2' }))
    expect(await source()).to.equal('true mixed')
    await bill(line('3', '59', { ResourceId: 'r1' }))
    expect(await source()).to.equal('true billing')
    expect((await pairs('from=2025-01-01&to=2025-01-31')).hasBilling).to.equal(false)
  })

  it(
    'list the values of a key, and the resources behind each with what they cost [REP-38] [REP-39]',
    billed(three, async () => {
      await found()
      await accept('r2', 'smart', { env: 'prod' })
      await accept('r3', 'auto', { env: 'dev' })
      expect(await data(`/reports/tags/env?${january}`)).to.deep.equal([
        { tagValue: 'prod', costUSD: 100, resourceCount: 2 },
        { tagValue: 'dev', costUSD: 25, resourceCount: 1 },
      ])
      expect(await data(`/reports/tags/none?${january}`)).to.deep.equal([])
      const resources = (query: string) => data(`/reports/tags/env/values/prod/resources?${january}&${query}`)
      const { items, ...page } = await resources('')
      expect(page).to.deep.equal({ total: 2, page: 1, limit: 20, hasMore: false })
      expect(items).to.deep.equal([
        { resourceUid: 'r1', resourceName: 'r1', resourceType: 'aws-ec2', provider: 'aws', costUSD: 60 },
        { resourceUid: 'r2', resourceName: 'r2', resourceType: 'aws-rds', provider: 'aws', costUSD: 40 },
      ])
      const second = await resources('limit=1&page=2')
      expect([second.items[0].resourceUid, second.total, second.hasMore]).to.deep.equal(['r2', 2, false])
    }),
  )

  deepIt(
    'give a series by key, value, provider and type that sums to what the value costs [REP-40]',
    billed(three, async () => {
      await found()
      await accept('r3', 'auto', { env: 'prod' })
      const total = async (query: string) => sum((await data(`/reports/tags/trends?${january}&${query}`)).items)
      expect([await total(''), await total('tag_key=env'), await total('tag_key=env&tag_value=prod')]).to.deep.equal([
        125, 85, 85,
      ])
      expect((await data(`/reports/tags/env?${january}`))[0].costUSD).to.equal(85)
      expect(await total('tag_key=env&tag_value=prod&provider=aws')).to.equal(60)
      expect(await total('tag_key=env&type=gcp-vm')).to.equal(25)
      expect(await total('tag_key=env&type=gcp-vm&resource_type=aws-ec2')).to.equal(85)
      expect(await total('tag_key=env&tag_value=qa')).to.equal(0)
      const monthly = await data('/reports/tags/trends?from=2026-01-01&to=2026-01-31&tag_key=env&granularity=monthly')
      expect(monthly.items.map(({ date }: any) => date)).to.deep.equal(['2026-01'])
      const { items } = await data('/reports/tags/trends?from=2026-01-14&to=2026-01-16&tag_key=env')
      expect(items).to.deep.equal([
        { date: '2026-01-14', costUSD: 0 },
        { date: '2026-01-15', costUSD: 60 },
        { date: '2026-01-16', costUSD: 0 },
      ])
    }),
  )

  deepIt(
    'read keys and values percent-encoded, also a key that is called trends [REP-38] [REP-39]',
    billed(
      () => [line('1', '60', { ResourceId: 'r1' })],
      async () => {
        await discovered('r1', { tags: { trends: 'up', 'aws:team/x y': 'a&b=100%|é' } })
        expect(await data(`/reports/tags/%74rends?${january}`)).to.deep.equal([
          { tagValue: 'up', costUSD: 60, resourceCount: 1 },
        ])
        expect(await data(`/reports/tags/trends?${january}`)).to.have.property('items')
        const [key, value] = ['aws:team/x y', 'a&b=100%|é'].map(encodeURIComponent)
        expect(await data(`/reports/tags/${key}?${january}`)).to.deep.equal([
          { tagValue: 'a&b=100%|é', costUSD: 60, resourceCount: 1 },
        ])
        expect((await data(`/reports/tags/${key}/values/${value}/resources?${january}`)).items[0].costUSD).to.equal(60)
        expect((await data('/reports/tags/%74rends/values/up/resources')).total).to.equal(1)
      },
    ),
  )

  deepIt('take the tags of a resource that the inventory does not know from its newest bill [REP-45]', async () => {
    const of = (id: string, day: string, Tags: object) => line(id, '10', { ResourceId: 'r9', x_Day: day, Tags })
    await bill(of('1', '2026-01-02', { env: 'new' }), of('2', '2026-01-01', { env: 'old', owner: 'ana' }))
    expect(await tags()).to.deep.equal(['env=new cloud 20 1'])
    await bill(of('3', '2026-01-03', {}))
    expect(await tags()).to.deep.equal(['env=new cloud 30 1'])
    await discovered('r9', { tags: { team: 'core' } })
    expect(await tags()).to.deep.equal(['team=core cloud 30 1'])
  })

  // Filters of chance (sums.test.ts) are asked of every report, by tags too.
  deepIt('narrow every report by tags, all of which must hold [REP-40]', async () => {
    await discovered('r1', { tags: { env: 'prod', owner: 'ana' } })
    await discovered('r2', { tags: { env: 'dev', owner: 'ana' } })
    await bill(line('1', '60', { ResourceId: 'r1' }), line('2', '40', { ResourceId: 'r2' }), line('3', '25'))
    const costs = async (...given: string[]) => {
      const query = given.map((tag) => `tag=${encodeURIComponent(tag)}`).join('&')
      const { totalUSD } = await data(`/reports/costs/breakdown?${january}&dims=region&${query}`)
      const { totalCostUSD } = await data(`/reports/summary?${query}`)
      return [...new Set([totalUSD, totalCostUSD, sum(await data(`/reports/teams?${january}&${query}`))])]
    }
    expect(await costs('env:prod')).to.deep.equal([60])
    expect(await costs('owner')).to.deep.equal([100])
    expect(await costs('owner:ana', 'env:dev')).to.deep.equal([40])
    expect(await costs('owner', 'env:qa')).to.deep.equal([0])
    expect(await costs('env:prod', 'env')).to.deep.equal([60])
    expect(await costs('env:prod', 'env:prod')).to.deep.equal([60])
    expect(await costs('env:prod', 'env:dev')).to.deep.equal([0])
    const behind = (query: string) => data(`/reports/tags/env/values/prod/resources?${january}&${query}`)
    expect((await behind('tag=env:dev')).total).to.equal(0)
    expect((await behind('tag=env&tag=owner:ana')).total).to.equal(1)
    expect(sum((await data(`/reports/tags/trends?${january}&tag=env:dev&tag_key=env`)).items)).to.equal(40)
  })

  describe('with savings', () => {
    const saved = (resource_uid: string, day: string, amount: string, more: object = {}) => ({
      org_id: world.org,
      day,
      cloud_account_id: 'acct-1',
      resource_uid,
      source: 'schedule',
      source_id: 's1',
      provider: 'aws',
      resource_type: 'aws-ec2',
      purchase_type: 'on_demand',
      saved: amount,
      x_Version: String(++version),
      ...more,
    })
    /** r1 saves 12.40 in two ways on two days, r2 1.10; and 7 in another month. */
    const saving = () =>
      world.insert('saving_daily', [
        saved('r1', '2026-01-15', '10'),
        saved('r1', '2026-01-15', '2', { source: 'recommendation', source_id: 'rec' }),
        saved('r1', '2026-01-16', '0.4'),
        saved('r2', '2026-01-15', '1.1', { resource_type: 'aws-rds', purchase_type: 'spot' }),
        saved('r1', '2025-12-31', '7'),
      ])
    const bills = planted(three)
    const savedThree = async () => {
      bills()
      await found()
      await saving()
    }
    beforeEach(() => world.shared(savedThree))

    it('show them in the summary, by day and by period, with costs as they are [REP-01] [REP-15] [REP-17]', async () => {
      expect(await data('/reports/summary')).to.deep.include({ totalCostUSD: 125, totalSavingsUSD: 13.5 })
      const { items } = await data('/reports/trends?from=2026-01-14&to=2026-01-16')
      expect(items.map((item: any) => [item.costUSD, item.savingsUSD])).to.deep.equal([
        [0, 0],
        [100, 13.1],
        [0, 0.4],
      ])
      const history = await data('/reports/cost-history?from=2025-12-01&to=2026-01-31&granularity=monthly')
      expect(history.items).to.deep.equal([
        { period: '2025-12', costUSD: 0, savingsUSD: 7 },
        { period: '2026-01', costUSD: 125, savingsUSD: 13.5 },
      ])
    })

    deepIt('show them at every grain of costs, ordered by them on demand [REP-24]', async () => {
      const rows = async (query: string) =>
        (await data(`/reports/costs/resources?${january}&sort_by=savings_usd&${query}`)).items.map(
          (row: any) => `${row.key ?? `${row.date} ${row.resourceUid}`} ${row.costUSD} ${row.savingsUSD}`,
        )
      expect(await rows('')).to.deep.equal([
        '2026-01-15 r1 60 12',
        '2026-01-15 r2 40 1.1',
        '2026-01-16 r1 0 0.4',
        '2026-01-31 r3 25 0',
      ])
      expect(await rows('group_by=resource')).to.deep.equal(['r1 60 12.4', 'r2 40 1.1', 'r3 25 0'])
      expect(await rows('group_by=resource&sort_order=asc')).to.deep.equal(['r3 25 0', 'r2 40 1.1', 'r1 60 12.4'])
      expect(await rows('group_by=purchase_type')).to.deep.equal(['on_demand 125 12.4', 'spot 0 1.1'])
      expect(await rows('group_by=resource_type')).to.deep.equal(['aws-ec2 60 12.4', 'aws-rds 40 1.1', 'gcp-vm 25 0'])
    })

    deepIt('show them by tag, narrowed as costs are, and nowhere as a cost [REP-35] [REP-36]', async () => {
      const { items, totalSavingsUsd } = await pairs()
      expect([items[0].costUsd, items[0].savingsUsd, totalSavingsUsd]).to.deep.equal([60, 12.4, 13.5])
      const savings = async (query: string) => (await data(`/reports/summary?${query}`)).totalSavingsUSD
      expect(await savings('resource_type=aws-rds')).to.equal(1.1)
      expect([await savings('tag=env:prod'), await savings('team_id=unassigned')]).to.deep.equal([12.4, 13.5])
      expect(await savings('cloud_account_id=acct-2')).to.equal(0)
      const december = 'from=2025-12-01&to=2025-12-31'
      const flow = await data(`/reports/costs/breakdown?${december}&dims=region`)
      expect(flow).to.deep.equal({ nodes: [], links: [], totalUSD: 0 })
      expect(await data(`/reports/teams?${december}`)).to.deep.equal([])
      expect((await data(`/reports/teams/trends?${december}`)).items).to.deep.equal([])
    })
  })
})
