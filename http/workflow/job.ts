/** Existing workflows: lists, details, and the audit. Both families of routes show the same ones. */
import { findJob, jobPage, type WholeJobRow } from '#actors/workflow/row.ts'
import { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'
import { list, toPage, pageOf, paging, slice } from '#http/edge/parameter/paging.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { sightOf } from '#http/recommendation/body.ts'
import { AuditEntry, JobView, ListedJob, showAudit, showJob, showListed } from '#http/workflow/body.ts'
import { exampleIds } from '#http/workflow/example.ts'
import { workflowStatuses } from '#streams/workflow.ts'

/** The two families, with the same routes. */
export const families = ['/workflows', '/remediation-jobs'] as const
export type Family = (typeof families)[number]

export const tagOf = (family: Family): readonly string[] => [family === '/workflows' ? 'Workflows' : 'Remediation jobs']

export const jobParams = {
  jobID: t.String({
    description: 'of a workflow or a remediation job, which are the same',
    examples: [exampleIds.job],
  }),
}

/** @throws Fault `missing` if it does not exist or the caller may not see it */
export async function jobSeen(caller: Caller, id: string, { em }: Pick<Services, 'em'>): Promise<WholeJobRow> {
  const row = await findJob(em, caller.orgId, sightOf(caller), id)
  if (!row) throw Fault.missing('workflow', id)
  return row
}

const routeBase = { method: 'GET', permission: 'service.view' } as const
const scopeNote =
  'A role that is limited to some accounts or teams only sees the workflows of their resources. Both groups of routes list all of them.'

const readsOf = (family: Family): readonly Route[] => [
  route({
    ...routeBase,
    path: family,
    tags: tagOf(family),
    summary: 'List workflows from recommendations, newest first',
    description: `${scopeNote} For plans and audits, get a single workflow.`,
    query: t.Object({
      status: t.Optional(list(t.Enum(workflowStatuses))),
      recommendation_id: t.Optional(t.String({ maxLength: 256, description: 'only this recommendation' })),
      ...paging(20, 100),
    }),
    reply: pageOf(ListedJob),
    handle: async ({ caller, query }, { em }) => {
      const filter = { statuses: query.status, recommendationId: query.recommendation_id }
      const { items, total } = await jobPage(em, caller.orgId, sightOf(caller), filter, slice(query))
      return toPage({ items: items.map((row) => showListed(caller.orgId, row)), total }, query)
    },
  }),

  route({
    ...routeBase,
    path: `${family}/:jobID`,
    tags: tagOf(family),
    summary: 'Get a workflow with its status, its plan, and the audit of its steps',
    description:
      "Also returns 404 for a workflow of resources that the caller's role cannot see. Workflows and remediation jobs are the same: both paths find both.",
    params: t.Object(jobParams),
    reply: JobView,
    handle: async ({ caller, params: { jobID } }, services) =>
      showJob(caller.orgId, await jobSeen(caller, jobID, services)),
  }),
]

export const workflowReads: readonly Route[] = readsOf('/workflows')

export const remediationReads: readonly Route[] = [
  ...readsOf('/remediation-jobs'),
  route({
    ...routeBase,
    path: '/remediation-jobs/:jobID/audit',
    tags: tagOf('/remediation-jobs'),
    summary: 'Get the audit of a workflow: what happened in each step, and who did it, oldest first',
    description:
      'The same lines as audit of GET /workflows/{jobID}. They are never changed or removed while the workflow is stored.',
    params: t.Object(jobParams),
    reply: t.Array(AuditEntry),
    handle: async ({ caller, params: { jobID } }, services) =>
      showAudit((await jobSeen(caller, jobID, services)).audit),
  }),
]
