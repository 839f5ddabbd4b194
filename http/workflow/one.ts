/** Workflows that there are: lists, one, and its audit. Both families of routes show the same ones. */
import { findJob, jobPage, type WholeJobRow } from '#actors/workflow/row.ts'
import { Fault } from '#engine/fault.ts'
import { t } from '#engine/schema.ts'
import { list, paged, pageOf, paging, slice } from '#http/edge/paging.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import type { Caller } from '#http/identity/caller.ts'
import { sightOf } from '#http/recommendation/body.ts'
import { AuditEntry, Job, ListedJob, showAudit, showJob, showListed } from '#http/workflow/body.ts'
import { exampleIds } from '#http/workflow/example.ts'
import { workflowStatuses } from '#streams/workflow.ts'

/** The two families: what is said of one holds of the other. */
export const families = ['/workflows', '/remediation-jobs'] as const
export type Family = (typeof families)[number]

export const tagOf = (family: Family): readonly string[] => [family === '/workflows' ? 'Workflows' : 'Remediation jobs']

export const jobParams = {
  jobID: t.String({
    description: 'of a workflow or a remediation job, which are the same',
    examples: [exampleIds.job],
  }),
}

/** @throws Fault `missing` for one there is not, or that the caller may not see */
export async function jobSeen(caller: Caller, id: string, { em }: Pick<Services, 'em'>): Promise<WholeJobRow> {
  const row = await findJob(em, caller.orgId, sightOf(caller), id)
  if (!row) throw Fault.missing('workflow', id)
  return row
}

const fixed = { method: 'GET', permission: 'service.view' } as const
const narrowed =
  'A role that sees some accounts and teams sees the workflows of their resources alone. Either family of routes shows all of them.'

const readsOf = (family: Family): readonly Route[] => [
  route({
    ...fixed,
    path: family,
    tags: tagOf(family),
    summary: 'List the changes that recommendations asked for, newest first',
    description: `${narrowed} Plans and audits are in the single ones.`,
    query: t.Object({
      status: t.Optional(list(t.Enum(workflowStatuses))),
      recommendation_id: t.Optional(t.String({ maxLength: 256, description: 'of this recommendation alone' })),
      ...paging(20, 100),
    }),
    reply: pageOf(ListedJob),
    handle: async ({ caller, query }, { em }) => {
      const filter = { statuses: query.status, recommendationId: query.recommendation_id }
      const { items, total } = await jobPage(em, caller.orgId, sightOf(caller), filter, slice(query))
      return paged({ items: items.map((row) => showListed(caller.orgId, row)), total }, query)
    },
  }),

  route({
    ...fixed,
    path: `${family}/:jobID`,
    tags: tagOf(family),
    summary: 'One workflow: how far it is, its plan, and what happened in each step',
    description:
      "404 also for a workflow of resources that the caller's role does not see. Workflows and remediation jobs are the same: either path finds both.",
    params: t.Object(jobParams),
    reply: Job,
    handle: async ({ caller, params: { jobID } }, services) =>
      showJob(caller.orgId, await jobSeen(caller, jobID, services)),
  }),
]

export const workflowReads: readonly Route[] = readsOf('/workflows')

export const remediationReads: readonly Route[] = [
  ...readsOf('/remediation-jobs'),
  route({
    ...fixed,
    path: '/remediation-jobs/:jobID/audit',
    tags: tagOf('/remediation-jobs'),
    summary: 'What happened in each step, and who did it, the oldest first',
    description:
      'The same lines as audit of GET /workflows/{jobID}. They are never changed or removed while the workflow is kept.',
    params: t.Object(jobParams),
    reply: t.Array(AuditEntry),
    handle: async ({ caller, params: { jobID } }, services) =>
      showAudit((await jobSeen(caller, jobID, services)).audit),
  }),
]
