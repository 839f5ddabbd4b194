/** Self-service provisioning: jobs, the spaces they run in, and their databases and connections. */
import { t, type Static } from '#engine/value/schema.ts'
import { orgWide, subject } from '#engine/actor/subject.ts'
import { buckets } from '#streams/cloud/connector.ts'
import { provisioningKinds } from '#streams/cloud/provision.ts'
import { text } from '#streams/text.ts'

export const provisioningPhases = [
  'queued',
  'validating',
  'provisioning',
  'configuring',
  'verifying',
  'ready',
  'failed',
  'deleting',
  'deleted',
  'delete_failed',
] as const
export type ProvisioningPhase = (typeof provisioningPhases)[number]

export const stepStatuses = ['pending', 'running', 'succeeded', 'failed', 'skipped'] as const
export type StepStatus = (typeof stepStatuses)[number]

export const spaceKinds = ['account_region', 'cluster'] as const
export type SpaceKind = (typeof spaceKinds)[number]
export const spaceStatuses = ['active', 'disabled'] as const
export type SpaceStatus = (typeof spaceStatuses)[number]

export const databaseStatuses = ['creating', 'available', 'deleting', 'failed'] as const
export type DatabaseStatus = (typeof databaseStatuses)[number]

/**
 * Maximum live jobs per organization. May be exceeded by as many as start at the same moment in different accounts,
 * which do not wait for each other.
 */
export const liveJobsMax = 100

const id = text({ minLength: 1, maxLength: 256 })
const account = text({ minLength: 1, maxLength: 1024 })
const user = text({ maxLength: 256 })
const name = text({ minLength: 1, maxLength: 100 })
const moment = t.String({ format: 'date-time' })
const ofOrg = { kind: 'actor', place: () => orgWide } as const
const ofAccount = { kind: 'actor', place: (data: { cloudAccountId: string }) => data.cloudAccountId } as const

/** Where something can be provisioned: an account in a region, or a cluster in it. */
const locationFields = {
  cloudAccountId: account,
  provider: text({ minLength: 1, maxLength: 64 }),
  region: text({ minLength: 1, maxLength: 128 }),
  kind: t.Enum(spaceKinds),
  /** For a cluster. */
  clusterUid: t.Union([text({ minLength: 1, maxLength: 1024 }), t.Null()]),
}

const space = { spaceId: id }
const spaceExample = { spaceId: '5b0f6f0e-1e4a-8a36-9a43-0f9f2b9f6a01' }
const placeExample = {
  cloudAccountId: 'acct-1',
  provider: 'aws',
  region: 'us-east-1',
  kind: 'account_region' as const,
  clusterUid: null,
}

/**
 * Command: create or change a space. Its id is derived from account, region and cluster, so each place has one row.
 * Replies `{ spaceId }`. Refused: conflict `already_exists`, missing.
 */
export const spaceSaved = subject({
  ...ofOrg,
  name: 'space.saved',
  summary: 'Create or update a space.',
  once: true,
  schema: t.Union([
    t.Object({ ...space, ...locationFields, isNew: t.Literal(true), name, userId: user }),
    t.Object({
      ...space,
      isNew: t.Literal(false),
      name: t.Optional(name),
      status: t.Optional(t.Enum(spaceStatuses)),
      userId: user,
    }),
  ]),
  examples: [
    { ...spaceExample, ...placeExample, isNew: true, name: 'Production', userId: 'u-1' },
    { ...spaceExample, isNew: false, name: 'Live', userId: 'u-1' },
  ],
})

/** A provisioned cluster becomes a space; an existing space does not change. */
export const spaceRegistered = subject({
  ...ofOrg,
  name: 'space.registered',
  summary: 'A cluster was provisioned and is now a space.',
  once: true,
  schema: t.Object({ ...space, ...locationFields, name, jobId: id }),
  examples: [
    {
      ...spaceExample,
      ...placeExample,
      kind: 'cluster',
      clusterUid: 'arn:aws:eks:us-east-1:123456789012:cluster/shop',
      name: 'shop',
      jobId: '6b0f6f0e-1e4a-8a36-9a43-0f9f2b9f6a01',
    },
  ],
})

/**
 * Command. Runs alone, because it must see the jobs and deployments of the space. Replies `{ spaceId }`. Refused:
 * missing, conflict `space_in_use`.
 */
export const spaceRemoved = subject({
  ...ofOrg,
  name: 'space.removed',
  summary: 'Delete a space that has no active job and no deployment.',
  once: true,
  schema: t.Object({ ...space, userId: user }),
  examples: [{ ...spaceExample, userId: 'u-1' }],
})

/**
 * The cluster of a space was deleted. The space is deleted too, or disabled while anything live is in it. While the
 * cluster is only being deleted, the space is disabled.
 */
export const spaceUnregistered = subject({
  ...ofOrg,
  name: 'space.unregistered',
  summary: 'A provisioned cluster was deleted and is no longer a space.',
  once: true,
  schema: t.Object({ ...space, jobId: id, isGoing: t.Optional(t.Boolean()) }),
  examples: [{ ...spaceExample, jobId: '6b0f6f0e-1e4a-8a36-9a43-0f9f2b9f6a01' }],
})

const job = { cloudAccountId: account, jobId: id }
const jobExample = { cloudAccountId: 'acct-1', jobId: '6b0f6f0e-1e4a-8a36-9a43-0f9f2b9f6a01' }
const tags = t.Record(text({ minLength: 1, maxLength: 128 }), text({ maxLength: 256 }))

/**
 * Command: start a job. The edge has checked `config` against the schema of its kind. Runs alone, because the
 * organization has at most `liveJobsMax`. Replies `{ jobId }`. Refused: missing, conflict `already_exists`,
 * `space_disabled`, refused `too_many_jobs`.
 */
export const provisioningBegun = subject({
  ...ofAccount,
  name: 'provisioning.begun',
  summary: 'Provision a component in a cloud.',
  once: true,
  schema: t.Object({
    ...job,
    ...space,
    provider: locationFields.provider,
    region: locationFields.region,
    clusterUid: locationFields.clusterUid,
    kind: t.Enum(provisioningKinds),
    name,
    config: t.Record(t.String(), t.Unknown()),
    tags,
    /** ISO 8601: when it is deleted; null for never. */
    expiresAt: t.Union([moment, t.Null()]),
    userId: user,
  }),
  examples: [
    {
      ...jobExample,
      ...spaceExample,
      provider: 'aws',
      region: 'us-east-1',
      clusterUid: null,
      kind: 'registry',
      name: 'images',
      config: { name: 'images', immutableTags: true },
      tags: { team: 'shop' },
      expiresAt: null,
      userId: 'u-1',
    },
  ],
})

/** Command: change name, tags or end of a job; no step runs again. Replies `{ jobId }`. Refused: missing. */
export const provisioningChanged = subject({
  ...ofAccount,
  name: 'provisioning.changed',
  summary: 'Change the name, tags or expiry of a provisioning job.',
  once: true,
  schema: t.Object({
    ...job,
    name: t.Optional(name),
    tags: t.Optional(tags),
    expiresAt: t.Optional(t.Union([moment, t.Null()])),
    userId: user,
  }),
  examples: [{ ...jobExample, name: 'Images', userId: 'u-1' }],
})

const provisioningVerbs = ['retry', 'delete'] as const
export type ProvisioningVerb = (typeof provisioningVerbs)[number]

/** Command. Replies `{ jobId }`. Refused: missing, conflict `invalid_transition`, `not_retryable`, `job_active`. */
export const provisioningCommanded = subject({
  ...ofAccount,
  name: 'provisioning.commanded',
  summary: 'Retry a failed provisioning job, or delete the resources it created.',
  once: true,
  schema: t.Object({ ...job, verb: t.Enum(provisioningVerbs), userId: user }),
  examples: [{ ...jobExample, verb: 'retry', userId: 'u-1' }],
})

/** A step failed, and who can act on it (decision G-86). */
export const StepFailure = t.Object({
  bucket: t.Enum(buckets),
  code: text({ maxLength: 256 }),
  message: text({ maxLength: 2000 }),
  fixHint: t.Optional(text({ maxLength: 2000 })),
  consoleUrl: t.Optional(text({ maxLength: 2000 })),
})
export type StepFailure = Static<typeof StepFailure>

/**
 * The result of a step. `waiting`: the cloud has started and is queried again. A result for another `attempt` or call
 * is ignored.
 */
export const provisionReported = subject({
  ...ofAccount,
  name: 'provision.reported',
  summary: 'The result of a step of a provisioning job.',
  once: true,
  schema: t.Object({
    ...job,
    step: text({ minLength: 1, maxLength: 64 }),
    attempt: t.Integer({ minimum: 1 }),
    /** The call this is the result of. */
    call: id,
    status: t.Enum(['done', 'waiting', 'skipped', 'failed']),
    /** Shown with the step; contains no secret; 16 KiB at most. */
    output: t.Optional(t.Record(t.String(), t.Unknown())),
    /** Encrypted: all secrets of the job so far. */
    secrets: t.Optional(t.String()),
    failure: t.Optional(StepFailure),
    /** For a step that was undone: uids of objects that no longer exist. */
    gone: t.Optional(t.Array(text({ minLength: 1, maxLength: 1024 }), { maxItems: 256 })),
  }),
  examples: [
    {
      ...jobExample,
      step: 'create',
      attempt: 1,
      call: 'create/1/1',
      status: 'done',
      output: { uri: 'images.example' },
    },
  ],
})

/**
 * `again`: retry a step or query its state. `abandoned`: six hours in one step. `warn`: the job expires in a day.
 * `expired`: it is deleted.
 */
const provisioningDueKinds = ['again', 'abandoned', 'warn', 'expired'] as const
export type ProvisioningDueKind = (typeof provisioningDueKinds)[number]

export const provisioningDue = subject({
  ...ofAccount,
  name: 'provisioning.due',
  summary: 'A time that a provisioning job was waiting for has come.',
  schema: t.Object({ ...job, what: t.Enum(provisioningDueKinds) }),
  examples: [{ ...jobExample, what: 'again' }],
})

/** The job's secrets, encrypted with a new key; secrets that changed meanwhile are kept. */
export const provisioningResealed = subject({
  ...ofAccount,
  name: 'provisioning.resealed',
  summary: 'The secrets of a provisioning job, encrypted with another key.',
  schema: t.Object({ ...job, was: t.String(), sealed: t.String() }),
  examples: [{ ...jobExample, was: 's1.000000000000.AA', sealed: 's1.111111111111.AA' }],
})

const database = { ...job, databaseId: id }
const databaseExample = { ...jobExample, databaseId: '7b0f6f0e-1e4a-8a36-9a43-0f9f2b9f6a01' }
const sqlName = text({ pattern: '^[a-z][a-z0-9_]{0,62}$' })

/**
 * Command: create a database and its owner on the server of a ready datastore job. Replies `{ databaseId }`. Refused:
 * missing, conflict `job_not_ready`, `already_exists`, `not_a_datastore`.
 */
export const databaseBegun = subject({
  ...ofAccount,
  name: 'database.begun',
  summary: 'Create a database on a provisioned server.',
  once: true,
  schema: t.Object({ ...database, name: sqlName, owner: sqlName, userId: user }),
  examples: [{ ...databaseExample, name: 'shop', owner: 'shop_app', userId: 'u-1' }],
})

/**
 * Command: drop it, revoke its owner, and remove its connections. Replies `{ databaseId }`. Refused: missing, conflict
 * `database_busy`.
 */
export const databaseRemoved = subject({
  ...ofAccount,
  name: 'database.removed',
  summary: 'Drop a database and revoke its user.',
  once: true,
  schema: t.Object({ ...database, userId: user }),
  examples: [{ ...databaseExample, userId: 'u-1' }],
})

export const databaseReported = subject({
  ...ofAccount,
  name: 'database.reported',
  summary: 'The result of a database call.',
  once: true,
  schema: t.Object({
    ...database,
    call: id,
    status: t.Enum(['done', 'failed']),
    secretRef: t.Optional(text({ maxLength: 1024 })),
    /** Encrypted. */
    secret: t.Optional(t.String()),
    failure: t.Optional(StepFailure),
  }),
  examples: [{ ...databaseExample, call: 'create/1', status: 'done', secretRef: 'secret://6b0f6f0e/shop_app' }],
})

/** Its server is being deleted: no calls are made for it. */
export const databaseForgotten = subject({
  ...ofAccount,
  name: 'database.forgotten',
  summary: 'The server of a database was deleted, including the database.',
  once: true,
  schema: t.Object(database),
  examples: [databaseExample],
})

export const databaseResealed = subject({
  ...ofAccount,
  name: 'database.resealed',
  summary: 'The password of the owner of a database, encrypted with another key.',
  schema: t.Object({ cloudAccountId: account, databaseId: id, was: t.String(), sealed: t.String() }),
  examples: [
    {
      cloudAccountId: 'acct-1',
      databaseId: databaseExample.databaseId,
      was: 's1.000000000000.AA',
      sealed: 's1.111111111111.AA',
    },
  ],
})

const connection = { ...job, connectionId: id }
const connectionExample = { ...jobExample, connectionId: '8b0f6f0e-1e4a-8a36-9a43-0f9f2b9f6a01' }

/**
 * Command: store how to connect to the server or one of its databases. Replies `{ connectionId }`. Refused: missing,
 * conflict `job_not_ready`, `not_a_datastore`.
 */
export const connectionSaved = subject({
  ...ofAccount,
  name: 'connection.saved',
  summary: 'Record how to connect to a provisioned server or database.',
  once: true,
  schema: t.Object({
    ...connection,
    /** Null: for the whole server. */
    databaseId: t.Union([id, t.Null()]),
    name: t.Optional(name),
    user: t.Optional(text({ minLength: 1, maxLength: 256 })),
    secretRef: t.Optional(text({ pattern: '^secret://.', maxLength: 1024 })),
    userId: user,
  }),
  examples: [{ ...connectionExample, databaseId: null, userId: 'u-1' }],
})

/** Command: delete the connection; the database user stays. Replies `{ connectionId }`. Refused: missing. */
export const connectionRemoved = subject({
  ...ofAccount,
  name: 'connection.removed',
  summary: 'Delete a connection. The database user remains.',
  once: true,
  schema: t.Object({ ...connection, userId: user }),
  examples: [{ ...connectionExample, userId: 'u-1' }],
})

/** Its target is being deleted. */
export const connectionForgotten = subject({
  ...ofAccount,
  name: 'connection.forgotten',
  summary: 'The server or database of a connection was deleted.',
  once: true,
  schema: t.Object(connection),
  examples: [connectionExample],
})

export const catalogMessages = [
  spaceSaved,
  spaceRegistered,
  spaceRemoved,
  spaceUnregistered,
  provisioningBegun,
  provisioningChanged,
  provisioningCommanded,
  provisionReported,
  provisioningDue,
  provisioningResealed,
  databaseBegun,
  databaseRemoved,
  databaseReported,
  databaseForgotten,
  databaseResealed,
  connectionSaved,
  connectionRemoved,
  connectionForgotten,
]
