// tier: deep
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { expect } from 'chai'
import { sum } from '#engine/value/decimal.ts'
import { units } from '#streams/figure.ts'
import { tenant } from '#test/harness/product.ts'
import { ingest, readBill } from '#test/real/billing/bill.ts'
import { billingFiles } from '#test/real/billing/files.ts'
import { describeReal } from '#test/real/data.ts'

type Row = Record<string, string>

/** What a file says of each commitment, added up line by line. */
function expectedOf(file: string): Record<string, readonly unknown[]> {
  const rows = (parse(readFileSync(file), { columns: true, bom: true }) as Row[]).filter(
    (row) => !['', 'NULL', 'null', undefined].includes(row['CommitmentDiscountId']),
  )
  const found = Object.entries(Object.groupBy(rows, (row) => row['CommitmentDiscountId']!))
  return Object.fromEntries(
    found.map(([id, own = []]) => {
      const of = (status: string) =>
        own.filter((row) => row['ChargeCategory'] === 'Usage' && row['CommitmentDiscountStatus'] === status)
      const cost = (some: Row[], column: string) => units(sum(some.map((row) => row[column]!)))
      const worth = of('Used').map((row) =>
        Number(row['ContractedCost']) === 0 ? row['ListCost']! : row['ContractedCost']!,
      )
      return [
        id,
        [
          cost(of('Used'), 'EffectiveCost'),
          cost(of('Unused'), 'EffectiveCost'),
          units(sum(worth)),
          own[0]!['CommitmentDiscountType'],
        ],
      ]
    }),
  )
}

describeReal('commitments on recorded bills', (folder) => {
  const files = [
    'focus_sample_2024',
    'aws_1_2_cost_and_usage_rows100',
    'azure_1_2_cost_and_usage_rows100',
    'gcp_1_2_cost_and_usage_rows100',
  ]
  for (const name of files) {
    it(`are used, unused and worth what a plain loop over ${name} says`, async () => {
      const folders = ['focus-1.0', 'focus-1.2-1.3-third-party-generated']
      const bill = billingFiles(folder).find((one) => one.name.startsWith(name))
      expect(bill, name).to.not.equal(undefined)
      const path = folders
        .flatMap((one) => (bill!.name.endsWith('.csv') ? [join(folder, 'billing', one, bill!.name)] : []))
        .find((one) => {
          try {
            return readFileSync(one).length > 0
          } catch {
            return false
          }
        })!
      const expected = expectedOf(path)
      const org = await tenant()
      await ingest(org, (await readBill(bill!)).lines)
      const days = name.startsWith('focus') ? 'from=2024-09-01&to=2024-09-30' : 'from=2026-05-01&to=2026-06-30'
      const { items } = (await org.get(`/reports/commitments?${days}`)).body.data
      const shown = items.map((one: any) => [
        one.commitmentId,
        [units(one.usedUSD), units(one.unusedUSD), units(one.onDemandEquivalentUSD), one.type],
      ])
      expect(shown.length).to.be.greaterThan(0)
      expect(Object.fromEntries(shown)).to.deep.equal(expected)
    })
  }
})
