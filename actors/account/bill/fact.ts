import type { costFact } from '#analytics/cost/tables.ts'
import type { TableRow } from '#engine/actor/table.ts'
import type { CostLine } from '#streams/billing/line/cost-line.ts'

/**
 * The row of a line, with the columns that every stored line has. It is the line object itself: copying so many columns
 * would cost as much as parsing them.
 */
export function rowOf(orgId: string, line: CostLine): TableRow<typeof costFact> {
  line['x_OrgId'] = orgId
  line['BillingCurrency'] ??= 'USD'
  line.x_UsdRate ??= '1'
  return line as TableRow<typeof costFact> & CostLine
}
