import { expect } from 'chai'
import fc from 'fast-check'
import { driverDims } from '#analytics/driver/questions.ts'
import { plainOf, units } from '#streams/figure.ts'
import { amount } from '#test/harness/tier.ts'
import { reportWorld } from '#test/http/report/world.ts'

/** A charge; `cost` in counts of 10^-4 US dollars, `quantity` in thousandths. */
interface Charge {
  isNow: boolean
  account: string
  sub: string
  service: string
  uid: string
  region: string
  type: string
  category: string
  unit: string
  quantity: number | null
  cost: number
}

const of = (...values: string[]) => fc.constantFrom(...values)
const charge: fc.Arbitrary<Charge> = fc.record({
  isNow: fc.boolean(),
  account: of('a', 'b'),
  sub: of('s1', 's2', ''),
  service: of('compute', 'storage'),
  uid: of('r1', 'r2', 'r3', ''),
  region: of('eu', 'us', ''),
  type: of('vm', 'disk'),
  category: of('Usage', 'Usage', 'Usage', 'Purchase', 'Tax', 'Credit'),
  unit: of('Hrs', 'GB', ''),
  quantity: fc.oneof({ weight: 8, arbitrary: fc.integer({ min: -200, max: 9000 }) }, fc.constantFrom(null, 0)),
  cost: fc.integer({ min: -20_000, max: 900_000 }),
})

const keys: Record<(typeof driverDims)[number], (one: Charge) => string> = {
  service_name: (one) => one.service,
  cloud_account_id: (one) => one.account,
  sub_account: (one) => one.sub || '(none)',
  region: (one) => one.region || '(none)',
  resource_type: (one) => one.type,
  resource_uid: (one) => one.uid || '(none)',
}

const sum = <T>(items: readonly T[], amount: (item: T) => bigint): bigint =>
  items.reduce((total, item) => total + amount(item), 0n)
const costOf = ({ cost }: Charge): bigint => BigInt(cost) * 10n ** 10n
const deltaOf = (some: readonly Charge[]): bigint => sum(some, (one) => (one.isNow ? costOf(one) : -costOf(one)))

/** What use made of it: by the charges of one account, resource, service, category and unit, as docs/drivers.md says. */
function usageOf(some: readonly Charge[]): bigint | null {
  const groups = Map.groupBy(some, ({ account, uid, service, category, unit }) =>
    [account, uid, service, category, unit].join('|'),
  )
  const known = [...groups.values()].flatMap((group) => usageOfOne(group) ?? [])
  return known.length === 0 ? null : sum(known, (usage) => usage)
}

function usageOfOne(group: readonly Charge[]): bigint | undefined {
  const { category, unit } = group[0]!
  const [now, then] = [true, false].map((isNow) => group.filter((one) => one.isNow === isNow)) as [Charge[], Charge[]]
  const [q1, q0] = [now, then].map((some) => sum(some, ({ quantity }) => BigInt(quantity ?? 0))) as [bigint, bigint]
  const [c1, c0] = [now, then].map((some) => sum(some, costOf)) as [bigint, bigint]
  const isCounted = (quantity: bigint, cost: bigint) => quantity > 0n || (quantity === 0n && cost === 0n)
  if (!['Usage', 'Purchase'].includes(category) || unit === '' || q1 + q0 <= 0n) return undefined
  if (!isCounted(q1, c1) || !isCounted(q0, c0)) return undefined
  if (q0 === 0n) return c1
  if (q1 === 0n) return -c0
  return (((q1 - q0) * c0) / (q0 * 1_000_000n)) * 1_000_000n
}

const text = (amount: bigint | null): string => (amount === null ? 'null' : plainOf(amount))
const shown = (amount: number | null): string => (amount === null ? 'null' : plainOf(units(amount)))

describe('drivers of bills of chance', () => {
  const world = reportWorld()

  /** The answer about these charges, in accounts of their own. */
  async function drivers(run: number, charges: readonly Charge[], query = ''): Promise<any> {
    const facts = charges.map((one, n) =>
      world.line(`${run}-${n}`, plainOf(costOf(one)), {
        x_Day: one.isNow ? '2026-01-10' : '2026-01-03',
        x_CloudAccountId: `${one.account}-${run}`,
        ServiceName: one.service,
        ResourceId: one.uid,
        SubAccountId: one.sub,
        RegionId: one.region,
        ResourceType: one.type,
        ChargeCategory: one.category,
        SkuMeter: 'meter',
        ConsumedUnit: one.unit,
        ...(one.quantity !== null && { ConsumedQuantity: String(one.quantity / 1000) }),
      }),
    )
    await world.bill(...facts)
    const accounts = `cloud_account_id=a-${run},b-${run}`
    return world.data(`/reports/drivers?from=2026-01-08&to=2026-01-14&${accounts}${query}`)
  }

  it('split each difference to the last digit, as worked out from the lines alone', async () => {
    let run = 0
    const bills = fc.array(charge, { minLength: amount(15, 1, 1), maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(bills, async (charges) => {
        const { total, dimensions } = await drivers(++run, charges, '&limit=100')
        expect(shown(total.deltaUSD)).to.equal(text(deltaOf(charges)))
        expect(shown(total.usageUSD), 'use of the total').to.equal(text(usageOf(charges)))
        for (const { dimension, rises, falls, rest } of dimensions) {
          const items = [...rises, ...falls]
          for (const item of [total, ...items])
            expect(text(sum([item.usageUSD, item.priceUSD, item.otherUSD], (part) => units(part ?? 0)))).to.equal(
              shown(item.deltaUSD),
            )
          const own = Map.groupBy(charges, keys[dimension as keyof typeof keys])
          const expected = [...own]
            .map(([key, some]) => [key, deltaOf(some)] as const)
            .filter(([, delta]) => delta !== 0n)
          const named = items.map((item: any) => [item.key.replace(`-${run}`, ''), shown(item.deltaUSD)].join())
          expect(named, dimension).to.have.members(expected.map(([key, delta]) => `${key},${plainOf(delta)}`))
          expect(rest).to.deep.equal({ rises: 0, falls: 0, deltaUSD: 0 })
          if (!['sub_account', 'region', 'resource_type'].includes(dimension))
            for (const item of items)
              expect(shown(item.usageUSD), `${dimension} ${item.key}`).to.equal(
                text(usageOf(own.get(item.key.replace(`-${run}`, ''))!)),
              )
        }
      }),
      { numRuns: amount(2, 12, 40) },
    )
  })

  it('add up to the total with what is not shown, however few are', async () => {
    let run = 0
    const bills = fc.array(charge, { minLength: amount(15, 5, 5), maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(bills, async (charges) => {
        const { total, dimensions } = await drivers(++run, charges, '&limit=1')
        expect(dimensions.map((one: any) => one.dimension)).to.deep.equal([...driverDims])
        for (const { rises, falls, rest } of dimensions) {
          expect(Math.max(rises.length, falls.length)).to.be.at.most(1)
          expect(text(sum([...rises, ...falls, rest], (one: any) => units(one.deltaUSD)))).to.equal(
            shown(total.deltaUSD),
          )
        }
      }),
      { numRuns: amount(1, 6, 20) },
    )
  })
})
