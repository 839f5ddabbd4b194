import { expect } from 'chai'
import { begunOn, expiryOf, type ExpiryFacts } from '#http/report/commitment/expiry.ts'
import { statusOf } from '#http/report/commitment/figure.ts'
import { monthsOf, termOf } from '#streams/billing/format/commitment-term.ts'
import { costLine } from '#streams/billing/line/cost-line.ts'
import { simulatedCloud } from '#streams/cloud/simulated/connector.ts'
import { deepIt } from '#test/harness/tier.ts'
import { covered, run } from '#test/http/report/committed.ts'
import { reportWorld } from '#test/http/report/world.ts'

const line = { name: '', type: '', category: '', regions: [], ends_at: '', ends_on: '' }
const resource = { uid: 'ri-1', name: '', region: '', observed_on: '2026-01-10', ends_at: '', days_to_end: '' }
const bought = {
  cloud_account_id: 'acct-1',
  frequency: 'One-Time',
  starts_on: '2025-02-01',
  details: '',
  description: '',
  quantity: '',
  unit: '',
  pricing_quantity: '',
}
const end = (more: Partial<ExpiryFacts>) => {
  const found = expiryOf({
    resource: undefined,
    line,
    terms: [],
    begunOn: undefined,
    lastDay: '2026-01-15',
    onDemandDays: 0,
    ...more,
  })
  return [found.expiresOn, found.expiryFrom]
}

describe('when a commitment ends', () => {
  it('is said by the inventory, else by bills, else by what runs on demand since', () => {
    const all = {
      resource: { ...resource, ends_at: '2026-06-30T12:00:00Z' },
      line: { ...line, ends_at: '2026-05-31T23:59:59Z', ends_on: '2026-05-01' },
      terms: [{ ...bought, details: '{"x_PurchaseTerm":"1yr"}' }],
      onDemandDays: 3,
    }
    expect(end(all)).to.deep.equal(['2026-06-30', 'inventory'])
    expect(end({ ...all, resource: { ...resource, days_to_end: '20.9' } })).to.deep.equal(['2026-01-30', 'inventory'])
    expect(end({ ...all, resource })).to.deep.equal(['2026-05-31', 'bill'])
    expect(end({ ...all, resource, line: { ...line, ends_on: '2026-05-01' } })).to.deep.equal(['2026-05-01', 'bill'])
    expect(end({ ...all, resource, line })).to.deep.equal(['2026-02-01', 'bill'])
    expect(end({ onDemandDays: 3 })).to.deep.equal(['2026-01-15', 'observed'])
    expect(end({ onDemandDays: 2 })).to.deep.equal([null, null])
    expect(end({ onDemandDays: 3, lastDay: '' })).to.deep.equal([null, null])
  })

  it('is no day that bills contradict, nor a text that is no day', () => {
    expect(end({ resource: { ...resource, ends_at: '2026-01-14T23:00:00Z' } })).to.deep.equal([null, null])
    expect(end({ line: { ...line, ends_at: '2026-01-14', ends_on: '2026-01-15' } })).to.deep.equal([
      '2026-01-15',
      'bill',
    ])
    expect(end({ line: { ...line, ends_at: 'never' } })).to.deep.equal([null, null])
    expect(end({ resource: { ...resource, days_to_end: 'many' } })).to.deep.equal([null, null])
  })

  it('follows from a purchase that is paid once and its term, or from the first of its fees', () => {
    const ofTerm = (more: object, known: Partial<ExpiryFacts> = {}) =>
      end({ terms: [{ ...bought, ...more }], ...known })
    expect(ofTerm({ details: '{"x_SkuTerm":"36"}' })).to.deep.equal(['2028-02-01', 'bill'])
    expect(ofTerm({ details: '{"x_SkuTerm":36}', starts_on: '2024-02-29' })).to.deep.equal(['2027-02-28', 'bill'])
    const fee = { frequency: 'Recurring', details: '{"x_PurchaseTerm":"1yr"}', starts_on: '2026-01-01' }
    expect(ofTerm(fee)).to.deep.equal([null, null])
    expect(ofTerm(fee, { begunOn: '2025-08-31' })).to.deep.equal(['2026-08-31', 'bill'])
    expect(ofTerm({ description: 'no word of it' })).to.deep.equal([null, null])
  })

  it('is that of the term it was renewed for, where bills name it after the first', () => {
    const terms = [{ ...bought, starts_on: '2023-01-15', details: '{"x_Plan":"TWELVE_MONTH"}' }]
    expect(end({ terms, lastDay: '2024-01-15' })).to.deep.equal(['2024-01-15', 'bill'])
    expect(end({ terms, lastDay: '2026-01-15' })).to.deep.equal(['2026-01-15', 'bill'])
    expect(end({ terms, lastDay: '2026-01-16' })).to.deep.equal(['2027-01-15', 'bill'])
  })

  it('begins with the first fee only where bills reach back further than a month of fees', () => {
    expect(begunOn('2026-02-02', '2026-01-01')).to.equal('2026-02-02')
    expect(begunOn('2026-02-01', '2026-01-01')).to.equal(undefined)
    expect(begunOn('', '2020-01-01')).to.equal(undefined)
  })

  it('makes it expired once it has passed; one without a known end that bills have not named for a week is unknown', () => {
    const of = [
      [-1, -1],
      [0, -30],
      [null, -7],
      [null, -8],
      [null, null],
    ] as const
    expect(of.map(([left, named]) => statusOf(left, named))).to.deep.equal([
      'expired',
      'active',
      'active',
      'unknown',
      'unknown',
    ])
  })
})

describe('the term of a commitment', () => {
  it('is read in every spelling of exporters; anything else is none', () => {
    const spellings = ['1yr', '3 Years', 'P1Y', '36', '18 months', 'TWELVE_MONTH', 'thirty_six_month', '5-year']
    expect(spellings.map(monthsOf)).to.deep.equal([12, 36, 12, 36, 18, 12, 36, 60])
    expect(['', '0', '121', 'never', '1.5yr', '31536000'].map(monthsOf)).to.deep.equal(Array(6).fill(undefined))
  })

  it('is what the SKU says, else the hours bought of each unit, else what the words of the purchase say', () => {
    const purchase = { details: '', description: '', quantity: '', unit: '', pricingQuantity: '' }
    const of = (more: object) => termOf({ ...purchase, ...more })
    const words = { description: 'Commitment v1: N2 Cpu in Americas for 3 Years' }
    expect(of({ ...words, details: '{"x_PurchaseTerm":"1yr"}' })).to.equal(12)
    const hours = { quantity: '26280.00', unit: 'Hours' }
    expect(of({ ...hours, pricingQuantity: '1' })).to.equal(36)
    expect(of({ ...hours, pricingQuantity: '3' })).to.equal(12)
    // Three machines for a year or one for three years: the line does not say.
    expect(of(hours)).to.equal(undefined)
    expect(of({ ...hours, unit: 'USD', pricingQuantity: '1' })).to.equal(undefined)
    expect(of(words)).to.equal(36)
    expect(of({ description: 'Sign up charge', details: '["1yr"]' })).to.equal(undefined)
    expect(of({ details: '{' })).to.equal(undefined)
  })
})

/** On 2026-01-20. */
describe('ends in the report of commitments', () => {
  const world = reportWorld()
  const { line, bill, billed, data } = world
  const path = '/reports/commitments?from=2026-01-01&to=2026-01-31'

  const endOf = ({ expiresOn, daysLeft, expiryFrom, status }: any) => [expiresOn, daysLeft, expiryFrom, status]
  const ends = async (query = '') =>
    Object.fromEntries((await data(`${path}${query}`)).items.map((one: any) => [one.commitmentId, endOf(one)]))
  const onDemand = (resource: string, ...days: number[]) =>
    days.map((day) =>
      line(`${resource}/${day}`, 1, { ...run, x_Day: `2026-01-${String(day).padStart(2, '0')}`, ResourceId: resource }),
    )
  const last = (id: string, ResourceId: string, more: object = {}) =>
    line(`${id}/${ResourceId}`, 1, covered(id, { x_Day: '2026-01-07', ResourceId, ...more }))

  deepIt(
    'sees that one has ended where what it covered runs on demand on three settled days since',
    billed(
      () => [
        last('ri-over', 'i-over'),
        ...onDemand('i-over', 8, 9, 12),
        // Two days may be a bill that is not whole; the 18th is not settled on the 20th.
        last('ri-rare', 'i-rare'),
        ...onDemand('i-rare', 8, 9, 18),
        // Its storage goes on, its hours do not.
        last('ri-off', 'db-1'),
        ...[8, 9, 10].map((day) =>
          line(`db-1/${day}`, 1, {
            x_Day: `2026-01-${String(day).padStart(2, '0')}`,
            ResourceId: 'db-1',
            SkuMeter: 'gp2',
          }),
        ),
        // It covers another machine, of another account, instead.
        last('sp-moved', 'i-moved'),
        ...onDemand('i-moved', 8, 9, 10),
        last('sp-moved', 'i-new', { x_Day: '2026-01-10', x_CloudAccountId: 'acct-2' }),
      ],
      async () => {
        const found = {
          'ri-over': ['2026-01-07', -13, 'observed', 'expired'],
          'ri-rare': [null, null, null, 'unknown'],
          'ri-off': [null, null, null, 'unknown'],
          'sp-moved': [null, null, null, 'unknown'],
        }
        expect(await ends()).to.deep.equal(found)
        const { totals } = await data(path)
        expect([totals.commitments, totals.expired, totals.withoutKnownEnd]).to.deep.equal([4, 1, 3])
        // The days that are asked for do not decide: of the first week it is known that it has ended since.
        const week = '/reports/commitments?from=2026-01-01&to=2026-01-07'
        const { items } = await data(week)
        expect(endOf(items.find((one: any) => one.commitmentId === 'ri-over'))).to.deep.equal(found['ri-over'])
        world.seeOnly({ cloudAccountIDs: ['acct-1'] })
        expect(await ends()).to.deep.equal(found)
      },
    ),
  )

  it(
    'knows ends from the lines of bills: a moment, hours bought, or a term from the first fee on',
    billed(
      () => {
        const fee = (id: string, day: string, more: object) =>
          line(`fee/${id}/${day}`, 0, {
            ...covered(id, { ChargeCategory: 'Purchase', CommitmentDiscountStatus: '', x_Day: day, ...more }),
            ChargePeriodStart: `${day} 00:00:00`,
            ChargePeriodEnd: `${day} 01:00:00`,
          })
        const year = { SkuPriceDetails: '{"x_PurchaseTerm":"1yr"}', ChargeFrequency: 'Recurring' }
        return [
          line('since', 1, { x_Day: '2025-11-01' }),
          line('said', 1, covered('ri-said', { SkuPriceDetails: '{"x_CommitmentEnd":"2026-02-10T09:00:00.000Z"}' })),
          fee('ri-hours', '2026-01-02', {
            ChargeFrequency: 'One-Time',
            CommitmentDiscountQuantity: '8760',
            CommitmentDiscountUnit: 'Hours',
            PricingQuantity: '1',
          }),
          fee('sp-fees', '2025-12-10', year),
          fee('sp-fees', '2026-01-01', year),
          // Bills of the account begin with it: it may have begun before.
          fee('sp-old', '2026-01-01', { ...year, x_CloudAccountId: 'acct-2' }),
        ]
      },
      async () => {
        expect(await ends()).to.deep.equal({
          'ri-said': ['2026-02-10', 21, 'bill', 'active'],
          'ri-hours': ['2027-01-02', 347, 'bill', 'active'],
          'sp-fees': ['2026-12-10', 324, 'bill', 'active'],
          'sp-old': [null, null, null, 'unknown'],
        })
      },
    ),
  )

  deepIt('marks the reservation of the demo as expired that ran out 21 days before', async () => {
    const today = '2026-01-20'
    const sim = simulatedCloud({
      seed: 'tidemark',
      today,
      now: () => new Date(`${today}T12:00:00Z`),
      sleep: async () => {},
    })
    const { provider, externalId, name } = sim.accounts.find((one) => one.externalId === 'sim-aws-production')!
    const account = { id: 'acct-1', orgId: world.org, provider, externalId, name, regions: [], credentials: null }
    const lines: object[] = []
    for await (const some of sim.bill(account, '2025-12-21', '2026-01-19'))
      for (const one of some.filter(({ ResourceName }) => ResourceName?.startsWith('checkout-api-')))
        lines.push({ x_OrgId: world.org, x_Version: '1', ...costLine(one, new Date(`${today}T00:00:00Z`)) })
    await bill(...(lines as ReturnType<typeof line>[]))
    expect(lines.length).to.be.at.least(90)
    const { items, totals } = await data('/reports/commitments')
    expect(items.map((one: any) => [one.commitmentId, ...endOf(one)])).to.deep.equal([
      ['ri-sim-checkout-1y', '2025-12-30', -21, 'observed', 'expired'],
    ])
    expect([totals.expired, totals.expiringWithin90Days, totals.withoutKnownEnd]).to.deep.equal([1, 0, 0])
  })
})
