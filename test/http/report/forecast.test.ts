import { expect } from 'chai'
import { addDays, days } from '#engine/value/day.ts'
import { reportWorld } from '#test/http/report/world.ts'
import { deepIt } from '#test/harness/tier.ts'

const none = { usageUSD: 0, commitmentsUSD: 0, monthlyChargesUSD: 0, creditsUSD: 0 }

/** On 2026-01-20. */
describe('the forecast of a month', () => {
  const { line, bill, billed, restate, data, meta, problem, refused, seeOnly } = reportWorld()
  /** A line of this cost on each day of a range. */
  const daily = (from: string, to: string, cost: string | number, more: Record<string, unknown> = {}) =>
    [...days(from, to)].map((day) => line(`${JSON.stringify(more)}/${day}`, cost, { x_Day: day, ...more }))

  it(
    'is its complete days as billed, to the cent, and the level of each day to come',
    billed(
      () => [...daily('2025-12-01', '2026-01-20', '10.004')],
      async () => {
        const said = await data('/reports/forecast')
        expect(said.settledThrough).to.equal('2026-01-17')
        expect((await meta('/reports/forecast')).settledThrough).to.equal('2026-01-17')
        expect([said.historyFrom, said.completeDays, said.method]).to.deep.equal(['2025-12-01', 48, 'level'])
        // 17 times 10.004 is 170.068; each of 14 days to come is rounded before it is added up.
        expect(said.month).to.deep.equal({
          period: '2026-01',
          settledUSD: 170.07,
          restUSD: 140,
          expectedUSD: 310.07,
          lowUSD: 310.07,
          highUSD: 310.07,
          basis: 'widened',
          settled: { ...none, usageUSD: 170.07 },
          rest: { ...none, usageUSD: 140 },
        })
        expect(said.days.map(({ date }: { date: string }) => date)).to.deep.equal([...days('2026-01-18', '2026-01-31')])
        expect(said.months.map((one: any) => [one.period, one.expectedUSD]).slice(0, 2)).to.deep.equal([
          ['2026-02', 280],
          ['2026-03', 310],
        ])
        expect(said.months.length).to.equal(12)
        expect(said.test.meanAbsoluteErrorUSD).to.include({ level: 0, levelAndTrend: 0, lastMonth: 0 })
        expect(said.test.days.heldPercent).to.equal(100)
      },
    ),
  )

  deepIt('says of what it is beside it', async () => {
    await bill(...daily('2025-12-01', '2026-01-20', 10))
    expect(await meta('/reports/forecast?cost=list')).to.include({
      from: '2026-01-01',
      to: '2026-01-31',
      cost: 'list',
      costsThrough: '2026-01-20',
    })
  })

  it('keeps commitments, charges of the first of the month and credits apart', async () => {
    const firsts = ['2025-12-01', '2026-01-01']
    await bill(
      ...daily('2025-12-01', '2026-01-20', 10),
      ...firsts.map((x_Day) => line(`tax ${x_Day}`, 7, { x_Day, ChargeCategory: 'Tax', ServiceName: 'Tax' })),
      ...firsts.map((x_Day) =>
        line(`plan ${x_Day}`, 30, { x_Day, ChargeCategory: 'Purchase', x_PurchaseType: 'savings_plan' }),
      ),
      line('credit', -50, { x_Day: '2026-01-05', ChargeCategory: 'Credit', ServiceName: 'Credits' }),
    )
    const { month, months, monthlyCharges, once } = await data('/reports/forecast')
    expect(month.settled).to.deep.equal({ usageUSD: 170, commitmentsUSD: 30, monthlyChargesUSD: 7, creditsUSD: -50 })
    expect(month.expectedUSD).to.equal(297)
    expect(months[0].components).to.deep.equal({ ...none, usageUSD: 280, commitmentsUSD: 30, monthlyChargesUSD: 7 })
    expect(monthlyCharges.map((one: any) => [one.serviceName, one.component, one.amountUSD])).to.have.deep.members([
      ['Tax', 'monthlyCharges', 7],
      ['compute', 'commitments', 30],
    ])
    expect(once).to.deep.equal([
      { date: '2026-01-05', serviceName: 'Credits', chargeCategory: 'Credit', amountUSD: -50 },
    ])
  })

  it(
    'is refused for three days of data, of all or of what is asked for',
    billed(
      () => [...daily('2026-01-15', '2026-01-18', 10)],
      async () => {
        const said = await problem('/reports/forecast')
        expect(said).to.include({ status: 422, code: 'history_too_short', completeDays: 3, neededDays: 28 })
        expect(said['detail']).to.equal('A forecast requires 28 complete days of cost, but the requested costs have 3.')
        await bill(...daily('2025-12-01', '2026-01-20', 1, { x_Provider: 'gcp', ResourceType: 'gcp-vm' }))
        expect((await data('/reports/forecast')).completeDays).to.equal(48)
        expect(await problem('/reports/forecast?provider=aws')).to.include({ status: 422, completeDays: 3 })
        expect(await problem('/reports/forecast?resource_type=none')).to.include({ status: 422, completeDays: 0 })
      },
    ),
  )

  it('is refused where nothing was billed, or not for long', async () => {
    expect(await problem('/reports/forecast')).to.include({ code: 'history_too_short', completeDays: 0 })
    await bill(...daily('2025-11-01', '2026-01-03', 10))
    expect(await problem('/reports/forecast')).to.include({ status: 422, code: 'bills_too_old' })
    expect(await refused('/reports/forecast?from=2026-01-01')).to.deep.equal(['from: unknown_parameter'])
  })

  it(
    'waits for no account that is late: its days count as estimated [G-115]',
    billed(
      () => [
        ...daily('2025-12-01', '2026-01-14', 10),
        ...daily('2026-01-15', '2026-01-20', 90, { x_Source: 'estimate' }),
        ...daily('2025-12-01', '2026-01-20', 1, { x_CloudAccountId: 'acct-2' }),
      ],
      async () => {
        const said = await data('/reports/forecast')
        // 14 days of 10 and 3 of 90 of the one, 17 of the other; 11 are the level of the days to come.
        expect([said.settledThrough, said.month.settledUSD, said.month.restUSD]).to.deep.equal(['2026-01-17', 427, 154])
        const other = await data('/reports/forecast?cloud_account_id=acct-2')
        expect([other.settledThrough, other.month.settledUSD]).to.deep.equal(['2026-01-17', 17])
      },
    ),
  )

  it(
    'is of what is asked for, within what a role sees',
    billed(
      () => [
        ...daily('2025-12-01', '2026-01-20', 10, { RegionId: 'eu', ResourceId: 'r1' }),
        ...daily('2025-12-01', '2026-01-20', 3, { RegionId: 'us', EffectiveCost: '2' }),
        ...daily('2025-12-01', '2026-01-20', 1, { x_CloudAccountId: 'acct-2' }),
      ],
      async () => {
        const rest = async (query = '') => (await data(`/reports/forecast${query}`)).month.restUSD
        expect(await rest()).to.equal(196)
        expect(await rest('?region=us')).to.equal(42)
        expect(await rest('?filter[region]=us')).to.equal(42)
        expect(await rest('?region=us&cost=effective')).to.equal(28)
        expect(await rest('?cloud_account_id=acct-2')).to.equal(14)
        seeOnly({ cloudAccountIDs: ['acct-1'] })
        expect(await rest()).to.equal(182)
        expect(await problem('/reports/forecast?cloud_account_id=acct-2')).to.include({ completeDays: 0 })
        seeOnly({ teamIDs: ['nobodys'] })
        expect(await problem('/reports/forecast')).to.include({ completeDays: 0 })
      },
    ),
  )

  deepIt('is the one of an earlier time where that is asked for', async () => {
    const said = await problem(`/reports/forecast?asOf=${addDays('2026-01-20', -40)}T00:00:00Z`)
    expect(said).to.include({ status: 400, code: 'validation_failed' })
    await bill(...daily('2025-12-01', '2026-01-20', 10))
    // Nothing of it was known then, until it is as if it had been worked out earlier.
    expect(await problem('/reports/forecast?asOf=2026-01-15T12:00:00Z')).to.include({ completeDays: 0 })
    await restate([...days('2025-12-01', '2026-01-20')], new Date('2026-01-15T04:00:00Z'))
    const { settledThrough, month } = await data('/reports/forecast?asOf=2026-01-15T12:00:00Z')
    expect([settledThrough, month.settledUSD, month.restUSD]).to.deep.equal(['2026-01-12', 120, 190])
  })
})
