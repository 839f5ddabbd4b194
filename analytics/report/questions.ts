/** The bill lines of a figure. */
import { t } from '#engine/value/schema.ts'
import { allCharges, allLines, chargeFilters, lineFilters } from '#analytics/cost/charge.ts'
import { questions } from '#analytics/store/query.ts'
import { january, labelFilters, noWhere, sliceParams, whereFilters } from '#analytics/store/slice.ts'

const query = questions(import.meta.url)

const list = t.Array(t.String())
const money = t.String({ description: 'US dollars, exact' })

/** Filters of the lines of a figure, in addition to those of every cost query. `group` '' means none. */
const behind = {
  ...sliceParams,
  ...lineFilters,
  dim_tags: labelFilters.dim_tags,
  dim_values: labelFilters.dim_values,
  ...whereFilters,
  uids: list,
  untagged: t.Integer({ minimum: 0, maximum: 1 }),
  group: t.String(),
}
const nothing = {
  ...allLines,
  dim_tags: [] as string[],
  dim_values: [] as string[][],
  ...noWhere,
  uids: [] as string[],
  untagged: 0,
  group: '',
}

export const receiptTotal = query(
  'receipt_total',
  t.Object({ ...behind, invoice_ids: list }),
  t.Object({ all_lines: t.Integer(), cost_usd: money }),
  { ...january, ...nothing, invoice_ids: [] },
  { needs: ['resource_uid', 'own_tags', 'billing_account'] },
)

/** The figure in the daily sums: read for an earlier time. */
export const receiptFigure = query(
  'receipt_figure',
  t.Object(behind),
  t.Object({ all_lines: t.Integer(), cost_usd: money }),
  { ...january, ...nothing },
)

/** `quantity` is the consumed quantity, otherwise the priced one; null if the line has neither. Empty text means none. */
const Line = t.Object({
  line_id: t.String(),
  day: t.String(),
  cloud_account_id: t.String(),
  provider: t.String(),
  service_name: t.String(),
  region: t.String(),
  resource_uid: t.String(),
  resource_type: t.String(),
  purchase_type: t.String(),
  charge_category: t.String(),
  description: t.String(),
  quantity: t.Union([t.String(), t.Null()]),
  unit: t.String(),
  invoice_id: t.String(),
  source: t.String(),
  exported_at: t.String(),
  export_id: t.String(),
  cost_usd: money,
  /** For a line that a rule distributes: the part in the figure, 0 to 1; empty for other lines. */
  share: t.String(),
  /** The whole line. */
  line_cost_usd: money,
  /** For a line without a resource: the tags of the bill, as JSON; otherwise empty. */
  own_tags: t.String(),
  billing_account_id: t.String(),
  sub_account_id: t.String(),
  sub_account_name: t.String(),
  billing_currency: t.String(),
  usd_rate: t.String(),
  usd_rate_source: t.String(),
  /** Columns of the bill that its format does not have: a JSON object, empty for none. */
  other_columns: t.String(),
})

export const receiptLines = query(
  'receipt_lines',
  t.Object({ ...behind, invoice_ids: list, limit: t.Integer({ minimum: 1 }), offset: t.Integer({ minimum: 0 }) }),
  Line,
  { ...january, ...nothing, invoice_ids: [], limit: 100, offset: 0 },
  { needs: ['resource_uid', 'own_tags', 'billing_account'] },
)

/** The same if cluster costs are divided among workloads with teams and tags of their own. */
const partParams = { ...behind, ...chargeFilters, invoice_ids: list }
const partExample = { ...january, ...nothing, ...allCharges, invoice_ids: [] as string[] }

export const receiptPartsTotal = query(
  'receipt_parts_total',
  t.Object(partParams),
  t.Object({ all_lines: t.Integer(), cost_usd: money }),
  partExample,
  { needs: ['resource_uid', 'own_tags', 'billing_account', 'cluster'] },
)

export const receiptParts = query(
  'receipt_parts',
  t.Object({ ...partParams, limit: t.Integer({ minimum: 1 }), offset: t.Integer({ minimum: 0 }) }),
  Line,
  { ...partExample, limit: 100, offset: 0 },
  { needs: ['resource_uid', 'own_tags', 'billing_account', 'cluster'] },
)

/** Source of a tag of a line. */
export const tagOrigins = ['cloud', 'smart', 'auto', 'bill'] as const

export const receiptTags = query(
  'receipt_tags',
  t.Object({ org: t.String(), accounts: list, uids: list }),
  t.Object({
    cloud_account_id: t.String(),
    resource_uid: t.String(),
    tags: t.Record(t.String(), t.String()),
    origins: t.Record(t.String(), t.Enum(tagOrigins)),
  }),
  { org: 'o1', accounts: ['acct-1'], uids: ['i-1'] },
)

export const reportQuestions = [receiptTotal, receiptFigure, receiptLines, receiptPartsTotal, receiptParts, receiptTags]
