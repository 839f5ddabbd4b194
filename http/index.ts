import { actions } from '#http/action/action.ts'
import { bulkActions } from '#http/action/bulk.ts'
import { stateHistories } from '#http/action/history.ts'
import { access } from '#http/resource/access.ts'
import { resourceContexts } from '#http/resource/context.ts'
import { provisioning } from '#http/catalog/routes.ts'
import { cloudAccounts } from '#http/account/cloud-account.ts'
import { checks } from '#http/account/check.ts'
import { externalIdRoutes } from '#http/account/external-id.ts'
import { azureGuides } from '#http/account/azure.ts'
import { googleGuides } from '#http/account/google.ts'
import { guides } from '#http/account/guide.ts'
import { organizationRoutes } from '#http/account/organization.ts'
import { cloudSupportMatrix } from '#http/account/cloud-support.ts'
import type { ConsoleFiles } from '#http/console/asset.ts'
import { consoleRoutes } from '#http/console/routes.ts'
import { docs } from '#http/site/docs.ts'
import { documents } from '#http/site/document.ts'
import { envelopes } from '#http/site/envelope.ts'
import { exportRoutes } from '#http/export/routes.ts'
import { exportSchedules } from '#http/export/schedule/routes.ts'
import { health, type Ready } from '#http/site/health.ts'
import { billing } from '#http/billing/routes.ts'
import { billExports } from '#http/billing/export.ts'
import { billUploads } from '#http/billing/upload.ts'
import { autoscalerPolicies } from '#http/autoscaling/routes.ts'
import { live } from '#http/live/routes.ts'
import { budgets } from '#http/budget/routes.ts'
import { schedulerEvents } from '#http/schedule/event.ts'
import { overrides } from '#http/schedule/override.ts'
import { schedules } from '#http/schedule/schedule.ts'
import { internals } from '#http/site/internal.ts'
import { channels } from '#http/notification/channel.ts'
import { deliveries } from '#http/notification/delivery.ts'
import { eventTypeRoutes } from '#http/notification/event-type.ts'
import { legacyNotifications } from '#http/notification/legacy.ts'
import { notificationLinks } from '#http/notification/link.ts'
import { emailPreferences } from '#http/notification/preference.ts'
import { dashboards } from '#http/saved-view/dashboard.ts'
import { savedViews } from '#http/saved-view/routes.ts'
import { readMarks } from '#http/notification/read-mark.ts'
import { shares } from '#http/notification/share.ts'
import { subscriptions } from '#http/notification/subscription.ts'
import { refreshes } from '#http/refresh/routes.ts'
import { anomalyDetails } from '#http/anomaly/detail.ts'
import { anomalyReviews } from '#http/report/trend/anomaly-review.ts'
import { reports } from '#http/report/index.ts'
import { resourceGroups } from '#http/attribution/resource-group.ts'
import { deadLetters } from '#http/dead-letter/routes.ts'
import { resources } from '#http/resource/routes.ts'
import { auth } from '#http/people/sign-in/auth.ts'
import { browserSessions } from '#http/people/sign-in/browser-session.ts'
import { me } from '#http/people/me.ts'
import { memberRoutes } from '#http/people/organization/member.ts'
import { agentSignIns } from '#http/people/agent/routes.ts'
import { oidcSignIns } from '#http/people/sign-in/oidc.ts'
import { oidcConnections } from '#http/people/provider/oidc-connection.ts'
import { organisations } from '#http/people/organization/organization.ts'
import { firstSteps } from '#http/people/organization/first-steps.ts'
import { organisationDeletion } from '#http/people/organization/deletion.ts'
import { ownData } from '#http/people/own-data.ts'
import { personalAccessTokens } from '#http/people/personal-access-token.ts'
import { roleRoutes } from '#http/people/organization/role.ts'
import { samlConnections } from '#http/people/provider/saml-connection.ts'
import { secondFactors } from '#http/people/sign-in/second-factor.ts'
import { securityEvents } from '#http/people/security-event.ts'
import { sessions } from '#http/people/sign-in/session.ts'
import { policies } from '#http/policy/routes.ts'
import { eventReadiness } from '#http/readiness/routes.ts'
import { recommendationActivities } from '#http/recommendation/activity.ts'
import { recommendationLists } from '#http/recommendation/list.ts'
import { recommendationDetails } from '#http/recommendation/detail.ts'
import { recommendationRefreshes } from '#http/recommendation/refresh.ts'
import { ruleCatalogs } from '#http/recommendation/rule.ts'
import { recommendationSummaries } from '#http/recommendation/summary.ts'
import { smartTags } from '#http/tagging/smart-tag.ts'
import { scimDiscovery } from '#http/scim/discovery.ts'
import { scimGroups } from '#http/scim/group.ts'
import { scimTokens } from '#http/scim/token.ts'
import { scimUsers } from '#http/scim/user.ts'
import { sources } from '#http/source/routes.ts'
import { suggestions } from '#http/tagging/suggestion.ts'
import { taggingCatalog } from '#http/tagging/catalog.ts'
import { taggingPreviews } from '#http/tagging/preview.ts'
import { organizationSettings } from '#http/people/organization/setting.ts'
import { sharedCostPreviews } from '#http/attribution/shared-cost.ts'
import { allocationPreviews } from '#http/attribution/allocation.ts'
import { teams } from '#http/attribution/team.ts'
import { kubernetesSources } from '#http/kubernetes/routes.ts'
import { exchangeRates } from '#http/currency/routes.ts'
import { notes } from '#http/note/routes.ts'
import { unitMetrics } from '#http/unit-metric/routes.ts'
import { unitMetricValues } from '#http/unit-metric/value.ts'
import { securityTxts } from '#http/site/security-txt.ts'
import { wellKnown } from '#http/site/well-known.ts'
import { whatIf } from '#http/what-if/routes.ts'
import { workflows } from '#http/workflow/routes.ts'
import { batches } from '#http/edge/batch/routes.ts'
import { searches } from '#http/search/routes.ts'
import { mcp } from '#http/mcp/routes.ts'
import type { Within } from '#http/edge/inner-request.ts'
import { withMoney } from '#http/edge/parameter/money.ts'
import type { Route } from '#http/edge/route.ts'

const declared: readonly Route[] = [
  ...resources,
  ...access,
  ...resourceContexts,
  ...refreshes,
  ...externalIdRoutes,
  ...guides,
  ...googleGuides,
  ...azureGuides,
  ...checks,
  ...cloudAccounts,
  ...organizationRoutes,
  ...cloudSupportMatrix,
  ...suggestions,
  ...smartTags,
  ...policies,
  ...taggingCatalog,
  ...taggingPreviews,
  ...reports,
  ...anomalyDetails,
  ...anomalyReviews,
  ...exportRoutes,
  ...exportSchedules,
  ...billing,
  ...billUploads,
  ...billExports,
  ...teams,
  ...resourceGroups,
  ...allocationPreviews,
  ...sharedCostPreviews,
  ...budgets,
  ...whatIf,
  ...schedules,
  ...overrides,
  ...schedulerEvents,
  ...bulkActions,
  ...actions,
  ...stateHistories,
  ...autoscalerPolicies,
  ...eventReadiness,
  ...provisioning,
  ...recommendationLists,
  ...recommendationSummaries,
  ...ruleCatalogs,
  ...recommendationDetails,
  ...recommendationActivities,
  ...recommendationRefreshes,
  ...workflows,
  ...sources,
  ...savedViews,
  ...dashboards,
  ...legacyNotifications,
  ...channels,
  ...subscriptions,
  ...eventTypeRoutes,
  ...emailPreferences,
  ...readMarks,
  ...shares,
  ...deliveries,
  ...notificationLinks,
  ...auth,
  ...oidcSignIns,
  ...agentSignIns,
  ...browserSessions,
  ...me,
  ...ownData,
  ...secondFactors,
  ...sessions,
  ...organisations,
  ...organisationDeletion,
  ...organizationSettings,
  ...firstSteps,
  ...memberRoutes,
  ...roleRoutes,
  ...samlConnections,
  ...oidcConnections,
  ...scimTokens,
  ...scimDiscovery,
  ...scimUsers,
  ...scimGroups,
  ...personalAccessTokens,
  ...securityEvents,
  ...deadLetters,
  ...live,
  ...kubernetesSources,
  ...notes,
  ...exchangeRates,
  ...unitMetrics,
  ...unitMetricValues,
  ...securityTxts,
  ...wellKnown,
]

/** Every endpoint of the product, in the order of the interface. */
export const routes: readonly Route[] = declared.map(withMoney)

export interface SiteOptions {
  version: string
  ready: Ready
  /** Whether tests may control the clock and the simulated cloud from outside. */
  hooks?: boolean
  /** Sends requests to this edge itself; without it the agents' endpoint is not served. */
  within?: Within
  /** The files of the console; without them it is not served. */
  console?: () => Promise<ConsoleFiles>
}

/**
 * `routes` and what is served in addition: health, the OpenAPI document and its page, the producers' schemas, the test
 * hooks.
 */
export function site(
  served: readonly Route[],
  { version, ready, hooks = false, within, console: bundled }: SiteOptions,
): readonly Route[] {
  const all: Route[] = [...served, ...envelopes, ...health(ready), ...(hooks ? internals : []), ...docs]
  if (bundled) all.push(...consoleRoutes(bundled))
  if (within) all.push(...mcp(served, version, within), ...batches(served, within), ...searches(within))
  return [...all, ...documents(all, version)]
}
