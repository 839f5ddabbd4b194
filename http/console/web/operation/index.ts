/** What the console asks of the API, and what it is answered. Made from the routes by test/console/operations.ts; never by hand. */
import type { BudgetsOperations } from './budgets.ts'
import type { PoliciesOperations } from './policies.ts'
import type { TeamsOperations } from './teams.ts'
import type { AuthOperations } from './auth.ts'
import type { AutotaggingOperations } from './autotagging.ts'
import type { BillingOperations } from './billing.ts'
import type { CloudAccountsOperations } from './cloud-accounts.ts'
import type { EventsOperations } from './events.ts'
import type { ReportsOperations } from './reports.ts'
import type { ResourceGroupsOperations } from './resource-groups.ts'
import type { SmartTagsOperations } from './smart-tags.ts'
import type { TaggingOperations } from './tagging.ts'
import type { AllocationOperations } from './allocation.ts'
import type { SharedCostOperations } from './shared-cost.ts'
import type { WhatIfOperations } from './what-if.ts'

export interface Operations extends
  BudgetsOperations,
  PoliciesOperations,
  TeamsOperations,
  AuthOperations,
  AutotaggingOperations,
  BillingOperations,
  CloudAccountsOperations,
  EventsOperations,
  ReportsOperations,
  ResourceGroupsOperations,
  SmartTagsOperations,
  TaggingOperations,
  AllocationOperations,
  SharedCostOperations,
  WhatIfOperations {}
