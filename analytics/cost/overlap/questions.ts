/** Charges that are in the bills of two accounts. */
import { questions } from '#analytics/store/query.ts'
import { t } from '#engine/value/schema.ts'

const query = questions(import.meta.url)
const money = t.String({ description: 'US dollars, exact' })
const list = t.Array(t.String())

/** One row per sub-account, month and billed account; costs are BilledCost. */
export const billOverlaps = query(
  'bill_overlaps',
  t.Object({
    org: t.String(),
    from: t.String(),
    to: t.String(),
    scoped: t.Integer({ minimum: 0, maximum: 1 }),
    scope_accounts: list,
    limit: t.Integer({ minimum: 1 }),
  }),
  t.Object({
    sub_account_id: t.String(),
    usage_account_id: t.String(),
    month: t.String(),
    cloud_account_id: t.String(),
    days: t.Integer(),
    all_lines: t.Integer(),
    cost_usd: money,
    lines_left_out: t.Integer(),
    left_out_usd: money,
  }),
  { org: 'o1', from: '2026-01-01', to: '2026-01-31', scoped: 0, scope_accounts: [], limit: 100 },
)

/** One row per billed account; costs are BilledCost. */
export const billsLeftOut = query(
  'bills_left_out',
  t.Object({ org: t.String(), from: t.String(), to: t.String() }),
  t.Object({
    cloud_account_id: t.String(),
    first_month: t.String(),
    last_month: t.String(),
    counted: list,
    days: t.Integer(),
    left_out_usd: money,
  }),
  { org: 'o1', from: '2026-01-01', to: '2026-01-31' },
)
