/** What a bill line is for: compute, storage, traffic and so on. The first matching row of `component.csv` decides. */
import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'

export const components = [
  'compute',
  'storage',
  'iops',
  'throughput',
  'backup',
  'io_requests',
  'requests',
  'data_transfer',
  'inter_az',
  'nat_processing',
  'public_ipv4',
  'license',
  'extended_support',
  'log_ingest',
  'log_storage',
  'log_restore',
  'surplus_credits',
  'provisioned_concurrency',
  'cache',
  'memory',
  'fast_restore',
  'dedicated_ip',
  'retention',
  'management_fee',
  'capacity',
  'base_fee',
  'rules',
  'dbu',
  'sftp',
] as const

/** For lines that no row matches. */
const otherComponent = 'other'

/**
 * Regular expressions over lower-case text; an empty one matches everything. `^` and `$` match the ends of the column's
 * text.
 */
interface Row {
  component: string
  provider: string
  /** Over the service name, a space and the resource type. */
  service: string
  meter: string
  unit: string
}

const rows: readonly Row[] = parse(readFileSync(new URL('component.csv', import.meta.url)), { columns: true })
const knownComponents: ReadonlySet<string> = new Set(components)
for (const { component } of rows)
  if (!knownComponents.has(component)) throw new Error(`component.csv: unknown component ${component}.`)

const any = String.raw`[^\n]*`
/**
 * The text of each column is enclosed in `<` and `>`, which replace `^` and `$`, because the columns are joined into
 * one text.
 */
const part = (expression: string): string =>
  expression === '' ? any : `${any}(?:${expression.replaceAll('^', '<').replaceAll('$', '>')})${any}`

/**
 * One expression per row of the file, over a text with provider, service and type, meter, and unit in lower case, each
 * in angle brackets on its own line. `names[0]` is the result if none matches, `names[i]` that of pattern `i`, counted
 * from 1.
 */
export const componentPatterns: { readonly patterns: readonly string[]; readonly names: readonly string[] } = {
  patterns: rows.map(({ provider, service, meter, unit }) =>
    [provider, service, meter, unit].map(part).join(String.raw`\n`),
  ),
  names: [otherComponent, ...rows.map(({ component }) => component)],
}
