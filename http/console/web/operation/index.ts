/** What the console asks of the API, and what it is answered. Made from the routes by test/console/operations.ts; never by hand. */
import type { ReportsOperations } from './reports.ts'
import type { AuthOperations } from './auth.ts'
import type { BillingOperations } from './billing.ts'
import type { BudgetsOperations } from './budgets.ts'
import type { CloudAccountsOperations } from './cloud-accounts.ts'
import type { EventsOperations } from './events.ts'
import type { TeamsOperations } from './teams.ts'

export interface Operations extends
  ReportsOperations,
  AuthOperations,
  BillingOperations,
  BudgetsOperations,
  CloudAccountsOperations,
  EventsOperations,
  TeamsOperations {}

/** What reports say beside their figures. */
export interface ReportMeta {
  from?: string
  to?: string
  cost?: 'billed' | 'effective' | 'contracted' | 'list'
  savings?: 'reported' | 'estimated' | 'observed' | 'verified'
  currency?: 'USD'
  compared?: {
    from: string
    to: string
  }
  asOf?: string
  costsThrough?: string | null
  costsUpdatedAt?: string | null
  estimatedUSD?: number
  estimatedShare?: number | null
  inventorySyncedAt?: string | null
}
