import { expect } from 'chai'
import fc from 'fast-check'
import { foldName } from '#streams/billing/format/columns.ts'
import { digest, isMeasure, LineIds } from '#streams/billing/line/line-id.ts'
import { csv, lines } from '#test/streams/billing/reading.ts'

const row = {
  BilledCost: '1',
  ChargePeriodStart: '2026-01-15T00:00:00Z',
  ProviderName: 'AWS',
  ResourceId: 'i-1',
  ListCost: '2',
}
const idsOf = async (content: string, ids = new LineIds()) =>
  (await lines(content, { ids })).map(({ lineId }) => lineId)

const words = (text: string): string[] => text.trim().split(/\s+/)

describe('the id of a line', () => {
  it('begins with the day of the line and is the same in every run', async () => {
    const content = csv(row, { ...row, ResourceId: 'i-2' })
    const [first, second] = await idsOf(content)
    expect([first!.slice(0, 11), second!.slice(0, 11)]).to.deep.equal(['2026-01-15/', '2026-01-15/'])
    expect(first).to.not.equal(second)
    expect(await idsOf(content)).to.deep.equal([first, second])
  })

  it('stays when a bill is restated with other amounts, in another order of columns, with an invoice or empty columns more', async () => {
    const [id] = await idsOf(csv(row))
    const { BilledCost: _cost, ...rest } = row
    const restated = {
      InvoiceId: 'INV-1',
      ...rest,
      BilledCost: '9',
      ListCost: '',
      ConsumedQuantity: '5',
      Tags: '',
      RegionId: 'NULL',
    }
    expect(await idsOf(csv(restated))).to.deep.equal([id])
    expect(await idsOf(`${JSON.stringify({ ...restated, RegionId: null })}\n`)).to.deep.equal([id])
  })

  it('changes with every column that is not a measure, one the product does not know included', async () => {
    const rows = [
      row,
      { ...row, ResourceId: 'i-2' },
      { ...row, x_Custom: 'a' },
      { ...row, ChargePeriodStart: '2026-01-15T01:00:00Z' },
    ]
    expect(new Set(await idsOf(csv(...rows))).size).to.equal(4)
  })

  it('numbers rows that only their measures tell apart, over all files of one run', async () => {
    const ids = new LineIds()
    const [id] = await idsOf(csv(row), ids)
    expect(await idsOf(csv({ ...row, BilledCost: '2' }, { ...row, BilledCost: '3' }), ids)).to.deep.equal([
      `${id}/1`,
      `${id}/2`,
    ])
  })

  it('counts exactly while its table grows', () => {
    const names = fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 500, maxLength: 2000 })
    fc.assert(
      fc.property(names, (all) => {
        const ids = new LineIds(8)
        const seen = new Map<number, number>()
        for (const name of all) {
          const before = seen.get(name) ?? 0
          seen.set(name, before + 1)
          const hash = digest(`${name}`)
          const id = `2026-01-15/${hash}${before === 0 ? '' : `/${before}`}`
          expect(ids.hashed('2026-01-15', hash)).to.deep.equal({ id, isNew: true })
        }
      }),
      { numRuns: 20 },
    )
  })

  it('knows which lines of named files are different: by period, day and id, however often which file says them', () => {
    const said = fc.record({
      file: fc.integer({ min: 0, max: 3 }),
      name: fc.integer({ min: 0, max: 5 }),
      period: fc.constantFrom('2026-01', '2026-02'),
    })
    fc.assert(
      fc.property(fc.array(said, { maxLength: 200 }), (all) => {
        const ids = new LineIds(8)
        const seen = new Set<string>()
        const times = new Map<string, number>()
        // Files are read one after another.
        for (const { file, name, period } of all.toSorted((a, b) => a.file - b.file)) {
          const key = `${file} ${period} ${name}`
          const before = times.get(key) ?? 0
          times.set(key, before + 1)
          const id = `2026-01-15/${name}${before === 0 ? '' : `/${before}`}`
          const isNew = !seen.has(`${period} ${id}`)
          seen.add(`${period} ${id}`)
          expect(ids.named('2026-01-15', `${name}`, file, period)).to.deep.equal({ id, isNew })
        }
      }),
      { numRuns: 200 },
    )
  })

  it('keeps an identity that is long or no plain text short and safe', () => {
    const ids = new LineIds()
    expect(ids.named('2026-01-15', 'x'.repeat(1000), 0).id).to.match(/^2026-01-15\/[0-9a-f]{32}$/)
    expect(ids.named('2026-01-15', 'a\u0000b', 0).id).to.match(/^2026-01-15\/[0-9a-f]{32}$/)
  })

  it('tells measures from what they are of', () => {
    const measures = words(`
      BilledCost ContractedUnitPrice PricingQuantity PricingCurrencyEffectiveCost x_CommitmentDiscountUnitPrice
      lineItem/UnblendedCost line_item_unblended_rate lineItem/UsageAmount pricing/publicOnDemandRate
      PreTaxCost CostInBillingCurrency costInUsd Quantity PayGPrice ResourceRate exchangeRatePricingToBilling
      cost credits usage.amount usage.amount_in_pricing_units currency_conversion_rate cost_at_list InvoiceId`)
    const dimensions = words(`
      CostCenter CostAllocationRuleName costCategory/name SkuPriceId SkuPriceDetails PricingUnit PricingCategory
      pricing/RateCode pricing/RateId cost_type currency usage.unit Duration Corporate resourceTags/user:cost
      ChargePeriodStart export_time ConsumedUnit InvoiceIssuerName`)
    expect(measures.filter((name) => !isMeasure(foldName(name)))).to.deep.equal([])
    expect(dimensions.filter((name) => isMeasure(foldName(name)))).to.deep.equal([])
  })
})
