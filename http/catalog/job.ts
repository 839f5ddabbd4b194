/** Jobs that make something at a cloud, step by step (decisions G-86, G-87, G-89). */
import type { ProvisioningJob, Space } from '#actors/catalog/entity.ts'
import { components } from '#actors/catalog/components/load.ts'
import { nameOf } from '#actors/catalog/config.ts'
import { foundJob, foundSpace, jobPage } from '#actors/catalog/queries.ts'
import { t, type Static } from '#engine/schema.ts'
import { checkTags, ExpiresAt, Job, JobBody, showJob, Tags } from '#http/catalog/body.ts'
import { checkValues, componentFound, readConfig } from '#http/catalog/config.ts'
import { exampleIds } from '#http/catalog/example.ts'
import { checkOffered } from '#http/catalog/offer.ts'
import { askerOf, jobAnswered, record, type Asked } from '#http/catalog/record.ts'
import { Name, orNull } from '#http/edge/field.ts'
import { list, paged, pageOf, paging, slice } from '#http/edge/paging.ts'
import { badInput } from '#http/edge/problem.ts'
import { route, type Request, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import type { Caller } from '#http/identity/caller.ts'
import { namesOf } from '#http/people/name.ts'
import { reply } from '#http/store/reply.ts'
import {
  provisioningBegun,
  provisioningChanged,
  provisioningCommanded,
  provisioningPhases,
  type ProvisioningVerb,
} from '#streams/catalog.ts'
import { provisioningKinds, type ProvisioningKind } from '#streams/cloud/provision.ts'
import { text } from '#streams/text.ts'

const InstallBody = t.Object(
  {
    spaceID: text({ minLength: 1, maxLength: 256, description: 'of a cluster' }),
    componentID: text({ minLength: 1, maxLength: 100, description: 'as GET /catalog/components names it' }),
    values: t.Optional(
      t.Unknown({
        shapes: components.map(({ values }) => values),
        description: 'by the schema of the component, as GET /catalog/components/{componentID} shows it',
      }),
    ),
  },
  { examples: [{ spaceID: exampleIds.space, componentID: 'ingress-nginx', values: { replicas: 3 } }] },
)

const ChangeBody = t.Object(
  { name: t.Optional(Name), tags: t.Optional(Tags), expiresAt: t.Optional(orNull(ExpiresAt)) },
  { examples: [{ name: 'Orders', tags: { team: 'shop' } }] },
)

/** As an actor takes it. @throws Fault `invalid` for one that is over, or no moment at all */
function expiryOf(given: string | null, now: Date): string | null {
  if (given === null) return null
  const at = new Date(given)
  if (at > now && at.getUTCFullYear() <= 2100) return at.toISOString()
  throw badInput({ in: 'body', name: '/expiresAt', code: 'range', message: 'must be a time from now on, until 2100' })
}

interface Wanted {
  kind: ProvisioningKind
  config: Record<string, unknown>
  name?: string | undefined
  tags?: Record<string, string> | undefined
  expiresAt?: string | null | undefined
}

/** Asks for a job in a space that can take it, and shows it. */
async function begun(asked: Asked, space: Space, wanted: Wanted, services: Services) {
  const { kind, config, name, tags = {}, expiresAt = null } = wanted
  await checkOffered(services, space, wanted)
  const jobId = services.newId()
  const { cloudAccountId, provider, region, clusterUid = null } = space
  const place = { cloudAccountId, spaceId: space.id, provider, region, clusterUid }
  const data = { ...place, jobId, kind, name: name?.trim() ?? nameOf(kind, config, jobId), config, tags, expiresAt }
  const answer = await services.ask(provisioningBegun, { ...data, userId: askerOf(asked.caller) })
  const { jobId: jobID } = jobAnswered(answer)
  await record(asked, services, 'provisioning_created', { jobID, spaceID: space.id, kind })
  const job = await foundJob(services.em, space.orgId, jobID)
  return reply(await shown(job, asked.caller, services), { headers: { Location: `/provisioning-jobs/${jobID}` } })
}

/** What an actor is told of a job. */
export const keyOf = ({ cloudAccountId, id }: Pick<ProvisioningJob, 'cloudAccountId' | 'id'>) => ({
  cloudAccountId,
  jobId: id,
})

const fixed = { tags: ['Provisioning'] } as const
export const jobId = t.String({ description: 'as GET /provisioning-jobs names it', examples: [exampleIds.job] })
export const params = t.Object({ id: jobId })
const made = { status: 202, headers: { Location: 'where the job is' }, reply: Job } as const

type OfJob = Request<{ id: string }, unknown, unknown>

async function commanded(request: OfJob, services: Services, verb: ProvisioningVerb) {
  const { caller } = request
  const job = await foundJob(services.em, caller.orgId, request.params.id)
  await services.ask(provisioningCommanded, { ...keyOf(job), verb, userId: askerOf(caller) })
  const type = verb === 'retry' ? 'provisioning_retried' : 'provisioning_deleted'
  await record(request, services, type, { jobID: job.id })
  return shown(await foundJob(services.em, caller.orgId, job.id), caller, services)
}

async function changed(request: OfJob & { body: Static<typeof ChangeBody> }, services: Services) {
  const { caller, body } = request
  const job = await foundJob(services.em, caller.orgId, request.params.id)
  const { name, tags, expiresAt } = body
  checkTags(tags)
  const given = {
    ...(name !== undefined && { name: name.trim() }),
    ...(tags !== undefined && { tags }),
    ...(expiresAt !== undefined && { expiresAt: expiryOf(expiresAt, services.now()) }),
  }
  await services.ask(provisioningChanged, { ...keyOf(job), ...given, userId: askerOf(caller) })
  await record(request, services, 'provisioning_changed', { jobID: job.id })
  return shown(await foundJob(services.em, caller.orgId, job.id), caller, services)
}

/** Either method changes the same. */
const change = (method: 'PATCH' | 'PUT'): Route =>
  route({
    ...fixed,
    method,
    path: '/provisioning-jobs/:id',
    summary: 'Change the name, the tags or the end of a job; nothing is run again',
    description: 'Of what is left out nothing changes, by either method. Tags are put on what is made from then on.',
    permission: 'provisioning.update',
    params,
    body: ChangeBody,
    reply: Job,
    handle: changed,
  })

/** As they are read, with what who asked for them is called. */
async function named(
  jobs: readonly ProvisioningJob[],
  { orgId }: Caller,
  { em }: Services,
): Promise<Static<typeof Job>[]> {
  const askers = jobs.map(({ createdBy }) => createdBy)
  const nameOf = await namesOf(em, orgId, askers)
  return jobs.map((job) => ({ ...showJob(job), createdByName: nameOf(job.createdBy) }))
}

async function shown(job: ProvisioningJob, caller: Caller, services: Services): Promise<Static<typeof Job>> {
  const [one] = await named([job], caller, services)
  return one!
}

export const jobs: readonly Route[] = [
  route({
    ...fixed,
    ...made,
    method: 'POST',
    path: '/provisioning-jobs/install-component',
    summary: 'Install a component of the catalog into a cluster',
    description:
      'A job of kind component. 404 for a component there is not, 422 not_a_cluster for a space that is none, and ' +
      'unsupported_provisioning for a component that is not offered for the cloud of the cluster.',
    permission: 'provisioning.create',
    body: InstallBody,
    refuses: {
      404: ['not_found'],
      409: ['space_disabled'],
      422: ['not_a_cluster', 'unsupported_provisioning', 'capability_missing', 'too_many_jobs'],
    },
    handle: async (request, services) => {
      const { spaceID, componentID, values = {} } = request.body
      checkValues(componentFound(componentID), values, '/values')
      const config = readConfig('component', { componentID, values })
      const space = await foundSpace(services.em, request.caller.orgId, spaceID)
      return begun(request, space, { kind: 'component', config }, services)
    },
  }),

  route({
    ...fixed,
    ...made,
    method: 'POST',
    path: '/provisioning-jobs',
    summary: 'Provision something in a space',
    description:
      'The config is read by the schema of its kind before there is a job. 409 space_disabled; 422 unsupported_provisioning for ' +
      'what the cloud of the space does not offer, too_many_jobs beyond 100 that are not deleted. Its name is that of the ' +
      'config unless one is given beside it.',
    permission: 'provisioning.create',
    body: JobBody,
    refuses: {
      404: ['not_found'],
      409: ['space_disabled'],
      422: ['not_a_cluster', 'unsupported_provisioning', 'capability_missing', 'too_many_jobs'],
    },
    handle: async (request, services) => {
      const { spaceID, kind, config: given, name, tags, expiresAt = null } = request.body
      const config = readConfig(kind, given)
      checkTags(tags)
      const ends = expiryOf(expiresAt, services.now())
      const space = await foundSpace(services.em, request.caller.orgId, spaceID)
      return begun(request, space, { kind, config, name, tags, expiresAt: ends }, services)
    },
  }),

  route({
    ...fixed,
    method: 'GET',
    path: '/provisioning-jobs',
    summary: 'List the jobs, newest first; deleted ones too',
    description: 'All filters must hold. The steps of each job are answered with it.',
    permission: 'provisioning.view',
    query: t.Object({
      space_id: t.Optional(list(t.String({ maxLength: 256 }), { maxItems: 100, description: 'only those in a space' })),
      kind: t.Optional(list(t.Enum(provisioningKinds))),
      phase: t.Optional(list(t.Enum(provisioningPhases))),
      ...paging(20, 100),
    }),
    reply: pageOf(Job),
    handle: async ({ caller, query }, services) => {
      const filter = { spaceIds: query.space_id, kinds: query.kind, phases: query.phase }
      const { items, total } = await jobPage(services.em, caller.orgId, filter, slice(query))
      return paged({ items: await named(items, caller, services), total }, query)
    },
  }),

  route({
    ...fixed,
    method: 'GET',
    path: '/provisioning-jobs/:id',
    summary: 'One job: its phase, what each step has made, and what went wrong',
    description:
      'Ask again until its phase is not one under way any more. Outputs are as the cloud named them; secrets are named by reference alone.',
    permission: 'provisioning.view',
    params,
    reply: Job,
    handle: async ({ caller, params: { id } }, services) =>
      (await named([await foundJob(services.em, caller.orgId, id)], caller, services))[0]!,
  }),

  change('PATCH'),
  change('PUT'),

  route({
    ...fixed,
    method: 'DELETE',
    path: '/provisioning-jobs/:id',
    summary: 'Take away what a job has made; the job stays, as deleted',
    description: '409 job_active while it is under way. One whose deletion failed takes it again.',
    permission: 'provisioning.delete',
    status: 202,
    params,
    reply: Job,
    refuses: { 409: ['job_active', 'invalid_transition'] },
    handle: (request, services) => commanded(request, services, 'delete'),
  }),

  route({
    ...fixed,
    method: 'POST',
    path: '/provisioning-jobs/:id/retry',
    summary: 'Try a job that failed again, from the first step that did not succeed',
    description:
      '409 invalid_transition unless it failed, 409 not_retryable where its failure is of bucket system. What a step has made ' +
      'is not made again.',
    permission: 'provisioning.update',
    status: 202,
    params,
    reply: Job,
    refuses: { 409: ['not_retryable', 'job_active', 'invalid_transition'] },
    handle: (request, services) => commanded(request, services, 'retry'),
  }),
]
