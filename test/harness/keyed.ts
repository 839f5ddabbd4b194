/** What is known of every POST of the product that is asked a second time under its Idempotency-Key, by method and path. */

/** Those that leave nothing behind that a second time would double. */
export const harmless: Readonly<Record<string, string>> = {
  'POST /resources/by-uids': 'reads',
  'POST /allocation/policies/preview': 'reads',
  'POST /shared-cost/policies/preview': 'reads',
  'POST /provisioning-jobs/estimate': 'reads',
  'POST /unit-metric-values/:id/test-pull': 'reads',
  'POST /unit-metric-values/:id/csv': 'values replace themselves; an upload is not compared with the one before',
  'POST /billing/uploads': 'nothing of it counts before it is applied; an upload is not compared with the one before',
  'POST /dead-letters/:deadLetterID/replay': 'a message sent twice has its effect once',
  'POST /dead-letters/replay': 'sends what has not been sent again',
  'POST /export-schedules/:exportScheduleID/run':
    'a run under way is that of the first; a later one writes the same again',
  'POST /policies/validations': 'reads',
  'POST /tagging/policies/validations': 'reads',
  'POST /tagging/policies/preview': 'reads',
  'POST /autoscaler-policies/what-if': 'reads',
  'POST /schedules/next-runs': 'reads',
  'POST /what-if': 'reads',
  'POST /cloud-accounts/:cloudAccountID/organization/preview': 'reads',
  'POST /cloud-accounts/:cloudAccountID/organization/sync': 'what is as the organization says stays as it is',
  'POST /event-readiness/preview-readiness': 'reads',
  'POST /event-readiness/cost-preview': 'reads',
  'POST /internal/event-readiness/:eventID/status': 'what is known already changes nothing',
  'POST /auth/logout': 'its token is no longer good for a repeat',
  'POST /auth/browser/login': 'carried out each time: a page asks without a key, and its cookie is of the newest',
  'POST /auth/browser/login/totp': 'the same; a challenge is good for one use',
  'POST /auth/browser/link': 'the same; a link is good for one use',
  'POST /auth/browser/refresh': 'the same; within ten seconds there is one successor',
  'POST /auth/browser/logout': 'its cookie is no longer good for a repeat',
  'POST /auth/saml/initiate': 'begins a sign-in, as often as it is asked',
  'POST /auth/oidc/initiate': 'begins a sign-in, as often as it is asked',
  'POST /scim/v2/Users': 'a person who is known already is refused as uniqueness',
  'POST /scim/v2/Groups': 'makes none',
  'POST /auth/saml/acs': 'the form of a browser has no header of its own, and its assertion is good for one use',
  'POST /notifications/unsubscribe': 'switches off what may be off already',
  'POST /notifications/confirm': 'its link works once',
  'POST /organisations/:orgID/restore': 'an organization that waits for no deletion is as it was',
  'POST /recommendations/:recID/viewed': 'a person is noted once',
  'POST /webhooks/github': 'a host has deliveries instead of keys',
  'POST /webhooks/gitlab': 'the same',
  'POST /webhooks/bitbucket': 'the same',
  'POST /webhooks/azure-devops': 'the same',
  'POST /build-callbacks/:revisionID': 'the same result twice is one',
  'POST /internal/clock': 'a test hook',
  'POST /internal/settled': 'a test hook',
  'POST /internal/sim/faults': 'a test hook',
  'POST /internal/jobs/:name/run': 'a test hook',
}

/** What people decide about a workflow, by either family of routes. */
export function decisionsOf(family: string): string[] {
  const steps = ['steps-by-id/:stepID', 'steps/:stepName'].flatMap((step) => [`${step}/approve`, `${step}/reject`])
  return ['cancel', ...steps].map((rest) => `${family}/:jobID/${rest}`)
}

/** Those that ask actors: the answer to a repeat is made of the replies that were given. All others keep it with their change. */
export const asking: readonly string[] = [
  'POST /resources/refresh',
  'POST /resources/refresh/cancel',
  'POST /cloud-accounts',
  'POST /cloud-accounts/:cloudAccountID/verify',
  'POST /cloud-accounts/:cloudAccountID/check',
  'POST /billing/verify',
  'POST /spaces',
  'POST /provisioning-jobs',
  'POST /provisioning-jobs/install-component',
  'POST /provisioning-jobs/:id/retry',
  'POST /provisioning-jobs/:jobID/databases',
  'POST /provisioning-jobs/:jobID/connections',
  'POST /provisioning-jobs/:jobID/databases/:dbID/connections',
  'POST /schedules',
  'POST /overrides',
  'POST /events',
  'POST /autotagging/accept',
  'POST /autotagging/decide',
  'POST /autotagging/reject',
  'POST /smart-tags/accept-all',
  'POST /recommendations/refresh',
  'POST /actions',
  'POST /actions/bulk',
  'POST /recommendations/:recID/workflow',
  'POST /remediation-jobs',
  'POST /deployments',
  // What it changes is nobody's before, so that no organization's answer stands beside it: linked again by the same one it is so once.
  'POST /source-installations',
  'POST /autoscaler-policies',
  'POST /autoscaler-policies/create-infrastructure',
  ...['apply', 'pause', 'resume', 'remove'].map((verb) => `POST /autoscaler-policies/:policyID/${verb}`),
  'POST /event-readiness',
  ...['schedule', 'cancel', 'retry', 'reopen'].map((verb) => `POST /event-readiness/:eventID/${verb}`),
  ...['/workflows', '/remediation-jobs'].flatMap((family) => decisionsOf(family).map((path) => `POST ${path}`)),
]

/**
 * Of each way to keep an answer or to ask under an id, one or two: `npm test` takes these. One name stands for a request in all of them
 * (test/http/edge/idempotency.test.ts).
 */
export const ofEachKind: ReadonlySet<string> = new Set([
  'POST /resources/refresh',
  'POST /cloud-accounts',
  'POST /teams',
  'POST /teams/:teamID/resources',
  'POST /resource-groups',
  'POST /budgets',
  'POST /schedules',
  'POST /overrides',
  'POST /actions',
  'POST /actions/bulk',
  'POST /autoscaler-policies',
  'POST /event-readiness',
  'POST /spaces',
  'POST /provisioning-jobs',
  'POST /smart-tags/accept-all',
  'POST /events',
  'POST /recommendations/:recID/workflow',
  'POST /remediation-jobs',
  'POST /workflows/:jobID/cancel',
  'POST /notifications/subscriptions/bulk',
  'POST /members',
  'POST /roles',
  'POST /saved-views',
  'POST /dashboards',
  'POST /settings/personal-access-tokens',
  'POST /unit-metrics',
  'POST /notes',
  'POST /auth/signup',
])

/** What one POST is asked with, beside what all are. */
export interface Asked {
  path?: string
  token?: string
  body?: unknown
}

interface Saving {
  mine: (body?: object, path?: string) => Asked
  made: (path: string, body: unknown) => Promise<{ id: string }>
  fresh: (what: string) => string
  /** The address that is mailed. */
  to: () => string
}

/** What the POSTs of saved views, dashboards and notes are asked with. */
export function savedExamples({ mine, made, fresh, to }: Saving) {
  const view = () => ({ name: fresh('view'), view: 'costs' })
  const weekly = () => ({ every: 'week', weekday: 1, hour: 8, timezone: 'UTC', recipients: [to()] })
  const ofView = async () => `/saved-views/${(await made('/saved-views', view())).id}`
  const ofBoard = async () => {
    const { id } = await made('/saved-views', view())
    return `/dashboards/${(await made('/dashboards', { name: fresh('board'), viewIDs: [id] })).id}`
  }
  return {
    'POST /saved-views': () => mine(view()),
    'POST /saved-views/:savedViewID/schedules': async () => mine(weekly(), `${await ofView()}/schedules`),
    'POST /saved-views/:savedViewID/test': async () => mine(undefined, `${await ofView()}/test`),
    'POST /notes': () => mine({ day: '2026-01-15', text: fresh('note') }),
    'POST /dashboards': () => mine({ name: fresh('board') }),
    'POST /dashboards/:dashboardID/schedules': async () => mine(weekly(), `${await ofBoard()}/schedules`),
    'POST /dashboards/:dashboardID/test': async () => mine(undefined, `${await ofBoard()}/test`),
  }
}

/** A Prometheus that nobody answers for. */
export const prometheus = (cloudAccountID: string, clusterUID: string) => ({
  cloudAccountID,
  clusterUID,
  url: 'http://127.0.0.1:9',
})

/** The body of an autoscaler policy whose minimum is raised all day. */
export const autoscalerPolicy = (cloudAccountID: string, uid: string, mode: string) => {
  const trigger = { preset: 'peak-hours', timezone: 'UTC', start: '00:00', end: '23:59', minCapacity: 4 }
  const terms = { min: 2, max: 10, targetCPUPercent: 60, cooldownSeconds: 0, triggers: [trigger] }
  return { name: 'Web', mode, cloudAccountID, target: { type: 'aws-asg', uid }, ...terms }
}

/** The body by which a scheduler tells of a run. */
export const scheduleEvent = (scheduleID: string) => ({
  scheduleID,
  action: 'stop',
  resources: ['i-1'],
  status: 'triggered',
  triggeredAt: '2026-01-15T20:00:00.000Z',
})
