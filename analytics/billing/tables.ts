import { t } from '#engine/value/schema.ts'
import { table } from '#engine/actor/table.ts'
import { costFact } from '#analytics/cost/tables.ts'

/** Lines of exports, as the account actor appends them. */
export const billLine = table({
  name: 'bill_line',
  row: t.Object({ ...costFact.row.properties, x_BillingPeriod: t.String(), x_ExportId: t.String() }),
})

export const billingTables = [billLine]
