/** Recorded bills of every format that is read, cut to a few rows. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'

/** A bill as a table. */
export interface Table {
  header: readonly string[]
  rows: readonly (readonly string[])[]
}

export interface Base {
  format: string
  table?: Table
  /** JSON lines. */
  json?: string
}

const csvs: readonly (readonly [string, string])[] = [
  ['aws-cur', 'data/billing/aws-cur/aws_cur_2023-11_01_06.csv'],
  ['aws-cur', 'data/billing/aws-cur/savings_plan_NOK_2023-06.csv'],
  ['aws-cur', 'data/billing/aws-cur/third-party-generated_koku-local-1.csv.gz'],
  ['aws-cur', 'field/04-savings-plan-refund/cur-sprefund.csv'],
  ['aws-cur', 'field/16-net-cost-edp/cur-net.csv'],
  ['aws-cur', 'field/13-cur2-tags-column/cur-dupid.csv'],
  ['aws-cur-2.0', 'field/13-cur2-tags-column/cur2.csv'],
  ['focus-1.0', 'data/billing/focus-1.0/focus_sample_2024-09-01_18.csv'],
  ['focus-1.0', 'field/08-own-exchange-rate/focus-eur.csv'],
  ['focus-1.0', 'data/billing/focus-spec-examples/saas_examples__virtual_currency_pricing_model_a2.csv'],
  ['focus-1.2', 'data/billing/focus-1.2-1.3-third-party-generated/aws_1_2_cost_and_usage_rows25_seed7.csv'],
  ['focus-1.2', 'data/billing/focus-1.2-1.3-third-party-generated/azure_1_2_cost_and_usage_rows25_seed7.csv'],
  ['focus-1.2', 'data/billing/focus-1.2-1.3-third-party-generated/gcp_1_2_cost_and_usage_rows25_seed7.csv'],
  ['focus-1.3', 'data/billing/focus-1.2-1.3-third-party-generated/aws_1_3_cost_and_usage_rows25_seed7_credits.csv'],
  ['focus-1.3', 'data/billing/focus-1.2-1.3-third-party-generated/azure_1_3_cost_and_usage_rows25_seed7_credits.csv'],
  ['focus-1.3', 'data/billing/focus-1.2-1.3-third-party-generated/gcp_1_3_cost_and_usage_rows25_seed7_credits.csv'],
  ['azure', 'data/billing/azure-export/EA_ActualCost_Small.csv'],
  ['azure', 'data/billing/azure-export/azure_camelCased.csv'],
  ['azure', 'data/billing/azure-export/costreport_2019-07.csv'],
  ['azure', 'field/12-day-month-dates/az-ddmm.csv'],
  ['azure', 'field/17-azure-tag-case/az-case.csv'],
  ['gcp', 'data/billing/gcp-export/gcp_2020-11-08_11.csv'],
]
const rowsMax = 12

/** Those that are there, in `folder`. */
export function bases(folder: string): Base[] {
  const found: Base[] = []
  for (const [format, name] of csvs) {
    const file = path.join(folder, name)
    if (!existsSync(file)) continue
    const bytes = readFileSync(file)
    const [header = [], ...rows] = parse(name.endsWith('.gz') ? gunzipSync(bytes) : bytes, {
      bom: true,
      to_line: 400,
      relax_column_count: true,
    }) as string[][]
    const spread = rows.filter((_, i) => rows.length <= rowsMax || i % Math.ceil(rows.length / rowsMax) === 0)
    found.push({ format, table: { header, rows: spread.filter((row) => row.length === header.length) } })
  }
  const credits = path.join(folder, 'field/03-gcp-cud/gcp-cud.jsonl')
  if (existsSync(credits)) found.push({ format: 'gcp', json: readFileSync(credits, 'utf8').trimEnd() })
  return found
}
