import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { sum } from '#engine/value/decimal.ts'
import type { Fault } from '#engine/value/fault.ts'
import type { LineSink } from '#streams/billing/reader.ts'
import { BillRefusals } from '#streams/cloud/bill/refusals.ts'
import { partLines } from '#streams/cloud/bill/parts.ts'
import { bytes, csv } from '#test/streams/billing/reading.ts'

type Row = Record<string, string>

const azureRow = (Date: string, cost: string): Row => ({
  Date,
  SubscriptionId: 's-1',
  MeterCategory: 'Virtual Machines',
  CostInBillingCurrency: cost,
  BillingCurrencyCode: 'USD',
})
const awsRow = (id: string, type: string, cost: string, net?: string): Row => ({
  'identity/LineItemId': id,
  'identity/TimeInterval': '2026-02-05T00:00:00Z/2026-02-05T01:00:00Z',
  'bill/BillingPeriodStartDate': '2026-02-01T00:00:00Z',
  'lineItem/LineItemType': type,
  'lineItem/UsageStartDate': '2026-02-05T00:00:00Z',
  'lineItem/UnblendedCost': cost,
  'lineItem/CurrencyCode': 'USD',
  ...(net !== undefined && { 'lineItem/NetUnblendedCost': net }),
})

const fixture = (name: string) => readFileSync(new URL(`../billing/fixtures/${name}`, import.meta.url))

describe('parts of a bill that a connector reads', () => {
  /** How often each part was opened, in their order. */
  let opened: number[]
  let refusals: BillRefusals
  const read = async (
    parts: Readonly<Record<string, string | Buffer>>,
    at = '2026-12-01',
    isNamed = true,
    lines?: LineSink,
  ) => {
    refusals = new BillRefusals()
    opened = Object.keys(parts).map(() => 0)
    const list = Object.entries(parts).map(([name, content], index) => ({
      name,
      at: new Date(at),
      open: async () => {
        opened[index]!++
        return bytes(content)
      },
    }))
    const asked = { month: '2026-02', from: '2026-02-01', to: '2026-02-28', fixHint: '', refusals, lines }
    const pages = await Array.fromAsync(partLines(list, asked, { accountId: 'acct-1', provider: 'azure', isNamed }))
    return pages.flat()
  }

  it('have one order of day and month: a day above 12 in the last decides for the first, in an archive too', async () => {
    // A correction of January stands in the bill of February: by itself the first may be of May and July as well.
    const first = csv(azureRow('05/02/2026', '1.5'), azureRow('07/01/2026', '-0.25'))
    const second = csv(azureRow('25/02/2026', '2'))
    const whole = [
      ['2026-02-05', '1.5'],
      ['2026-01-07', '-0.25'],
      ['2026-02-25', '2'],
    ]
    for (const parts of [{ 'part_0.csv': first, 'part_1.csv': second }, { 'dates.zip': fixture('dates.zip') }]) {
      const lines = await read(parts)
      expect(lines.map(({ ChargePeriodStart, BilledCost }) => [ChargePeriodStart, BilledCost])).to.deep.equal(whole)
    }
    const alone = await read({ 'part_0.csv': first }).catch((error: unknown) => error as Fault)
    expect((alone as Fault).message).to.match(/^part_0\.csv: 05\/02\/2026 is 2026-02-05 or 2026-05-02, /)
  })

  it('are all net of discounts where one says net costs: the discount in another counts in the bill alone', async () => {
    const discount = csv(awsRow('edp', 'EdpDiscount', '-15'))
    const use = csv(awsRow('a', 'Usage', '100', '90'), awsRow('b', 'Usage', '50', '45'))
    const lines = await read({ '1.csv.gz': discount, '2.csv.gz': use })
    const costs = (name: 'BilledCost' | 'EffectiveCost' | 'ContractedCost') =>
      sum(lines.map((line) => String(line[name] ?? 0)))
    // 100 + 50 - 15; 90 + 45 + 0.
    expect([costs('BilledCost'), costs('ContractedCost'), costs('EffectiveCost')]).to.deep.equal(['135', '135', '135'])
    expect(lines.map(({ EffectiveCost }) => String(EffectiveCost))).to.deep.equal(['0', '90', '45'])
  })

  it('are warned of where they have several formats, which may be of the same costs', async () => {
    const focus = csv({ BilledCost: '2', ChargePeriodStart: '2026-02-05', BillingCurrency: 'USD' })
    const azure = csv(azureRow('2026-02-05', '1.5'), azureRow('2026-02-06', '1.5'))
    expect(await read({ '1.csv': focus, '2.csv': azure })).to.have.length(3)
    const message =
      'The bill has files in the formats focus and azure-export: costs that are exported in both count twice.'
    expect(refusals.warnings.list('2026-02')).to.deep.equal([
      { period: '2026-02', code: 'costs_twice', message, count: 1, first: [{ file: '2.csv', row: 2 }] },
    ])
  })

  it('count once where they have the same content', async () => {
    const lines = await read({
      '1.csv': csv(azureRow('2026-02-05', '1.5')),
      '2.csv': csv(azureRow('2026-02-05', '1.5')),
    })
    expect(lines.map(({ BilledCost }) => BilledCost)).to.deep.equal(['1.5'])
    expect(refusals.warnings.list('2026-02').map(({ code, message, first }) => [code, message, first])).to.deep.equal([
      ['file_duplicate', 'Skipped: identical to 1.csv.', [{ file: '2.csv' }]],
    ])
  })

  it('are looked through by their first alone where all of them are Parquet that a manifest names', async () => {
    const text = fixture('focus-plain.parquet').toString('latin1').replaceAll('2026-10', '2026-02')
    const parquet = (resource: string) => Buffer.from(text.replaceAll('r-3', resource), 'latin1')
    const parts = { 'a.parquet': parquet('r-4'), 'b.parquet': parquet('r-5'), 'c.parquet': parquet('r-6') }
    expect(await read(parts)).to.have.length(9)
    // For duplicates, for what they say together, and to be read.
    expect(opened).to.deep.equal([3, 2, 2])
    expect(await read(parts, '2026-12-01', false)).to.have.length(9)
    expect(opened).to.deep.equal([3, 3, 3])
  })

  it('give a taker the same lines as pages: those of the month and the days, with what is refused', async () => {
    const rows = [
      azureRow('2026-02-05', '1.5'),
      azureRow('2026-02-06', '2.25'),
      azureRow('2026-03-01', '3'),
      azureRow('2026-01-07', '-0.25'),
      azureRow('2026-02-08', 'none'),
    ]
    const [first, second] = [csv(...rows), csv(azureRow('2026-02-09', '4'), azureRow('2026-02-05', '1.5'))]
    const paged = await read({ '1.csv': first, '2.csv': second })
    const { told } = refusals
    const taken: string[] = []
    const pages = await read({ '1.csv': first, '2.csv': second }, '2026-12-01', true, {
      begin: async () => {},
      takeSame: (_, { id, costs: [billed] }) => void taken.push(`${id} ${billed!.whole + billed!.rest / 1e14}`),
      take: ({ cost }) => void taken.push(`${cost.x_LineId} ${cost.BilledCost}`),
      pause: async () => {},
    })
    expect(pages).to.deep.equal([])
    expect(taken).to.have.length(6)
    expect(taken).to.deep.equal(paged.map(({ lineId, BilledCost }) => `${lineId} ${BilledCost}`))
    expect([refusals.told, told]).to.deep.equal([told, refusals.told])
    expect(told).to.match(/^1 row rejected, /)
  })
})
