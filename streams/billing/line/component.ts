/** What a line of a bill is for: compute, storage, traffic and so on, by `component.csv`, of which the first row that fits counts. */
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

/** Of a line that no row fits. */
const otherComponent = 'other'

/** Expressions over small letters; an empty one fits anything. `^` and `$` are the ends of that part. */
interface Row {
  component: string
  provider: string
  /** Over the name of the service, a space, and the type of the resource. */
  service: string
  meter: string
  unit: string
}

const rows: readonly Row[] = parse(readFileSync(new URL('component.csv', import.meta.url)), { columns: true })
const knownComponents: ReadonlySet<string> = new Set(components)
for (const { component } of rows)
  if (!knownComponents.has(component)) throw new Error(`component.csv: unknown component ${component}.`)

const any = String.raw`[^\n]*`
/** Each part stands between angles, since an expression of many can have no ends of its own within. */
const part = (expression: string): string =>
  expression === '' ? any : `${any}(?:${expression.replaceAll('^', '<').replaceAll('$', '>')})${any}`

/**
 * One expression a row, over provider, service and type, meter, and unit in small letters, each between angles and on a line of its
 * own; and what fits the first, the second and so on. `names` begins with what fits none.
 */
export const componentPatterns: { readonly patterns: readonly string[]; readonly names: readonly string[] } = {
  patterns: rows.map(({ provider, service, meter, unit }) =>
    [provider, service, meter, unit].map(part).join(String.raw`\n`),
  ),
  names: [otherComponent, ...rows.map(({ component }) => component)],
}
