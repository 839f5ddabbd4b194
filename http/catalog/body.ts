/** Spaces, jobs, databases and connections as they are given and shown (decisions G-25, G-86, G-88). */
import { configSchemas } from '#actors/catalog/config.ts'
import type {
  JobError,
  JobStep,
  ProvisionedConnection,
  ProvisionedDatabase,
  ProvisioningJob,
  Space as SpaceRow,
} from '#actors/catalog/entity.ts'
import { t, type Static } from '#engine/schema.ts'
import { connectionExample, databaseExample, jobBodyExample, jobExample, spaceExample } from '#http/catalog/example.ts'
import { Name, orNull, ProviderName, Timestamp } from '#http/edge/field.ts'
import { databaseStatuses, provisioningPhases, spaceKinds, spaceStatuses, stepStatuses } from '#streams/catalog.ts'
import { badInput } from '#http/edge/problem.ts'
import { pointerStep } from '#http/edge/text.ts'
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
    kind: t.Enum(spaceKinds, { description: 'an account in a region, or a cluster there' }),
    clusterUid: t.Optional(t.String({ description: 'of a cluster: its uid in the inventory' })),
    status: t.Enum(spaceStatuses, { description: 'nothing new is provisioned in one that is disabled' }),
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

/** Of a config: whatever it is, the route has it read by the schema of its kind. */
export const Config = t.Unknown({
  shapes: Object.values(configSchemas),
  description: 'what is made, by its kind; 64 KiB at most',
})

export const Tags = t.Record(t.String(), text({ maxLength: 256 }), {
  maxProperties: 50,
  description: 'put on everything that is made; names of 1 to 128 characters, those that begin with tidemark: are ours',
})

const tagNameMax = 128

/** @throws Fault `invalid` naming every tag that cannot be */
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
  description: 'it is deleted then, and administrators are told the day before',
})

export const JobBody = t.Object(
  {
    spaceID: text({ minLength: 1, maxLength: 256, description: 'as GET /spaces names it' }),
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
      description: 'user_action: you can mend it, then retry; transient: retry; system: ours to mend, no retry helps',
    }),
    message: t.String(),
    retryable: t.Boolean({ description: 'whether a retry may help without anything being mended' }),
    fixHint: t.Optional(t.String({ description: 'what to mend' })),
    consoleUrl: t.Optional(t.String({ description: 'where to mend it' })),
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
    config: t.Unknown({ shapes: Object.values(configSchemas), description: 'as it was given' }),
    tags: t.Record(t.String(), t.String()),
    phase: t.Enum(provisioningPhases),
    currentStep: t.Optional(t.String()),
    steps: t.Array(
      t.Object({
        id: t.String(),
        name: t.String(),
        status: t.Enum(stepStatuses),
        output: t.Optional(t.Record(t.String(), t.Unknown(), { description: 'what it has made; no secrets' })),
        error: t.Optional(Failure),
        attempts: t.Integer({ description: 'times it was begun; tries within are not counted' }),
        startedAt: t.Optional(Timestamp),
        completedAt: t.Optional(Timestamp),
      }),
    ),
    error: t.Optional(Failure),
    attempts: t.Integer({ description: 'times the job was begun or retried' }),
    createdBy: t.String({ description: 'the id of a person, or the one that a token of a machine goes by' }),
    createdByName: t.Optional(PersonName),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    completedAt: t.Optional(Timestamp),
    expiresAt: t.Optional(t.String({ format: 'date-time', description: 'it is deleted then' })),
  },
  { title: 'ProvisioningJob', examples: [jobExample] },
)

/** Member by member: what a row may hold beside it is not for people. */
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

const secret = 'names the secret, which is never shown itself'

export const Database = t.Object(
  {
    id: t.String(),
    jobID: t.String(),
    name: t.String(),
    owner: t.String(),
    status: t.Enum(databaseStatuses),
    server: t.String({ description: 'its address' }),
    port: t.Integer(),
    secretRef: orNull(t.String({ description: `${secret}; null before there is one` })),
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
    databaseID: t.Optional(t.String({ description: 'of scope database' })),
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
