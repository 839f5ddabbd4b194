/** Costs as a sheet, grouped by the requested dimensions. */
import { costByPeriod } from '#analytics/cost/questions.ts'
import { exportCosts, exportDims, type ExportDim } from '#analytics/export/questions.ts'
import type { tagColumns } from '#analytics/store/slice.ts'
import type { Cell } from '#http/edge/csv.ts'
import { checkDimensions, type ExportRequest } from '#http/export/body.ts'
import { numbers, texts, type Sheet } from '#http/file/sheet.ts'
import { labelsOf, narrowedBy } from '#http/report/filter/dimension.ts'
import { isTag } from '#http/report/filter/tag-dimension.ts'
import { filterQuestion, orNone } from '#http/report/filter/filter.ts'
import { cents } from '#streams/figure.ts'

type Level = ExportDim | (typeof tagColumns)[number] | 'nothing'
type Levels = [Level, Level, Level, Level, Level, Level, Level, Level, Level, Level, Level, Level]
const levelsMax = 12
const nothing = Array<Level>(levelsMax).fill('nothing') as Levels

const measures = numbers('cost_usd', 'savings_usd')

/** One row for each combination of dimension values; without dimensions, one row. */
export function costSheet(asking: ExportRequest, fallback: readonly ExportDim[] = []): Sheet {
  const tags = asking.dimensions.filter(isTag)
  checkDimensions(asking, [...exportDims, ...tags])
  const dims = asking.dimensions.length > 0 ? asking.dimensions : fallback
  const labels = labelsOf(dims, asking.filters, { in: 'body', name: '/dimensions' })
  const [d1, d2, d3, d4, d5, d6, d7, d8, d9, d10, d11, d12] = [...labels.columns, ...nothing] as Levels
  const levels = { d1, d2, d3, d4, d5, d6, d7, d8, d9, d10, d11, d12 }
  const narrowed = { ...asking.question, ...filterQuestion(asking.question, asking.filters) }
  const question = { ...narrowed, ...labels.question, ...levels }
  const rows = asking.services.stream(exportCosts, question)
  return { columns: [...texts(...dims), ...measures], rows: nameRows(rows, dims.length) }
}

/** Rows without a value get the name that reports use. */
async function* nameRows(rows: AsyncIterable<readonly unknown[]>, count: number): AsyncGenerator<Cell[], void> {
  for await (const row of rows) {
    const cells = row as Cell[]
    yield [...cells.slice(0, count).map((value) => orNone(String(value))), ...cells.slice(levelsMax)]
  }
}

/** Without dimensions, the totals of the report; otherwise as `costSheet`. */
export function summarySheet(asking: ExportRequest): Sheet {
  const { columns, rows } = costSheet(asking)
  return { columns, rows: asking.dimensions.length > 0 ? rows : totals(rows) }
}

async function* totals(rows: Sheet['rows']): AsyncGenerator<Cell[], void> {
  for await (const row of rows) yield row.map((cell) => cents(cell ?? 0))
}

/** One row for each resource. */
export const resourceSheet = (asking: ExportRequest): Sheet => costSheet(asking, ['cloud_account_id', 'resource_uid'])

/** One row for each period, including periods without costs; with other dimensions than time as `costSheet`. */
export function trendSheet(asking: ExportRequest): Sheet {
  const [only = 'date', ...others] = asking.dimensions
  const isSeries = others.length === 0 && (only === 'date' || only === 'month')
  if (!isSeries) return costSheet(asking)
  const granularity =
    only === 'month' ? 'monthly' : asking.dimensions.length > 0 ? 'daily' : (asking.body.granularity ?? 'daily')
  const rows = asking.services.stream(costByPeriod, { ...narrowedBy(asking.question, asking.filters), granularity })
  return { columns: [...texts(only), ...measures], rows: rows as AsyncIterable<Cell[]> }
}
