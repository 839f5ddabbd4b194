/** What the console asks of the API, and what it is answered. Made from the routes by test/console/operations.ts; never by hand. */
import type { ActionsOperations } from './actions.ts'
import type { AllocationOperations } from './allocation.ts'
import type { AuthOperations } from './auth.ts'
import type { AutoscalerPoliciesOperations } from './autoscaler-policies.ts'
import type { AutotaggingOperations } from './autotagging.ts'
import type { BillingOperations } from './billing.ts'
import type { BudgetsOperations } from './budgets.ts'
import type { CatalogOperations } from './catalog.ts'
import type { CloudAccountsOperations } from './cloud-accounts.ts'
import type { DeadLettersOperations } from './dead-letters.ts'
import type { DeploymentsOperations } from './deployments.ts'
import type { EventReadinessOperations } from './event-readiness.ts'
import type { EventsOperations } from './events.ts'
import type { McpOperations } from './mcp.ts'
import type { MembersOperations } from './members.ts'
import type { NotificationsOperations } from './notifications.ts'
import type { OrganisationsOperations } from './organisations.ts'
import type { OverridesOperations } from './overrides.ts'
import type { PoliciesOperations } from './policies.ts'
import type { ProvisioningJobsOperations } from './provisioning-jobs.ts'
import type { RecommendationsOperations } from './recommendations.ts'
import type { RemediationJobsOperations } from './remediation-jobs.ts'
import type { ReportsOperations } from './reports.ts'
import type { ResourceGroupsOperations } from './resource-groups.ts'
import type { ResourcesOperations } from './resources.ts'
import type { RolesOperations } from './roles.ts'
import type { SavedViewsOperations } from './saved-views.ts'
import type { SchedulesOperations } from './schedules.ts'
import type { ScimOperations } from './scim.ts'
import type { SecurityEventsOperations } from './security-events.ts'
import type { SettingsOperations } from './settings.ts'
import type { SharedCostOperations } from './shared-cost.ts'
import type { SmartTagsOperations } from './smart-tags.ts'
import type { SpacesOperations } from './spaces.ts'
import type { StateHistoryOperations } from './state-history.ts'
import type { TaggingOperations } from './tagging.ts'
import type { TeamsOperations } from './teams.ts'
import type { WhatIfOperations } from './what-if.ts'
import type { WorkflowsOperations } from './workflows.ts'

export interface Operations extends
  ActionsOperations,
  AllocationOperations,
  AuthOperations,
  AutoscalerPoliciesOperations,
  AutotaggingOperations,
  BillingOperations,
  BudgetsOperations,
  CatalogOperations,
  CloudAccountsOperations,
  DeadLettersOperations,
  DeploymentsOperations,
  EventReadinessOperations,
  EventsOperations,
  McpOperations,
  MembersOperations,
  NotificationsOperations,
  OrganisationsOperations,
  OverridesOperations,
  PoliciesOperations,
  ProvisioningJobsOperations,
  RecommendationsOperations,
  RemediationJobsOperations,
  ReportsOperations,
  ResourceGroupsOperations,
  ResourcesOperations,
  RolesOperations,
  SavedViewsOperations,
  SchedulesOperations,
  ScimOperations,
  SecurityEventsOperations,
  SettingsOperations,
  SharedCostOperations,
  SmartTagsOperations,
  SpacesOperations,
  StateHistoryOperations,
  TaggingOperations,
  TeamsOperations,
  WhatIfOperations,
  WorkflowsOperations {}

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
  billedThrough?: string | null
  settledThrough?: string | null
  lateAccounts?: string[]
  costsUpdatedAt?: string | null
  estimatedUSD?: number
  estimatedShare?: number | null
  unknownTagKey?: {
    key: string
    nearest: string[]
  }
  inventorySyncedAt?: string | null
}
