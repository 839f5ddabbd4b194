/**
 * The permissions that each view of the analysts' ClickHouse needs (decision G-126): those of the routes with the same
 * data. A test compares them with the routes; docs/analytics.md prints them.
 */
import { Fault } from '#engine/value/fault.ts'
import type { Rights } from '#http/identity/organization/role.ts'

/** All rights that views need: permissions, and what only owners and admins may read. */
export const viewRights = ['service.view', 'space.view', 'admin'] as const
export type ViewRight = (typeof viewRights)[number]

export interface ViewGroup {
  /** All of these are needed. */
  readonly needs: readonly ViewRight[]
  /** Routes with the same data. */
  readonly like: readonly string[]
  readonly views: readonly string[]
}

const words = (text: string): string[] => text.split(/\s+/)

const service = (like: string, views: string): ViewGroup => ({
  needs: ['service.view'],
  like: [like],
  views: words(views),
})

export const viewGroups: readonly ViewGroup[] = [
  service(
    'GET /reports/costs/breakdown',
    `cost_service_daily cost_daily usage_daily cost_at cost_attributed cost_slice cost_slice_tagged cost_slice_invoiced
     charged_services month_editions resource_sums`,
  ),
  service('GET /reports/bill-overlaps', 'bill_shadow'),
  service('GET /reports/receipt', 'cost_lines cost_lines_at cost_row bill_at'),
  service('GET /reports/commitments', 'commitment_use commitment_slice'),
  service('GET /reports/tags', 'tag_costs shared_tags'),
  service('GET /reports/teams', 'team_state team_assignments allocations resource_teams teamed_resources'),
  service('GET /policies', 'shared_rules shared_lines cost_shares'),
  service('GET /reports/snapshots', 'snapshot_state closed_assignment'),
  service('GET /reports/kubernetes/receipt', 'kubernetes_costs kubernetes_idle kubernetes_pods'),
  service('GET /reports/resources/metrics/daily', 'metric_samples'),
  service('GET /reports/resources/activity', 'resource_change scheduler_event action_submission'),
  service('GET /resources/:resourceID/context', 'effective_tags resource_tags tag_maps tag_sources tagged_resources'),
  service('GET /reports/savings/claims', 'saving_daily'),
  service('GET /reports/anomalies', 'anomalies'),
  service('GET /recommendations', 'recommendations'),
  service('GET /remediation-jobs/:jobID/audit', 'workflow_events'),
  service('GET /autoscaler-policies/:policyID/events', 'policy_events'),
  service('GET /event-readiness/:eventID/logs', 'plan_logs'),
  service('GET /reports/unit-economics', 'unit_metric_values'),
  service('GET /notifications/deliveries/:deliveryID', 'notifications'),
  service('GET /state-history', 'state_history'),
  { needs: ['space.view'], like: ['GET /resources', 'GET /resources/:resourceID/specs'], views: ['resources'] },
  {
    needs: ['service.view', 'space.view'],
    like: ['GET /resources', 'GET /reports/resources/summary'],
    views: ['resource_slice', 'present_resources'],
  },
  {
    needs: ['service.view', 'space.view'],
    like: ['GET /resources/:resourceID/specs', 'GET /recommendations/:recID/detail'],
    views: ['fact_sheets'],
  },
  { needs: ['admin'], like: ['GET /security-events'], views: ['security_events'] },
]

export interface ViewColumn {
  readonly view: string
  readonly column: string
  readonly needs: ViewRight
  readonly like: string
}

/** Columns that need more rights than their view; without these the view does not have the column. */
export const viewColumns: readonly ViewColumn[] = [
  {
    view: 'resources',
    column: 'hourly_rate_usd',
    needs: 'service.view',
    like: 'GET /resources/:resourceID/context',
  },
]

/** The rights that a caller has among those that views need, in the order of `viewRights`. */
export const viewRightsOf = ({ permissions, isAdmin }: Pick<Rights, 'permissions' | 'isAdmin'>): ViewRight[] =>
  viewRights.filter((right) => (right === 'admin' ? isAdmin : permissions.has(right)))

/** The views that these rights open. */
export const readableViews = (held: readonly ViewRight[]): string[] =>
  viewGroups.filter(({ needs }) => needs.every((right) => held.includes(right))).flatMap(({ views }) => views)

/** Columns of a view that these rights do not open. */
export const hiddenColumns = (view: string, held: readonly ViewRight[]): string[] =>
  viewColumns.filter((one) => one.view === view && !held.includes(one.needs)).map(({ column }) => column)

/**
 * ClickHouse does not restrict to accounts or teams, so its users must be allowed to see all of them.
 * @throws Fault `forbidden` `report_scope`, or `nothing_to_read` if the rights open no view
 */
export function checkAnalyst(rights: Pick<Rights, 'permissions' | 'isAdmin' | 'reportScope'>): void {
  if (!rights.reportScope.all)
    throw Fault.forbidden(
      'report_scope',
      'Your role sees only part of the costs. Use the API, which limits results to your scope.',
    )
  if (readableViews(viewRightsOf(rights)).length > 0) return
  const needed = viewRights.filter((right) => right !== 'admin').join(' or ')
  throw Fault.forbidden('nothing_to_read', `Your role cannot read any analyst views. It needs ${needed}.`)
}
