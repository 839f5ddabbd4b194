/** What the console asks of the API, and what it is answered. Made from the routes by test/console/operations.ts; never by hand. */
import type { AuthOperations } from './auth.ts'
import type { BillingOperations } from './billing.ts'
import type { BudgetsOperations } from './budgets.ts'
import type { CloudAccountsOperations } from './cloud-accounts.ts'
import type { EventsOperations } from './events.ts'
import type { ReportsOperations } from './reports.ts'
import type { ResourcesOperations } from './resources.ts'
import type { TeamsOperations } from './teams.ts'

export interface Operations extends
  AuthOperations,
  BillingOperations,
  BudgetsOperations,
  CloudAccountsOperations,
  EventsOperations,
  ReportsOperations,
  ResourcesOperations,
  TeamsOperations {}
