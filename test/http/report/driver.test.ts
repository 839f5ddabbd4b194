import { expect } from 'chai'
import { plainOf, units } from '#streams/figure.ts'
import { deepIt } from '#test/harness/tier.ts'
import { reportWorld } from '#test/http/report/world.ts'

const week = 'from=2026-01-08&to=2026-01-14'
const [before, after] = ['2026-01-03', '2026-01-10']
const hours = (amount: number | string) => ({ ConsumedQuantity: String(amount), ConsumedUnit: 'Hrs' })

/** What is told of a value. */
type Told = [delta: number, usage: number | null, price: number | null, other: number, state: string]
const toldOf = (item: any): Told => [item.deltaUSD, item.usageUSD, item.priceUSD, item.otherUSD, item.state]

describe('what made costs rise and fall', () => {
  const world = reportWorld()
  const { line, bill, billed, planted, data, meta, refused } = world

  const ask = async (query = '') => (await data(`/reports/drivers?${week}${query}`)) as any
  const dimension = (answer: any, name: string) => answer.dimensions.find((one: any) => one.dimension === name)
  /** All values of a dimension that rose or fell, as they are told of. */
  const values = (answer: any, name: string): Record<string, Told> => {
    const { rises, falls } = dimension(answer, name)
    return Object.fromEntries([...rises, ...falls].map((item: any) => [item.key, toldOf(item)]))
  }

  let lines = 0
  /** A charge of a day. */
  const on = (x_Day: string, cost: number | string, more: Record<string, unknown> = {}) =>
    line(String(++lines), cost, { x_Day, ResourceId: 'r', RegionId: 'eu-1', ResourceType: 'aws-ec2', ...more })

  describe('of each resource', () => {
    type Charge = [cost: number | string, more?: Record<string, unknown>]
    const nothing = { ConsumedQuantity: undefined, ConsumedUnit: undefined }
    const cases: readonly [what: string, then: readonly Charge[], now: readonly Charge[], told: Told][] = [
      ['a price that was cut', [[20, hours(10)]], [[15, hours(10)]], [-5, 0, -5, 0, 'changed']],
      ['more use at the same price', [[20, hours(10)]], [[28, hours(14)]], [8, 8, 0, 0, 'changed']],
      // 5 hours more at 2, and 15 hours each dearer by 1.
      ['more use at a higher price', [[20, hours(10)]], [[45, hours(15)]], [25, 10, 15, 0, 'changed']],
      ['less use at a higher price', [[20, hours(10)]], [[12, hours(4)]], [-8, -12, 4, 0, 'changed']],
      // A third of a dollar for one unit more, cut to 10^-8.
      ['a price without end', [[1, hours(3)]], [[1.5, hours(4)]], [0.5, 0.33333333, 0.16666667, 0, 'changed']],
      ['what is new', [], [[7, hours(7)]], [7, 7, 0, 0, 'new']],
      ['what is gone', [[9, hours(3)]], [], [-9, -9, 0, 0, 'gone']],
      ['a use that was free', [[0, hours(10)]], [[5, hours(10)]], [5, 0, 5, 0, 'changed']],
      ['what has no quantity', [[5, nothing]], [[6, nothing]], [1, null, null, 1, 'changed']],
      [
        'what has no quantity any more',
        [[5, hours(5)]],
        [[6, { ...nothing, ConsumedUnit: 'Hrs' }]],
        [1, null, null, 1, 'changed'],
      ],
      [
        'a quantity without a unit',
        [[5, { ConsumedQuantity: '5' }]],
        [[6, { ConsumedQuantity: '6' }]],
        [1, null, null, 1, 'changed'],
      ],
      ['a negative quantity', [[5, hours(5)]], [[-6, hours(-6)]], [-11, null, null, -11, 'changed']],
      [
        'credits, whatever they count',
        [[-4, { ...hours(2), ChargeCategory: 'Credit' }]],
        [[-6, { ...hours(3), ChargeCategory: 'Credit' }]],
        [-2, null, null, -2, 'changed'],
      ],
      // 2 hours more at 2; 10 GB fewer at 0.5 and 30 GB each dearer by 0.1: never hours and GB together.
      [
        'hours and gigabytes',
        [
          [20, hours(10)],
          [20, { ConsumedQuantity: '40', ConsumedUnit: 'GB-Mo' }],
        ],
        [
          [24, hours(12)],
          [18, { ConsumedQuantity: '30', ConsumedUnit: 'GB-Mo' }],
        ],
        [2, -1, 3, 0, 'changed'],
      ],
      // The tax is of a known use, but no use itself.
      [
        'a known and an unknown charge',
        [
          [20, hours(10)],
          [2, { ChargeCategory: 'Tax' }],
        ],
        [
          [30, hours(15)],
          [3, { ChargeCategory: 'Tax' }],
        ],
        [11, 10, 0, 1, 'changed'],
      ],
      // Covered by a commitment it is the same use at another price.
      [
        'use that a reservation covers now',
        [[20, hours(10)]],
        [
          [
            0,
            {
              ...hours(10),
              x_PurchaseType: 'reserved',
              CommitmentDiscountId: 'ri-1',
              CommitmentDiscountStatus: 'Used',
            },
          ],
        ],
        [-20, 0, -20, 0, 'changed'],
      ],
    ]
    /** Each case is a resource of one organization. */
    const all = planted(() =>
      cases.flatMap(([, then, now], n) => [
        ...then.map(([cost, more]) => on(before, cost, { ResourceId: `r${n}`, ...more })),
        ...now.map(([cost, more]) => on(after, cost, { ResourceId: `r${n}`, ...more })),
      ]),
    )
    let answer: Promise<Record<string, Told>> | undefined
    const answered = async () => {
      all()
      return values(await ask('&limit=50'), 'resource_uid')
    }
    for (const [n, [what, , , told]] of cases.entries())
      it(`tells ${what} by use and price`, async () => {
        expect((await (answer ??= answered()))[`r${n}`]).to.deep.equal(told)
      })
  })

  it(
    'tells each dimension of the same difference, the largest first',
    billed(
      () => [
        on(before, 20, { ResourceId: 'r1', ...hours(10) }),
        on(after, 45, { ResourceId: 'r1', ...hours(15) }),
        on(before, 9, {
          ResourceId: 'r2',
          ServiceName: 'storage',
          RegionId: 'eu-2',
          ResourceType: 'aws-s3',
          SubAccountId: '222222222222',
          ...hours(1),
        }),
        on(after, 3, { ResourceId: 'r3', ServiceName: 'queue', RegionId: '', ResourceType: '', ...hours(1) }),
      ],
      async () => {
        await world.discovered('r1', { name: 'web' })
        const answer = await ask()
        const [told, gone, fresh]: Told[] = [
          [25, 10, 15, 0, 'changed'],
          [-9, -9, 0, 0, 'gone'],
          [3, 3, 0, 0, 'new'],
        ]
        expect(answer.total).to.deep.equal({
          costUSD: 48,
          previousUSD: 29,
          deltaUSD: 19,
          deltaPercent: 65.52,
          usageUSD: 4,
          priceUSD: 15,
          otherUSD: 0,
          anomaly: null,
        })
        expect(values(answer, 'service_name')).to.deep.equal({ compute: told, queue: fresh, storage: gone })
        expect(values(answer, 'cloud_account_id')).to.deep.equal({ 'acct-1': [19, 4, 15, 0, 'changed'] })
        expect(values(answer, 'sub_account')).to.deep.equal({
          '(none)': [28, 13, 15, 0, 'changed'],
          '222222222222': gone,
        })
        expect(values(answer, 'region')).to.deep.equal({ 'eu-1': told, '(none)': fresh, 'eu-2': gone })
        expect(values(answer, 'resource_type')).to.deep.equal({ 'aws-ec2': told, '(none)': fresh, 'aws-s3': gone })
        const resources = dimension(answer, 'resource_uid')
        expect(resources.rises.map((item: any) => [item.key, item.label])).to.deep.equal([
          ['r1', 'web'],
          ['r3', 'r3'],
        ])
        expect(resources.falls.map(toldOf)).to.deep.equal([gone])
        expect(dimension(answer, 'cloud_account_id').rises[0].label).to.equal('Production')
        expect((await meta(`/reports/drivers?${week}`)).compared).to.deep.equal({
          from: '2026-01-01',
          to: '2026-01-07',
        })
      },
    ),
  )

  deepIt('shows no more than is asked for, and says what it leaves out', async () => {
    await bill(...[1, 2, 4].map((cost) => on(after, cost, { ResourceId: `up-${cost}` })))
    await bill(...[8, 16, 32].map((cost) => on(before, cost, { ResourceId: `down-${cost}` })))
    await bill(on(before, 5), on(after, 5))
    const { rises, falls, rest } = dimension(await ask('&limit=2'), 'resource_uid')
    expect([rises, falls].map((items) => items.map((item: any) => item.key))).to.deep.equal([
      ['up-4', 'up-2'],
      ['down-32', 'down-16'],
    ])
    expect(rest).to.deep.equal({ rises: 1, falls: 1, deltaUSD: -7 })
  })

  deepIt(
    'tells what moved to another account from what came to cost something else',
    billed(
      () => [on(before, 20, hours(10)), on(after, 20, { ...hours(10), x_CloudAccountId: 'acct-2' })],
      async () => {
        const answer = await ask()
        expect(values(answer, 'cloud_account_id')).to.deep.equal({
          'acct-1': [-20, -20, 0, 0, 'gone'],
          'acct-2': [20, 20, 0, 0, 'new'],
        })
        expect(values(answer, 'resource_uid')).to.deep.equal({})
        expect([answer.total.deltaUSD, answer.total.usageUSD]).to.deep.equal([0, 0])
      },
    ),
  )

  const transfer = { ResourceId: '', ServiceName: 'transfer', ...hours(10) }

  it(
    'knows a charge of several regions by its service, but not by region',
    billed(
      () => [
        on(before, 20, transfer),
        on(before, 20, { ...transfer, RegionId: 'eu-2' }),
        on(after, 30, { ...transfer, ...hours(15) }),
        on(after, 20, { ...transfer, RegionId: 'eu-2' }),
      ],
      async () => {
        // 20 hours at 2 became 25 hours at 2.
        const all = await ask()
        expect(values(all, 'service_name')).to.deep.equal({ transfer: [10, 10, 0, 0, 'changed'] })
        expect(values(all, 'region')).to.deep.equal({ 'eu-1': [10, null, null, 10, 'changed'] })
        // And of one of the regions alone nobody knows how many of them are its own.
        expect(values(await ask('&region=eu-1'), 'service_name')).to.deep.equal({
          transfer: [10, null, null, 10, 'changed'],
        })
      },
    ),
  )

  deepIt('compares each of the four costs, with other days where asked', async () => {
    const cheaper = { ListCost: '20', EffectiveCost: '5', BilledCost: '0' }
    await bill(on(before, 20, hours(10)), on(after, 0, { ...hours(10), ...cheaper }), on('2025-01-10', 8, hours(2)))
    const of = async (query: string) => values(await ask(query), 'service_name')['compute']
    expect(await of('&cost=effective')).to.deep.equal([-15, 0, -15, 0, 'changed'])
    expect(await of('&cost=billed')).to.deep.equal([-20, 0, -20, 0, 'changed'])
    expect(await of('&cost=list')).to.equal(undefined)
    // 8 hours more at 4; then 10 hours each cheaper by 2.
    expect(await of('&compare=year&cost=list')).to.deep.equal([12, 32, -20, 0, 'changed'])
  })

  const narrow = planted(() => [
    on(before, 20, hours(10)),
    on(after, 22, hours(11)),
    on(after, 5, { ResourceId: 'r2', ServiceName: 'queue', x_PurchaseType: 'spot', ...hours(1) }),
    on(after, 90, { ResourceId: 'r3', x_CloudAccountId: 'acct-2', ...hours(1) }),
  ])

  deepIt('is narrowed by filters', async () => {
    narrow()
    const rose = async (query: string) => Object.keys(values(await ask(query), 'resource_uid')).join()
    expect(await rose('')).to.equal('r3,r2,r')
    expect(await rose('&cloud_account_id=acct-1')).to.equal('r2,r')
    expect(await rose('&filter[service_name]=compute')).to.equal('r3,r')
    expect(await rose('&filter[resource_uid]=r')).to.equal('r')
    expect(values(await ask('&filter[purchase_type]=spot'), 'resource_uid')).to.deep.equal({ r2: [5, 5, 0, 0, 'new'] })
  })

  it('is narrowed by what a role sees', async () => {
    narrow()
    world.seeOnly({ cloudAccountIDs: ['acct-1'] })
    const answer = await ask()
    expect([answer.total.costUSD, Object.keys(values(answer, 'resource_uid'))]).to.deep.equal([27, ['r2', 'r']])
    await world.discovered('r2')
    await world.team('t-1', 'Web')
    await world.assign('t-1', 'r2')
    world.seeOnly({ teamIDs: ['t-1'] })
    expect(values(await ask(), 'cloud_account_id')).to.deep.equal({ 'acct-1': [5, 5, 0, 0, 'new'] })
  })

  it('is empty where nothing was charged, and refuses what it cannot mean', async () => {
    const { total, dimensions } = await ask()
    expect([total.deltaUSD, total.usageUSD, total.otherUSD]).to.deep.equal([0, null, 0])
    expect(dimensions.every((one: any) => one.rises.length + one.falls.length === 0)).to.equal(true)
    expect(await refused(`/reports/drivers?${week}&compare=never`)).to.deep.equal(['compare: enum'])
    expect(await refused(`/reports/drivers?${week}&limit=0`)).to.deep.equal(['limit: minimum'])
    expect(await refused(`/reports/drivers?${week}&filter[invoice_id]=1`)).to.have.length(1)
  })

  const sevenths = Array.from({ length: 7 }, (_, n) => ({ ResourceId: `r${n}`, ServiceName: `s${n % 2}` }))

  it(
    'adds up to the last digit where prices have no end',
    billed(
      () => [
        ...sevenths.map((of, n) => on(before, `${n + 1}.00000001`, { ...of, ...hours(7) })),
        ...sevenths.map((of, n) => on(after, `${n * 2}.123456789`, { ...of, ...hours(n + 3) })),
      ],
      async () => {
        const { total, dimensions } = await ask()
        const sum = (...amounts: number[]) => plainOf(amounts.reduce((all, amount) => all + units(amount), 0n))
        const items = dimensions.flatMap((one: any) => [...one.rises, ...one.falls])
        expect(items).to.have.length.above(10)
        for (const item of [total, ...items])
          expect(sum(item.usageUSD, item.priceUSD, item.otherUSD)).to.equal(plainOf(units(item.deltaUSD)))
        // 0 + 2 + 4 + ... + 12 and 7 times 0.123456789, less 1 + 2 + ... + 7 and 7 times 0.00000001.
        expect(total.deltaUSD).to.equal(14.864197453)
      },
    ),
  )

  describe('beside what rose', () => {
    const anomaly = (anomaly_type: string, anomaly_key: string, more: object = {}) => ({
      org_id: world.org,
      date: after,
      anomaly_type,
      anomaly_key,
      id: `${anomaly_type} ${anomaly_key} ${Object.keys(more).join()}`,
      severity: 'critical',
      method: 'percent',
      actual_usd: 200,
      expected_usd: 100,
      deviation_percent: 100,
      root_cause: `Cause of ${anomaly_key}`,
      top_resources: '[]',
      cloud_account_id: 'acct-1',
      created_at: '2026-01-11 00:00:00.000',
      x_Version: '1',
      ...more,
    })
    const causes = async (query = '') => {
      const answer = await ask(query)
      const all = ['cloud_account_id', 'resource_uid'].flatMap((name) => {
        const { rises, falls } = dimension(answer, name)
        return [...rises, ...falls].flatMap((item: any) => item.anomaly?.rootCause ?? [])
      })
      return [answer.total.anomaly?.rootCause ?? 'none', ...all]
    }

    beforeEach(async () => {
      await bill(on(after, 20), on(before, 5, { ResourceId: 'gone' }))
      await world.insert('anomaly_state', [
        anomaly('org', world.org),
        anomaly('cloud_account', 'acct-1'),
        anomaly('resource', 'r'),
        anomaly('resource', 'gone'),
        anomaly('resource', 'r', { date: before, root_cause: 'Of other days', actual_usd: 900 }),
      ])
    })

    it('stands the anomaly that was found in it', async () => {
      expect(await causes()).to.deep.equal([`Cause of ${world.org}`, 'Cause of acct-1', 'Cause of r'])
      const [item] = dimension(await ask(), 'resource_uid').rises
      expect(item.anomaly).to.include({ date: after, anomalyType: 'resource', anomalyKey: 'r', actualCostUsd: 200 })
    })

    it('stands the furthest above its baseline, and what people expect only where there is no other', async () => {
      const reviewed = { review_state: 'expected', reviewed_by: 'u1', reviewed_at: '2026-01-12 00:00:00.000' }
      await world.insert('anomaly_state', [
        anomaly('resource', 'r', { date: '2026-01-11', root_cause: 'The largest', actual_usd: 300 }),
        anomaly('resource', 'r', { date: '2026-01-12', root_cause: 'A sale', actual_usd: 400, ...reviewed }),
        anomaly('cloud_account', 'acct-1', { ...reviewed, x_Version: '2' }),
      ])
      expect((await causes()).slice(1)).to.deep.equal(['Cause of acct-1', 'The largest'])
      expect(dimension(await ask(), 'cloud_account_id').rises[0].anomaly.review.state).to.equal('expected')
    })

    deepIt('stands none that is of more than what is asked for', async () => {
      expect(await causes('&region=eu-1')).to.deep.equal(['none', 'Cause of r'])
      expect(await causes('&cloud_account_id=acct-1')).to.deep.equal(['none', 'Cause of acct-1', 'Cause of r'])
      world.seeOnly({ cloudAccountIDs: ['acct-1'] })
      expect((await causes())[0]).to.equal('none')
    })
  })
})

describe('what made costs rise and fall, by team', () => {
  const shared = { shared: 1, allocated: 1, open_months: 0, divided: 0 }
  const world = reportWorld({}, undefined, undefined, async () => shared)

  it('adds up to the change to the last digit, with the parts of shared costs', async () => {
    const rule = { facts: ['line.service'], tag_keys: [''], operators: ['equals'], values: [['support']] }
    await world.insert(
      'shared_cost_rule',
      [{ org_id: world.org, policy_id: 'r', enabled: 1, created_at: '2026-01-01 00:00:00.000', ...rule }].map(
        (one) => ({ ...one, method: 'even', basis: 'billed_cost', x_Version: '1' }),
      ),
    )
    await world.team('t-a', 'Alpha')
    await world.team('t-b', 'Beta')
    for (const uid of ['r-a', 'r-x']) await world.discovered(uid)
    await world.assign('t-a', 'r-a')
    const support = { ServiceName: 'support', ...hours(1) }
    await world.bill(
      world.line('1', 20, { x_Day: before, ResourceId: 'r-a', ...hours(10) }),
      world.line('2', 30, { x_Day: after, ResourceId: 'r-a', ...hours(15) }),
      world.line('3', 7, { x_Day: after, ResourceId: 'r-x', ...hours(7) }),
      world.line('4', '10', { x_Day: before, ...support }),
      world.line('5', '16.00000001', { x_Day: after, ...support }),
    )
    const { total, dimensions } = await world.data(`/reports/drivers?${week}&group_by=team_id`)
    expect(toldOf(total)).to.deep.equal([23.00000001, 17, 6.00000001, 0, undefined])
    expect(dimensions).to.have.length(1)
    const { dimension, rises, falls, rest } = dimensions[0]
    expect([dimension, falls, rest.deltaUSD]).to.deep.equal(['team_id', [], 0])
    // Half of 6.00000001 each. Of which team the hour of support is nobody knows, so its price is of none.
    expect(rises.map((one: any) => [one.label, ...toldOf(one)])).to.deep.equal([
      ['Alpha', 13.000000005, 10, 0, 3.000000005, 'changed'],
      ['Unassigned', 7, 7, 0, 0, 'new'],
      ['Beta', 3.000000005, null, null, 3.000000005, 'changed'],
    ])
  })
})
