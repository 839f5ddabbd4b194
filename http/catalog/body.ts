/** Spaces, jobs, databases and connections in requests and responses (decisions G-25, G-86, G-88). */
import { configSchemas } from '#actors/catalog/config/config.ts'
import type {
  JobError,
  JobStep,
  ProvisionedConnection,
  ProvisionedDatabase,
  ProvisioningJob,
  Space as SpaceRow,
} from '#actors/catalog/entity.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { connectionExample, databaseExample, jobBodyExample, jobExample, spaceExample } from '#http/catalog/example.ts'
import { Name, orNull, ProviderName, Timestamp } from '#http/edge/parameter/field.ts'
import { databaseStatuses, provisioningPhases, spaceKinds, spaceStatuses, stepStatuses } from '#streams/catalog.ts'
import { badInput } from '#http/edge/problem.ts'
import { pointerStep } from '#http/edge/request/text.ts'
import { PersonName } from '#http/people/name.ts'
import { buckets } from '#streams/cloud/connector.ts'
import { provisioningKinds } from '#streams/cloud/provision.ts'
import { text } from '#streams/text.ts'

export const Space = t.Object(
  {
    id: t.String(),
    orgID: t.String(),
    name: t.String(),
    cloudAccountID: t.String(),
    provider: ProviderName,
    region: t.String(),
    kind: t.Enum(spaceKinds, { description: 'region: an account in a region; cluster: a cluster in it' }),
    clusterUid: t.Optional(t.String({ description: 'for a cluster: its UID in the inventory' })),
    status: t.Enum(spaceStatuses, { description: 'nothing new can be provisioned in a disabled space' }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'Space', examples: [spaceExample] },
)

export const showSpace = (space: SpaceRow): Static<typeof Space> => ({
  id: space.id,
  orgID: space.orgId,
  name: space.name,
  cloudAccountID: space.cloudAccountId,
  provider: space.provider,
  region: space.region,
  kind: space.kind,
  ...(space.clusterUid && { clusterUid: space.clusterUid }),
  status: space.status,
  createdAt: space.createdAt.toISOString(),
  updatedAt: space.updatedAt.toISOString(),
})

/** Any config here; the route validates it with the schema of its kind. */
const Config = t.Unknown({
  shapes: Object.values(configSchemas),
  description: 'configuration for the kind; at most 64 KiB',
})

export const Tags = t.Record(t.String(), text({ maxLength: 256 }), {
  maxProperties: 50,
  description:
    'applied to everything that is created; names have 1 to 128 characters, and the prefix tidemark: is reserved',
})

const tagNameMax = 128

/** @throws Fault `invalid` with every invalid tag */
export function checkTags(tags: Readonly<Record<string, string>> = {}): void {
  const wrong = Object.keys(tags).filter(
    (name) => name.trim() === '' || name.length > tagNameMax || name.startsWith('tidemark:'),
  )
  const message = `must have a name of 1 to ${tagNameMax} characters that does not begin with tidemark:`
  if (wrong.length > 0)
    throw badInput(
      ...wrong.map((name) => ({ in: 'body' as const, name: `/tags${pointerStep(name)}`, code: 'name', message })),
    )
}

export const ExpiresAt = t.String({
  format: 'date-time',
  maxLength: 64,
  description: 'deleted at this time; administrators are notified the day before',
})

export const JobBody = t.Object(
  {
    spaceID: text({ minLength: 1, maxLength: 256, description: 'as in GET /spaces' }),
    kind: t.Enum(provisioningKinds),
    config: Config,
    name: t.Optional(Name),
    tags: t.Optional(Tags),
    expiresAt: t.Optional(orNull(ExpiresAt)),
  },
  { examples: [jobBodyExample] },
)

const Failure = t.Object(
  {
    bucket: t.Enum(buckets, {
      description:
        'user_action: fix the problem, then retry; transient: retry; system: an internal error, retrying does not help',
    }),
    message: t.String(),
    retryable: t.Boolean({ description: 'whether a retry may succeed without changes' }),
    fixHint: t.Optional(t.String({ description: 'what to fix' })),
    consoleUrl: t.Optional(t.String({ description: 'where to fix it' })),
    stepName: t.String(),
  },
  { title: 'ProvisioningFailure' },
)

export const Job = t.Object(
  {
    id: t.String(),
    orgID: t.String(),
    spaceID: t.String(),
    kind: t.Enum(provisioningKinds),
    name: t.String(),
    config: t.Unknown({ shapes: Object.values(configSchemas), description: 'as submitted' }),
    tags: t.Record(t.String(), t.String()),
    phase: t.Enum(provisioningPhases),
    currentStep: t.Optional(t.String()),
    steps: t.Array(
      t.Object({
        id: t.String(),
        name: t.String(),
        status: t.Enum(stepStatuses),
        output: t.Optional(t.Record(t.String(), t.Unknown(), { description: 'what it created; contains no secrets' })),
        error: t.Optional(Failure),
        attempts: t.Integer({ description: 'number of starts; attempts within a start are not counted' }),
        startedAt: t.Optional(Timestamp),
        completedAt: t.Optional(Timestamp),
      }),
    ),
    error: t.Optional(Failure),
    attempts: t.Integer({ description: 'number of starts and retries of the job' }),
    createdBy: t.String({ description: 'user ID, or the principal of a machine token' }),
    createdByName: t.Optional(PersonName),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    completedAt: t.Optional(Timestamp),
    expiresAt: t.Optional(t.String({ format: 'date-time', description: 'deleted at this time' })),
  },
  { title: 'ProvisioningJob', examples: [jobExample] },
)

/** Copies single members: others in the row are not for people. */
const showFailure = (error: JobError): Static<typeof Failure> => ({
  bucket: error.bucket,
  message: error.message,
  retryable: error.retryable,
  ...(error.fixHint !== undefined && { fixHint: error.fixHint }),
  ...(error.consoleUrl !== undefined && { consoleUrl: error.consoleUrl }),
  stepName: error.stepName,
})

const showStep = (step: JobStep): Static<typeof Job>['steps'][number] => ({
  id: step.id,
  name: step.name,
  status: step.status,
  ...(step.output !== undefined && { output: step.output }),
  ...(step.error !== undefined && { error: showFailure(step.error) }),
  attempts: step.attempts,
  ...(step.startedAt !== undefined && { startedAt: step.startedAt }),
  ...(step.completedAt !== undefined && { completedAt: step.completedAt }),
})

export const showJob = (job: ProvisioningJob): Static<typeof Job> => ({
  id: job.id,
  orgID: job.orgId,
  spaceID: job.spaceId,
  kind: job.kind,
  name: job.name,
  config: job.config,
  tags: job.tags,
  phase: job.phase,
  ...(job.currentStep && { currentStep: job.currentStep }),
  steps: job.steps.map(showStep),
  ...(job.error && { error: showFailure(job.error) }),
  attempts: job.attempts,
  createdBy: job.createdBy,
  createdAt: job.createdAt.toISOString(),
  updatedAt: job.updatedAt.toISOString(),
  ...(job.completedAt && { completedAt: job.completedAt.toISOString() }),
  ...(job.expiresAt && { expiresAt: job.expiresAt.toISOString() }),
})

const secret = 'reference to the secret; the secret itself is never returned'

export const Database = t.Object(
  {
    id: t.String(),
    jobID: t.String(),
    name: t.String(),
    owner: t.String(),
    status: t.Enum(databaseStatuses),
    server: t.String({ description: 'host name' }),
    port: t.Integer(),
    secretRef: orNull(t.String({ description: `${secret}; null until it exists` })),
    createdAt: Timestamp,
    error: t.Optional(Failure),
  },
  { title: 'ProvisionedDatabase', examples: [databaseExample] },
)

export const showDatabase = (database: ProvisionedDatabase): Static<typeof Database> => ({
  id: database.id,
  jobID: database.jobId,
  name: database.name,
  owner: database.owner,
  status: database.status,
  server: database.server,
  port: database.port,
  secretRef: database.secretRef ?? null,
  createdAt: database.createdAt.toISOString(),
  ...(database.error && { error: showFailure(database.error) }),
})

export const Connection = t.Object(
  {
    id: t.String(),
    jobID: t.String(),
    databaseID: t.Optional(t.String({ description: 'for scope database' })),
    scope: t.Enum(['job', 'database'], { description: 'job: shared by all databases of the server' }),
    name: t.String(),
    host: t.String(),
    port: t.Integer(),
    user: t.String(),
    secretRef: t.String({ description: secret }),
    createdAt: Timestamp,
  },
  { title: 'ProvisionedConnection', examples: [connectionExample] },
)

export const showConnection = (connection: ProvisionedConnection): Static<typeof Connection> => ({
  id: connection.id,
  jobID: connection.jobId,
  ...(connection.databaseId && { databaseID: connection.databaseId }),
  scope: connection.databaseId ? 'database' : 'job',
  name: connection.name,
  host: connection.host,
  port: connection.port,
  user: connection.user,
  secretRef: connection.secretRef,
  createdAt: connection.createdAt.toISOString(),
})
