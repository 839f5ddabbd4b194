/** Reads a bill in a process of its own, so that its memory is its own. Prints rows, milliseconds and peak memory in MiB. */
import { LineIds } from '#streams/billing/line/line-id.ts'
import { openBillingFile } from '#streams/billing/reader.ts'
import { openSource } from '#streams/billing/file/source.ts'

const [file = '', how = 'bill'] = process.argv.slice(2)
const options = { format: 'auto', accountId: 'acct-1', rates: {}, exportedAt: new Date(), ids: new LineIds() } as const
const began = performance.now()
const { rows } = how === 'rows' ? await openSource(file) : await openBillingFile(file, options)
let count = 0
for await (const row of rows) {
  if ('refused' in row) throw new Error(`row ${row.row}: ${row.refused.message}`)
  count++
}
const ms = performance.now() - began
process.stdout.write(JSON.stringify({ rows: count, ms, peakMb: process.resourceUsage().maxRSS / 1024 }))
