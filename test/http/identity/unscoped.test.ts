/** Which writes need a role that sees all costs, and why each of the others does not add to what a role sees. */
import { expect } from 'chai'
import { Fault } from '#engine/value/fault.ts'
import type { Route } from '#http/edge/route.ts'
import { routes } from '#http/index.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { permit } from '#http/identity/organization/permit.ts'
import {
  customRights,
  everything,
  permissions,
  systemRights,
  type ReportScope,
} from '#http/identity/organization/role.ts'

/** Their effect is on things that no report scope is made of: an account, a team, or whose a resource is. */
const unrelated: readonly string[] = [
  'POST /resource-groups',
  'PATCH /resource-groups/:groupID',
  'DELETE /resource-groups/:groupID',
  'PUT /resource-groups/:groupID/members',
  'POST /schedules',
  'PATCH /schedules/:scheduleID',
  'DELETE /schedules/:scheduleID',
  'POST /overrides',
  'DELETE /overrides/:overrideID',
  'POST /actions',
  'POST /actions/bulk',
  'POST /spaces',
  'PATCH /spaces/:spaceID',
  'DELETE /spaces/:spaceID',
  'DELETE /deployments/:deploymentID',
  'POST /source-installations',
  'POST /unit-metrics',
  'PUT /unit-metrics/:unitMetricID',
  'DELETE /unit-metrics/:unitMetricID',
  'POST /unit-metric-values/:id',
  'POST /unit-metric-values/:id/csv',
  'POST /unit-metric-values/:id/test-pull',
  'DELETE /unit-metric-values/:id',
  'POST /notifications',
  'PUT /notifications/:notificationID',
  'DELETE /notifications/:notificationID',
  'DELETE /notifications/channels/:channelID',
  'POST /notifications/channels',
  'POST /notifications/channels/:channelID/test',
  'POST /notifications/channels/:channelID/signing-secret',
  'DELETE /notifications/subscriptions/:subID',
  'PUT /notifications/email-preferences/:eventKey',
]

/** They look at what the caller sees, and change only that: the handler narrows by the scope of the role. */
const narrowed: readonly string[] = [
  'PATCH /smart-tags',
  'POST /autotagging/accept',
  'POST /autotagging/decide',
  'POST /autotagging/reject',
  'PATCH /autotagging/:resourceUid',
  'PUT /reports/anomalies/:anomalyID/review',
  'DELETE /reports/anomalies/:anomalyID/review',
  'POST /billing/uploads',
  'POST /billing/uploads/:uploadID/apply',
  'DELETE /billing/uploads/:uploadID',
  'POST /budgets',
  'PUT /budgets/:budgetID',
  'DELETE /budgets/:budgetID',
  'POST /deployments',
  'PATCH /deployments/:deploymentID',
  'PATCH /recommendations/:recommendationID',
  'POST /recommendations/:recID/viewed',
  'POST /recommendations/:recID/workflow',
  'POST /remediation-jobs',
  'POST /remediation-jobs/:jobID/cancel',
  'POST /workflows/:jobID/cancel',
  'POST /autoscaler-policies',
  'PUT /autoscaler-policies/:policyID',
  'DELETE /autoscaler-policies/:policyID',
  'POST /autoscaler-policies/create-infrastructure',
  'POST /autoscaler-policies/:policyID/apply',
  'POST /autoscaler-policies/:policyID/pause',
  'POST /autoscaler-policies/:policyID/resume',
  'POST /autoscaler-policies/:policyID/remove',
  'POST /event-readiness',
  'PATCH /event-readiness/:eventID',
  'DELETE /event-readiness/:eventID',
  'POST /event-readiness/:eventID/schedule',
  'POST /event-readiness/:eventID/cancel',
  'POST /event-readiness/:eventID/retry',
  'POST /event-readiness/:eventID/reopen',
  'PUT /notifications/channels/:channelID',
  'POST /notifications/subscriptions',
  'POST /notifications/subscriptions/bulk',
  'PUT /notifications/subscriptions/:subID',
  'POST /notifications/share/recommendation/:recID',
]

/** They read, or do sooner what would be done anyway. */
const reading: readonly string[] = [
  'POST /resources/by-uids',
  'POST /resources/refresh',
  'POST /resources/refresh/cancel',
  'POST /cloud-accounts/:cloudAccountID/check',
  'POST /cloud-accounts/:cloudAccountID/verify',
  'POST /policies/validations',
  'POST /tagging/policies/validations',
  'POST /tagging/policies/preview',
  'POST /allocation/policies/preview',
  'POST /reports/export',
  'POST /billing/verify',
  'POST /what-if',
  'POST /schedules/next-runs',
  'POST /autoscaler-policies/what-if',
  'POST /event-readiness/preview-readiness',
  'POST /event-readiness/cost-preview',
  'POST /provisioning-jobs/estimate',
  'POST /recommendations/refresh',
]

/** What they make is new, and so are its costs; what there was stays where it was. */
const making: readonly string[] = [
  'POST /provisioning-jobs',
  'POST /provisioning-jobs/install-component',
  'PATCH /provisioning-jobs/:id',
  'PUT /provisioning-jobs/:id',
  'DELETE /provisioning-jobs/:id',
  'POST /provisioning-jobs/:id/retry',
  'POST /provisioning-jobs/:jobID/databases',
  'DELETE /provisioning-jobs/:jobID/databases/:dbID',
  'POST /provisioning-jobs/:jobID/connections',
  'DELETE /provisioning-jobs/:jobID/connections/:connID',
  'POST /provisioning-jobs/:jobID/databases/:dbID/connections',
  'DELETE /provisioning-jobs/:jobID/databases/:dbID/connections/:connID',
]

/** They say nothing of costs. */
const noting: readonly string[] = [
  'PUT /exchange-rates/:currency/:day',
  'DELETE /exchange-rates/:currency/:day',
  'POST /notes',
  'DELETE /notes/:noteID',
  'PUT /notifications/read-mark',
  'PUT /organisations/:orgID/first-steps',
]

/** A view is read, and a report mailed, with what its reader and its owner see at that moment. */
const viewing: readonly string[] = [
  'POST /saved-views',
  'PATCH /saved-views/:savedViewID',
  'DELETE /saved-views/:savedViewID',
  'POST /saved-views/:savedViewID/schedules',
  'PATCH /saved-views/:savedViewID/schedules/:scheduleID',
  'DELETE /saved-views/:savedViewID/schedules/:scheduleID',
  'POST /saved-views/:savedViewID/test',
  'POST /dashboards',
  'PATCH /dashboards/:dashboardID',
  'DELETE /dashboards/:dashboardID',
  'POST /dashboards/:dashboardID/schedules',
  'PATCH /dashboards/:dashboardID/schedules/:scheduleID',
  'DELETE /dashboards/:dashboardID/schedules/:scheduleID',
  'POST /dashboards/:dashboardID/test',
]

const nameOf = ({ method, path }: Route) => `${method} ${path}`
const isWrite = ({ method }: Route) => method !== 'GET'
/** The others: no role with a report scope is an admin's, a directory's, a service's or nobody's; people change their own sign-in. */
const byRole = routes.filter(
  (route) => isWrite(route) && (permissions as readonly string[]).concat('user').includes(route.permission),
)

const caller = (reportScope: ReportScope): Caller => ({
  ...customRights({ id: 'r1', permissions, reportScope }),
  orgId: 'o1',
  userId: 'ana',
  kind: 'session',
  principal: 'session:s1',
})

function decided(route: Route, reportScope: ReportScope): string {
  try {
    permit(route, caller(reportScope))
    return 'let in'
  } catch (error) {
    return error instanceof Fault ? `${error.kind} ${error.code}` : String(error)
  }
}

describe('writes and report scopes', () => {
  it('are each for roles that see all costs, or have a reason why they add nothing to what a role sees [RBAC-04]', () => {
    const unscoped = routes.filter(({ unscoped: is }) => is).map(nameOf)
    const listed = [...unscoped, ...unrelated, ...narrowed, ...reading, ...making, ...viewing, ...noting]
    expect(listed.toSorted()).to.deep.equal(byRole.map(nameOf).toSorted())
    expect(unscoped.toSorted()).to.deep.equal([
      'DELETE /cloud-accounts/:cloudAccountID',
      'DELETE /kubernetes/sources/:sourceID',
      'DELETE /policies/:policyID',
      'DELETE /teams/:teamID',
      'DELETE /teams/:teamID/resources',
      'PATCH /cloud-accounts/:cloudAccountID',
      'PATCH /kubernetes/sources/:sourceID',
      'PATCH /teams/:teamID',
      'POST /cloud-accounts',
      'POST /cloud-accounts/:cloudAccountID/organization/preview',
      'POST /cloud-accounts/:cloudAccountID/organization/sync',
      'POST /kubernetes/sources',
      'POST /policies',
      'POST /shared-cost/policies/preview',
      'POST /smart-tags/accept-all',
      'POST /teams',
      'POST /teams/:teamID/resources',
      'PUT /policies/:policyID',
    ])
  })

  it('are refused to a role that sees a part of the costs, with all permissions, where they change what that part contains [RBAC-04]', () => {
    for (const route of routes.filter(({ unscoped }) => unscoped)) {
      for (const scope of [
        { all: false, cloudAccountIDs: ['a'], teamIDs: [] },
        { all: false, cloudAccountIDs: [], teamIDs: ['t'] },
      ])
        expect(decided(route, scope), nameOf(route)).to.equal('forbidden report_scope')
      expect(decided(route, everything), nameOf(route)).to.equal('let in')
    }
  })

  it('of owners and admins are never narrowed [RBAC-04]', () => {
    for (const role of ['owner', 'admin'] as const) expect(systemRights(role).reportScope).to.deep.equal(everything)
    expect(customRights({ id: 'r1', permissions, reportScope: everything }).isAdmin).to.equal(false)
  })
})
