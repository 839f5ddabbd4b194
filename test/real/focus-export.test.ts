// tier: deep
import { Readable } from 'node:stream'
import { parse } from 'csv-parse/sync'
import { expect } from 'chai'
import { sum } from '#engine/value/decimal.ts'
import { LineIds } from '#streams/billing/line/line-id.ts'
import { openBillingFile } from '#streams/billing/reader.ts'
import type { AcceptedLine } from '#streams/billing/row/reading.ts'
import { focusFaults } from '#test/harness/focus-rules.ts'
import { tenant } from '#test/harness/product.ts'
import { ingest, readBill } from '#test/real/billing/bill.ts'
import { billingFiles } from '#test/real/billing/files.ts'
import { describeReal } from '#test/real/data.ts'

describeReal('the FOCUS export of a real bill', (folder) => {
  it('conforms to 1.4 and 1.2 and, read again, has the lines and the costs of the bill', async () => {
    const bill = await readBill(billingFiles(folder).find(({ name }) => name.startsWith('focus_sample'))!)
    const org = await tenant()
    await ingest(org, bill.lines)
    const days = { from: '2024-09-01', to: '2024-09-30' }
    for (const version of ['1.4', '1.2'] as const) {
      const made = await org.send('POST', '/reports/export', { report: 'focus', format: 'csv', version, ...days })
      const text = await (await fetch(made.body.data.downloadURL)).text()
      const rows = parse(text, { columns: true, record_delimiter: '\r\n' }) as Record<string, string>[]
      expect(focusFaults(version, Object.keys(rows[0]!), rows)).to.deep.equal([])
      const options = { format: 'auto' as const, accountId: 'a', rates: {}, exportedAt: new Date(), ids: new LineIds() }
      const again = (await Array.fromAsync(
        (await openBillingFile(Readable.from([Buffer.from(text)]), options)).rows,
      )) as AcceptedLine[]
      expect(again.length).to.equal(bill.lines.length)
      for (const name of ['BilledCost', 'EffectiveCost', 'ListCost', 'ContractedCost'] as const)
        expect(sum(again.map(({ cost }) => cost[name])), name).to.equal(sum(rows.map((row) => row[name]!)))
      expect(sum(again.map(({ cost }) => cost.BilledCost))).to.equal(
        sum(bill.lines.map((line) => `${line.BilledCost}`)),
      )
    }
  })
})
