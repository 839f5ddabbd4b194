/**
 * The same bill as CSV, as gzipped CSV and as Parquet: rows per second of reading alone, and of creating lines, each in
 * its own process, with its peak memory.
 * Usage: npm run -s bench -- bill-files [--rows 1000000] [--only bill]
 * The ceiling is the CSV: 41 columns of FOCUS, about 600 bytes a row. ClickHouse writes both from the same query.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { Session } from 'chdb'
import { focusBill } from './harness/focus-bill.ts'
import { figure, say } from './harness/stage.ts'

const { values } = parseArgs({
  options: { rows: { type: 'string', default: '1000000' }, only: { type: 'string' } },
})
const count = Number(values.rows)
const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-bench-'))

const session = new Session(path.join(folder, 'clickhouse'))

/** Written by the engine itself: 10,000,000 rows are more than one answer may hold. */
function write(name: string, format: string): string {
  const file = path.join(folder, name)
  session.query(
    `SET param_count = ${count}, param_perDay = ${Math.ceil(count / 31)}, date_time_output_format = 'iso',
      output_format_parquet_compression_method = 'zstd'`,
  )
  session.query(`${focusBill} INTO OUTFILE '${file}' FORMAT ${format}`)
  return file
}

const files = [
  ['csv', write('bill.csv', 'CSVWithNames')],
  ['parquet', write('bill.parquet', 'Parquet')],
] as const
session.close()

const reader = new URL('harness/read-bill.ts', import.meta.url).pathname
const run = promisify(execFile)
for (const how of ['rows', 'bill'].filter((one) => values.only === undefined || values.only === one)) {
  const speeds = new Map<string, number>()
  for (const [name, file] of files) {
    const { stdout } = await run(process.execPath, [reader, file, how])
    const { rows, ms, peakMb } = JSON.parse(stdout) as { rows: number; ms: number; peakMb: number }
    if (rows !== count) throw new Error(`${name}: ${rows} rows of ${count}`)
    speeds.set(name, (1000 * rows) / ms)
    const size = `${(statSync(file).size / 2 ** 20).toFixed(0)} MiB`
    say(`${how} of ${name}, ${size}: ${figure((1000 * rows) / ms)} rows/s, peak ${figure(peakMb)} MiB`)
  }
  say(`${how}: Parquet beside CSV: ${(speeds.get('parquet')! / speeds.get('csv')!).toFixed(2)} times as fast`)
}
rmSync(folder, { recursive: true })
