/** The product's own tables of sizes, prices and dates. Their sources are in SOURCES.md beside them. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'

const files = {
  'azure-disk': 'azure/disk.csv',
  'azure-region': 'azure/region.csv',
  'azure-region-size': 'azure/region-size.csv',
  'azure-vm': 'azure/vm.csv',
  commitment: 'commitment.csv',
  ec2: 'aws/ec2.csv',
  fargate: 'aws/fargate.csv',
  gce: 'gcp/gce.csv',
  'gce-price': 'gcp/gce-price.csv',
  lifecycle: 'lifecycle.csv',
  node: 'aws/node.csv',
  plan: 'plan.csv',
  region: 'region.csv',
  step: 'step.csv',
  storage: 'storage.csv',
  'unit-price': 'unit-price.csv',
} as const

/** From when the prices of a table are, as in SOURCES.md: `node` is for all services of nodes and plans. */
export const tableDates = {
  'azure-vm': '2026-08',
  ec2: '2026-08',
  'gce-price': '2023-08',
  node: '2025-01',
  storage: '2025-01',
  'unit-price': '2025-01',
} as const satisfies Partial<Record<keyof typeof files, string>>
export type DatedTable = keyof typeof tableDates

export type TableName = keyof typeof files
export type ReferenceRow = Readonly<Record<string, string>>

const read = (name: TableName): Buffer => readFileSync(new URL(files[name], import.meta.url))

/** Rows by column, in the file's order. Read again at each call. */
export const rowsOf = (name: TableName): readonly ReferenceRow[] => parse(read(name), { columns: true })

/** The number in a cell; undefined if empty. */
export const numberOf = (cell: string | undefined): number | undefined =>
  cell === undefined || cell === '' ? undefined : Number(cell)

/** Eight hexadecimal digits that identify the version of the tables. */
export function tablesHash(): string {
  const hash = createHash('sha256')
  for (const name of Object.keys(files).sort() as TableName[]) hash.update(read(name))
  return hash.digest('hex').slice(0, 8)
}
