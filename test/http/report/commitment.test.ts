import { expect } from 'chai'
import fc from 'fast-check'
import { plain } from '#engine/value/decimal.ts'
import { units } from '#streams/figure.ts'
import { amount, deepIt } from '#test/harness/tier.ts'
import { covered, run } from '#test/http/report/committed.ts'
import { reportWorld } from '#test/http/report/world.ts'

const january = 'from=2026-01-01&to=2026-01-31'
const path = `/reports/commitments?${january}`

const unused = (id: string, more: object = {}) =>
  covered(id, { CommitmentDiscountStatus: 'Unused', ConsumedUnit: '', RegionId: 'eu-west-1', ...more })

/** On 2026-01-20 everything else is asked. */
describe('the report of commitments', () => {
  const world = reportWorld()
  const { line, bill, billed, planted, data, discovered } = world

  /**
   * ri-1: 8 of 10 dollars used, for what is worth 13. sp-1: bought in acct-1, used in acct-1 (6, worth 9) and acct-2 (2, worth 3),
   * wastes 4: 12 for what is worth 12. ri-old: worth 2, costs 5. On demand 25 that could be covered, 7 that could not.
   */
  const month = () => [
    line(
      'r1',
      5,
      covered('ri-1', { x_Day: '2026-01-05', ResourceId: 'i-1', ContractedCost: '8', ConsumedQuantity: '80' }),
    ),
    line(
      'r2',
      3,
      covered('ri-1', { x_Day: '2026-01-06', ResourceId: 'i-2', ContractedCost: '5', ConsumedQuantity: '50' }),
    ),
    line('r3', 2, unused('ri-1', { x_Day: '2026-01-07' })),
    line('s1', 6, covered('sp-1', { ResourceId: 'i-1', ContractedCost: '0', ListCost: '9', ConsumedQuantity: '40' })),
    line('s2', 2, covered('sp-1', { x_CloudAccountId: 'acct-2', ResourceId: 'i-3', ContractedCost: '3' })),
    line('s3', 4, unused('sp-1')),
    line('s4', 0, {
      ...covered('sp-1', {
        x_Day: '2026-01-01',
        ChargeCategory: 'Purchase',
        CommitmentDiscountStatus: '',
        BilledCost: '100',
      }),
      ChargePeriodEnd: '2026-03-01 00:00:00',
    }),
    line('o1', 5, covered('ri-old', { x_Day: '2026-01-02', ResourceId: 'i-4', ContractedCost: '2' })),
    line('d1', 25, { ...run, ResourceId: 'i-1', ConsumedQuantity: '30' }),
    line('d2', 7, { ServiceName: 'AmazonS3', SkuMeter: 'Requests-Tier1', ResourceId: 'b-1' }),
    line('t1', 9, { ChargeCategory: 'Tax' }),
  ]
  const whole = planted(month)

  it('tells of each what was used, wasted and saved, and where it is from, dearest first', async () => {
    whole()
    const { items } = await data(path)
    expect(items).to.deep.equal([
      {
        commitmentId: 'sp-1',
        name: 'the sp-1',
        type: 'Savings Plan',
        category: 'Spend',
        provider: 'aws',
        cloudAccountId: 'acct-1',
        usedByAccounts: 2,
        region: 'eu-west-1',
        serviceName: 'AmazonEC2',
        committedUSD: '12',
        usedUSD: '8',
        unusedUSD: '4',
        utilization: 8 / 12,
        onDemandEquivalentUSD: '12',
        netSavingsUSD: '0',
        firstDay: '2026-01-01',
        lastDay: '2026-01-15',
        expiresOn: '2026-03-01',
        daysLeft: 40,
        expiryFrom: 'bill',
        status: 'active',
      },
      {
        commitmentId: 'ri-1',
        name: 'the ri-1',
        type: 'Reserved Instance',
        category: 'Usage',
        provider: 'aws',
        cloudAccountId: 'acct-1',
        usedByAccounts: 1,
        region: 'eu-west-1',
        serviceName: 'AmazonEC2',
        committedUSD: '10',
        usedUSD: '8',
        unusedUSD: '2',
        utilization: 0.8,
        onDemandEquivalentUSD: '13',
        netSavingsUSD: '3',
        firstDay: '2026-01-05',
        lastDay: '2026-01-07',
        expiresOn: null,
        daysLeft: null,
        expiryFrom: null,
        status: 'unknown',
      },
      {
        commitmentId: 'ri-old',
        name: 'the ri-old',
        type: 'Reserved Instance',
        category: 'Usage',
        provider: 'aws',
        cloudAccountId: 'acct-1',
        usedByAccounts: 1,
        region: null,
        serviceName: 'AmazonEC2',
        committedUSD: '5',
        usedUSD: '5',
        unusedUSD: '0',
        utilization: 1,
        onDemandEquivalentUSD: '2',
        netSavingsUSD: '-3',
        firstDay: '2026-01-02',
        lastDay: '2026-01-02',
        expiresOn: null,
        daysLeft: null,
        expiryFrom: null,
        status: 'unknown',
      },
    ])
  })

  it('tells coverage, utilization and waste of all, of accounts and of types', async () => {
    whole()
    const { totals, items: accounts } = await data(`${path}&group_by=account`)
    expect(totals).to.deep.equal({
      committedUSD: '27',
      usedUSD: '21',
      unusedUSD: '6',
      utilization: 21 / 27,
      onDemandEquivalentUSD: '27',
      netSavingsUSD: '0',
      eligibleUSD: '52',
      coverage: 27 / 52,
      coveredHours: '170',
      eligibleHours: '200',
      coverageOfHours: 0.85,
      commitments: 3,
      expired: 0,
      expiringWithin90Days: 1,
      withoutKnownEnd: 2,
    })
    const shown = (items: any[]) =>
      items.map((one) => [one.key, one.committedUSD, one.unusedUSD, one.eligibleUSD, one.coverage, one.commitments])
    expect(shown(accounts)).to.deep.equal([
      ['acct-1', '25', '6', '49', 24 / 49, 3],
      ['acct-2', '2', '0', '3', 1, 1],
    ])
    expect(shown((await data(`${path}&group_by=type`)).items)).to.deep.equal([
      ['Reserved Instance', '15', '2', '52', 15 / 52, 2],
      ['Savings Plan', '12', '4', '52', 12 / 52, 1],
    ])
  })

  const left = { 'ri-0': 0, 'ri-89': 89, 'ri-90': 90, 'ri-91': 91, 'ri-past': -3 }
  it(
    'knows ends from the inventory, and counts those of the next 90 days alone',
    billed(
      () => Object.keys(left).map((id) => line(id, 1, covered(id))),
      async () => {
        const at = '2026-01-20 03:00:00.000'
        const known = { type: 'aws-reserved-instance', observed_at: at }
        await Promise.all(
          Object.entries(left).map(([id, days]) => discovered(id, { ...known, specs: { days_to_end: String(days) } })),
        )
        const { items, totals } = await data(path)
        expect(Object.fromEntries(items.map((one: any) => [one.commitmentId, one.daysLeft]))).to.deep.equal(left)
        expect(items.find((one: any) => one.commitmentId === 'ri-90')).to.include({
          expiresOn: '2026-04-20',
          expiryFrom: 'inventory',
        })
        expect([totals.expired, totals.expiringWithin90Days, totals.withoutKnownEnd]).to.deep.equal([1, 3, 0])
      },
    ),
  )

  it(
    'lists what the inventory has and no bill names, with its own end, and nothing twice',
    billed(
      () => [line('r1', 1, covered('RI-billed'))],
      async () => {
        const at = { observed_at: '2026-01-20 03:00:00.000', provider: 'aws' }
        const reserved = { reserved_type: 'db.m5.large', reserved_count: '2', created_at: '2026-01-19T12:00:00Z' }
        await discovered('ri-billed', { ...at, type: 'aws-reserved-instance', specs: { end: '2026-05-01T00:00:00Z' } })
        await discovered('ri-new', {
          ...at,
          type: 'aws-reserved-instance',
          name: 'orders',
          region: 'eu-west-1',
          specs: { ...reserved, end: '2027-01-19T12:00:00Z', days_to_end: '363' },
        })
        const plan = { type: 'aws-savings-plan', name: 'three years', region: 'global' }
        await discovered('sp-new', { ...at, ...plan, specs: { commitment_hourly: '0.7', days_to_end: '30' } })
        await discovered('sp-gone', { ...at, ...plan, deleted_at: '2026-01-20 03:00:00.000' })
        const { unbilled, items } = await data(path)
        expect(items.map((one: any) => [one.commitmentId, one.expiresOn, one.expiryFrom])).to.deep.equal([
          ['RI-billed', '2026-05-01', 'inventory'],
        ])
        const none = { reservedType: null, reservedCount: null, hourlyCommitmentUSD: null, startsOn: null }
        const both = { provider: 'aws', cloudAccountId: 'acct-1', status: 'active' }
        expect(unbilled).to.deep.equal([
          {
            ...none,
            ...both,
            commitmentId: 'sp-new',
            name: 'three years',
            type: 'Savings Plan',
            region: null,
            hourlyCommitmentUSD: 0.7,
            // 30 days after the 20th.
            expiresOn: '2026-02-19',
            daysLeft: 30,
          },
          {
            ...none,
            ...both,
            commitmentId: 'ri-new',
            name: 'orders',
            type: 'Reserved instance or node',
            region: 'eu-west-1',
            reservedType: 'db.m5.large',
            reservedCount: 2,
            startsOn: '2026-01-19',
            expiresOn: '2027-01-19',
            daysLeft: 364,
          },
        ])
        expect((await data(`${path}&region=eu-west-1`)).unbilled.length).to.equal(1)
        expect((await data(`${path}&resource_type=aws-rds`)).unbilled).to.deep.equal([])
        expect((await data(`${path}&group_by=type`)).unbilled).to.equal(undefined)
        world.seeOnly({ cloudAccountIDs: ['acct-2'] })
        expect((await data(path)).unbilled).to.deep.equal([])
      },
    ),
  )

  it('is of effective cost, whatever is shown elsewhere, and says so', async () => {
    whole()
    expect((await world.meta(path)).cost).to.equal('effective')
  })

  it(
    'has no utilization of what cost nothing, and counts what it covered',
    billed(
      () => [line('s1', 0, covered('sp-1', { ListCost: '0.0464' }))],
      async () => {
        const { items } = await data(path)
        expect(items[0]).to.include({ committedUSD: '0', utilization: null, onDemandEquivalentUSD: '0.0464' })
      },
    ),
  )

  it(
    'counts as waste what a purchase says was not used',
    billed(
      () => [
        line('f1', 3, covered('sp-1', { ChargeCategory: 'Purchase', CommitmentDiscountStatus: '', BilledCost: '10' })),
      ],
      async () => {
        expect((await data(path)).totals).to.include({ usedUSD: '0', unusedUSD: '3', utilization: 0, coverage: null })
      },
    ),
  )

  it(
    'shows covered use under (none) where the bill does not say what covers it',
    billed(
      () => [line('g1', 3, { ...run, PricingCategory: 'Committed', BilledCost: '3', ListCost: '5' })],
      async () => {
        const { items, totals } = await data(path)
        expect(items.map((one: any) => [one.commitmentId, one.netSavingsUSD])).to.deep.equal([['(none)', '2']])
        expect(totals).to.include({ commitments: 0, netSavingsUSD: '2' })
      },
    ),
  )

  deepIt(
    'follows a bill that is restated, and leaves estimates out where actual lines are',
    billed(month, async () => {
      await bill(
        line('r3', 7, unused('ri-1', { x_Day: '2026-01-07', x_Version: '2' })),
        line('e1', 50, covered('ri-1', { x_Day: '2026-01-05', ResourceId: 'i-1', x_Source: 'estimate' })),
      )
      const { items } = await data(path)
      expect(items.find((one: any) => one.commitmentId === 'ri-1')).to.include({ usedUSD: '8', unusedUSD: '7' })
    }),
  )

  deepIt(
    'is narrowed by account, provider, region, type, team and tag',
    billed(month, async () => {
      await discovered('i-3', { type: 'aws-ec2', cloud_account_id: 'acct-2', tags: { env: 'prod' } })
      await world.team('t1', 'Core')
      await world.assign('t1', 'i-1')
      const committed = async (query: string) => (await data(`${path}&${query}`)).totals.committedUSD
      expect(await committed('cloud_account_id=acct-2')).to.equal('2')
      expect([await committed('provider=aws'), await committed('provider=gcp')]).to.deep.equal(['27', '0'])
      expect(await committed('region=eu-west-1')).to.equal('6')
      expect([await committed('team_id=t1'), await committed('team_id=unassigned')]).to.deep.equal(['11', '16'])
      const { totals } = await data(`${path}&team_id=t1`)
      expect(totals).to.include({ usedUSD: '11', unusedUSD: '0', onDemandEquivalentUSD: '17', eligibleUSD: '42' })
    }),
  )

  it(
    'shows only what the role of who asks may see',
    billed(month, async () => {
      await world.team('t1', 'Core')
      await world.assign('t1', 'i-3')
      world.seeOnly({ cloudAccountIDs: ['acct-2'] })
      const { items, totals } = await data(path)
      expect(items.map((one: any) => [one.commitmentId, one.cloudAccountId, one.expiresOn])).to.deep.equal([
        ['sp-1', 'acct-2', null],
      ])
      expect([totals.committedUSD, totals.eligibleUSD]).to.deep.equal(['2', '3'])
      world.seeOnly({ teamIDs: ['t1'] })
      expect((await data(path)).totals.committedUSD).to.equal('2')
      world.seeOnly({})
      expect(await data(path)).to.deep.include({ items: [] })
    }),
  )

  it('refuses what it cannot answer', async () => {
    expect(await world.refused(`${path}&group_by=colour`)).to.deep.equal(['group_by: enum'])
    expect(await world.refused('/reports/commitments?from=2026-02-01&to=2026-01-01')).to.deep.equal(['from: range'])
  })

  it('adds up: groups of every kind come to the totals to the last digit', async () => {
    const usd = fc.bigInt({ min: -(10n ** 15n), max: 10n ** 16n }).map((n) => plain(n, 14))
    const one = fc.record({
      id: fc.constantFrom('ri-1', 'sp-1', 'sp-2', ''),
      account: fc.constantFrom('acct-1', 'acct-2'),
      resource: fc.constantFrom('i-1', 'i-2', ''),
      status: fc.constantFrom('Used', 'Unused'),
      effective: usd,
      contracted: usd,
    })
    await fc.assert(
      fc.asyncProperty(fc.array(one, { minLength: amount(12, 1, 1), maxLength: 20 }), async (all) => {
        const day = `2026-01-${String(1 + (count++ % 28)).padStart(2, '0')}`
        await bill(
          ...all.map(({ id, account, resource, status, effective, contracted }, at) =>
            line(`${day}/${count}/${at}`, effective, {
              ...(id === '' ? run : covered(id, { CommitmentDiscountStatus: status })),
              x_Day: day,
              x_CloudAccountId: account,
              ResourceId: resource,
              ContractedCost: contracted,
            }),
          ),
        )
        const groups = ['commitment', 'account', 'type']
        const answers = await Promise.all(groups.map((group) => data(`${path}&group_by=${group}`)))
        for (const [at, { items, totals }] of answers.entries()) {
          const group = groups[at]
          const fields = ['committedUSD', 'usedUSD', 'unusedUSD', 'onDemandEquivalentUSD', 'netSavingsUSD']
          const sums = fields.map((field) => items.reduce((sum: bigint, row: any) => sum + units(row[field]), 0n))
          expect(sums, group).to.deep.equal(fields.map((field) => units(totals[field])))
        }
      }),
      { numRuns: amount(1, 15, 15) },
    )
  })
  let count = 0
})
