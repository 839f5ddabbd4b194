/** Jobs that create something in a cloud, step by step (decisions G-86, G-87, G-89). */
import type { ProvisioningJob, Space } from '#actors/catalog/entity.ts'
import { components } from '#actors/catalog/components/load.ts'
import { nameOf } from '#actors/catalog/config/config.ts'
import { foundJob, foundSpace, jobPage } from '#actors/catalog/queries.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { checkTags, ExpiresAt, Job, JobBody, showJob, Tags } from '#http/catalog/body.ts'
import { checkValues, componentFound, readConfig } from '#http/catalog/config.ts'
import { exampleIds } from '#http/catalog/example.ts'
import { checkOffered } from '#http/catalog/offer.ts'
import { askerOf, readJobReply, record, type ProvisioningRequester } from '#http/catalog/record.ts'
import { Name, orNull } from '#http/edge/parameter/field.ts'
import { list, toPage, pageOf, paging, slice } from '#http/edge/parameter/paging.ts'
import { badInput } from '#http/edge/problem.ts'
import { route, type Request, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
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
import { titledShape, type Keywords } from '#http/edge/request/keywords.ts'

const InstallBody = t.Object(
  {
    spaceID: text({ minLength: 1, maxLength: 256, description: 'UID of the cluster' }),
    componentID: text({ minLength: 1, maxLength: 100, description: 'as in GET /catalog/components' }),
    values: t.Optional(
      t.Unknown({
        shapes: components.map(({ id: name, values }) => titledShape(name, 'Values', values as Keywords)),
        description: "validated by the component's schema, see GET /catalog/components/{componentID}",
      }),
    ),
  },
  { examples: [{ spaceID: exampleIds.space, componentID: 'ingress-nginx', values: { replicas: 3 } }] },
)

const ChangeBody = t.Object(
  { name: t.Optional(Name), tags: t.Optional(Tags), expiresAt: t.Optional(orNull(ExpiresAt)) },
  { examples: [{ name: 'Orders', tags: { team: 'shop' } }] },
)

/** In the format of the actor. @throws Fault `invalid` if it is in the past, or not a time */
function expiryOf(given: string | null, now: Date): string | null {
  if (given === null) return null
  const at = new Date(given)
  if (at > now && at.getUTCFullYear() <= 2100) return at.toISOString()
  throw badInput({ in: 'body', name: '/expiresAt', code: 'range', message: 'must be between now and 2100' })
}

interface JobRequest {
  kind: ProvisioningKind
  config: Record<string, unknown>
  name?: string | undefined
  tags?: Record<string, string> | undefined
  expiresAt?: string | null | undefined
}

/** Requests a job in a space that supports it, and returns it. */
async function startJob(asked: ProvisioningRequester, space: Space, wanted: JobRequest, services: Services) {
  const { kind, config, name, tags = {}, expiresAt = null } = wanted
  await checkOffered(services, space, wanted)
  const jobId = services.newId()
  const { cloudAccountId, provider, region, clusterUid = null } = space
  const place = { cloudAccountId, spaceId: space.id, provider, region, clusterUid }
  const data = { ...place, jobId, kind, name: name?.trim() ?? nameOf(kind, config, jobId), config, tags, expiresAt }
  const answer = await services.ask(provisioningBegun, { ...data, userId: askerOf(asked.caller) })
  const { jobId: jobID } = readJobReply(answer)
  await record(asked, services, 'provisioning_created', { jobID, spaceID: space.id, kind })
  const job = await foundJob(services.em, space.orgId, jobID)
  return reply(await toJobView(job, asked.caller, services), { headers: { Location: `/provisioning-jobs/${jobID}` } })
}

/** Identifies a job in messages to its actor. */
export const keyOf = ({ cloudAccountId, id }: Pick<ProvisioningJob, 'cloudAccountId' | 'id'>) => ({
  cloudAccountId,
  jobId: id,
})

const routeBase = { tags: ['Provisioning'] } as const
export const jobId = t.String({ description: 'as in GET /provisioning-jobs', examples: [exampleIds.job] })
export const params = t.Object({ id: jobId })
const acceptedReply = { status: 202, headers: { Location: 'URL of the new job' }, reply: Job } as const

type OfJob = Request<{ id: string }, unknown, unknown>

async function commandJob(request: OfJob, services: Services, verb: ProvisioningVerb) {
  const { caller } = request
  const job = await foundJob(services.em, caller.orgId, request.params.id)
  await services.ask(provisioningCommanded, { ...keyOf(job), verb, userId: askerOf(caller) })
  const type = verb === 'retry' ? 'provisioning_retried' : 'provisioning_deleted'
  await record(request, services, type, { jobID: job.id })
  return toJobView(await foundJob(services.em, caller.orgId, job.id), caller, services)
}

async function updateJob(request: OfJob & { body: Static<typeof ChangeBody> }, services: Services) {
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
  return toJobView(await foundJob(services.em, caller.orgId, job.id), caller, services)
}

/** Both methods make the same change. */
const change = (method: 'PATCH' | 'PUT'): Route =>
  route({
    ...routeBase,
    method,
    path: '/provisioning-jobs/:id',
    summary: 'Change the name, the tags or the expiry of a job without running it again',
    description: 'Both methods leave omitted fields unchanged. Tags apply to resources created from then on.',
    permission: 'provisioning.update',
    params,
    body: ChangeBody,
    reply: Job,
    handle: updateJob,
  })

/** Jobs in responses, with the names of the people who requested them. */
async function toJobViews(
  jobs: readonly ProvisioningJob[],
  { orgId }: Caller,
  { em }: Services,
): Promise<Static<typeof Job>[]> {
  const askers = jobs.map(({ createdBy }) => createdBy)
  const nameOf = await namesOf(em, orgId, askers)
  return jobs.map((job) => ({ ...showJob(job), createdByName: nameOf(job.createdBy) }))
}

async function toJobView(job: ProvisioningJob, caller: Caller, services: Services): Promise<Static<typeof Job>> {
  const [one] = await toJobViews([job], caller, services)
  return one!
}

export const jobs: readonly Route[] = [
  route({
    ...routeBase,
    ...acceptedReply,
    method: 'POST',
    path: '/provisioning-jobs/install-component',
    summary: 'Install a component from the catalog into a cluster',
    description:
      'Creates a job of kind component. Returns 404 if the component does not exist, 422 not_a_cluster if the space is not a ' +
      'cluster, and 422 unsupported_provisioning if the component is not available for the cloud of the cluster.',
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
      return startJob(request, space, { kind: 'component', config }, services)
    },
  }),

  route({
    ...routeBase,
    ...acceptedReply,
    method: 'POST',
    path: '/provisioning-jobs',
    summary: 'Provision infrastructure in a space',
    description:
      'The config is validated by the schema of its kind before the job is created. Returns 409 space_disabled if the space ' +
      'is disabled, 422 unsupported_provisioning if the kind is not available in the cloud of the space, and 422 ' +
      'too_many_jobs above 100 jobs that are not deleted. For an existing_datastore: 404 if the inventory does not have the ' +
      'server, 422 not_a_server if nobody can create databases on it, and 422 credentials_missing if RDS does not manage ' +
      'its password and the config has no secretARN. The name defaults to the name in the config.',
    permission: 'provisioning.create',
    body: JobBody,
    refuses: {
      404: ['not_found'],
      409: ['space_disabled'],
      422: [
        'not_a_cluster',
        'unsupported_provisioning',
        'capability_missing',
        'too_many_jobs',
        'not_a_server',
        'credentials_missing',
      ],
    },
    handle: async (request, services) => {
      const { spaceID, kind, config: given, name, tags, expiresAt = null } = request.body
      const config = readConfig(kind, given)
      checkTags(tags)
      const ends = expiryOf(expiresAt, services.now())
      const space = await foundSpace(services.em, request.caller.orgId, spaceID)
      return startJob(request, space, { kind, config, name, tags, expiresAt: ends }, services)
    },
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/provisioning-jobs',
    summary: 'List jobs, newest first, including deleted ones',
    description: 'Filters are combined with AND. Each job includes its steps.',
    permission: 'provisioning.view',
    query: t.Object({
      space_id: t.Optional(
        list(t.String({ maxLength: 256 }), { maxItems: 100, description: 'only jobs in this space' }),
      ),
      kind: t.Optional(list(t.Enum(provisioningKinds))),
      phase: t.Optional(list(t.Enum(provisioningPhases))),
      ...paging(20, 100),
    }),
    reply: pageOf(Job),
    handle: async ({ caller, query }, services) => {
      const filter = { spaceIds: query.space_id, kinds: query.kind, phases: query.phase }
      const { items, total } = await jobPage(services.em, caller.orgId, filter, slice(query))
      return toPage({ items: await toJobViews(items, caller, services), total }, query)
    },
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/provisioning-jobs/:id',
    summary: 'Get a job with its phase, the outputs of its steps, and errors',
    description:
      'Poll until the phase is final. Outputs are as reported by the cloud; secrets are returned as references.',
    permission: 'provisioning.view',
    params,
    reply: Job,
    handle: async ({ caller, params: { id } }, services) =>
      (await toJobViews([await foundJob(services.em, caller.orgId, id)], caller, services))[0]!,
  }),

  change('PATCH'),
  change('PUT'),

  route({
    ...routeBase,
    method: 'DELETE',
    path: '/provisioning-jobs/:id',
    summary: 'Delete what a job has created; the job is kept with phase deleted',
    description:
      'Returns 409 job_active while the job is running, and 409 databases_exist if it has databases on an existing server, ' +
      'which is not deleted. A job whose deletion failed can be deleted again.',
    permission: 'provisioning.delete',
    status: 202,
    params,
    reply: Job,
    refuses: { 409: ['job_active', 'invalid_transition', 'databases_exist'] },
    handle: (request, services) => commandJob(request, services, 'delete'),
  }),

  route({
    ...routeBase,
    method: 'POST',
    path: '/provisioning-jobs/:id/retry',
    summary: 'Retry a failed job from the first step that did not succeed',
    description:
      'Returns 409 invalid_transition if the job has not failed, and 409 not_retryable if the failure is of bucket system. ' +
      'Resources that a step has created are not created again.',
    permission: 'provisioning.update',
    status: 202,
    params,
    reply: Job,
    refuses: { 409: ['not_retryable', 'job_active', 'invalid_transition'] },
    handle: (request, services) => commandJob(request, services, 'retry'),
  }),
]
