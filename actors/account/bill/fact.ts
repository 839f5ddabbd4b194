import type { costFact } from '#analytics/cost/tables.ts'
import type { TableRow } from '#engine/actor/table.ts'
import type { CostLine } from '#streams/billing/line/cost-line.ts'

/** A row of the line itself, with what every stored line has: a copy of so many columns would cost as much as reading it did. */
export function rowOf(orgId: string, line: CostLine): TableRow<typeof costFact> {
  line['x_OrgId'] = orgId
  line['BillingCurrency'] ??= 'USD'
  line.x_UsdRate ??= '1'
  return line as TableRow<typeof costFact> & CostLine
}
