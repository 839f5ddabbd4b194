import { defineEntity, p } from '@mikro-orm/core'
import type { SealedColumn } from '#engine/seal.ts'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'
import { databaseResealed, provisioningResealed } from '#streams/catalog.ts'
import type {
  DatabaseStatus,
  ProvisioningPhase,
  SpaceKind,
  SpaceStatus,
  StepFailure,
  StepStatus,
} from '#streams/catalog.ts'
import type { ProvisioningKind } from '#streams/cloud/provision.ts'

const space = defineEntity({
  name: 'Space',
  tableName: 'space',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    /** A UUID derived from account, region and cluster. */
    id: p.text().primary(),
    name: p.text(),
    cloudAccountId: p.text(),
    provider: p.text(),
    region: p.text(),
    kind: p.text().$type<SpaceKind>(),
    /** Only for a space in a cluster. */
    clusterUid: p.text().nullable(),
    status: p.text().$type<SpaceStatus>(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  indexes: [{ properties: ['orgId', 'name'] }],
})

/** A place where things may be provisioned and deployed. Written only by the space actor. */
export class Space extends space.class {}
space.setClass(Space)

/** Shown with its job; secrets it created are in `secrets` of the job. Times are ISO 8601. */
export interface JobStep {
  /** The name of the step, unique within a job. */
  id: string
  name: string
  status: StepStatus
  output?: Record<string, unknown>
  error?: JobError
  /** How often it was started, which is more than once if the job is retried. Retries within one start do not count. */
  attempts: number
  startedAt?: string
  completedAt?: string
}

/** Tells who can act on it (decision G-86). */
export type JobError = Omit<StepFailure, 'code'> & { retryable: boolean; stepName: string }

/** An error on our side, which an operator must look at. */
interface JobDefect {
  /** ISO 8601. */
  at: string
  step: string
  code: string
  message: string
}

/** The step in progress. */
export interface AwaitedStep {
  /** Id of the call, `<step>/<attempt>/<n>`; empty during a pause. */
  call: string
  step: string
  isUndo: boolean
  /** Number of retries, at most five. */
  tries: number
  /** ISO 8601. The step is abandoned after six hours. */
  since: string
  /** ISO 8601. If no process was running when the six hours ended, the step has until then. */
  graceUntil?: string
  /** The last output of undoing the step, for its next call. */
  progress?: Readonly<Record<string, unknown>>
}

const job = defineEntity({
  name: 'ProvisioningJob',
  tableName: 'provisioning_job',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    cloudAccountId: p.text().primary(),
    /** A UUID. */
    id: p.text().primary(),
    spaceId: p.text(),
    provider: p.text(),
    region: p.text(),
    clusterUid: p.text().nullable(),
    kind: p.text().$type<ProvisioningKind>(),
    name: p.text(),
    config: p.json<Record<string, unknown>>(),
    tags: p.json<Record<string, string>>(),
    phase: p.text().$type<ProvisioningPhase>(),
    currentStep: p.text().nullable(),
    steps: p.json<JobStep[]>(),
    error: p.json<JobError>().nullable(),
    /** How often it was started or retried. */
    attempts: p.integer(),
    awaited: p.json<AwaitedStep>().nullable(),
    /** Number of calls requested so far, which numbers them. */
    calls: p.integer(),
    /** Steps that still have to be undone, the next one first; null unless it is being deleted. */
    undo: p.json<string[]>().nullable(),
    /** Oldest first, at most 20. */
    defects: p.json<JobDefect[]>(),
    /** Sealed JSON of secrets by name: the values of `secret://<job>/<name>`. */
    secrets: p.text().nullable(),
    expiresAt: p.datetime(3).nullable(),
    createdBy: p.text(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
    completedAt: p.datetime(3).nullable(),
  },
  indexes: [
    { properties: ['orgId', 'id'] },
    { properties: ['orgId', 'spaceId'] },
    { properties: ['orgId', 'createdAt', 'id'] },
  ],
})

/** Something that is created in a cloud, step by step. Written only by the provisioning actor. */
export class ProvisioningJob extends job.class {}
job.setClass(ProvisioningJob)

export const secretsSealed: SealedColumn = {
  table: 'provisioning_job',
  column: 'secrets',
  place: 'cloud_account_id',
  isOfOrg: true,
  purpose: 'store secrets of provisioned resources',
  resealed: ({ id: jobId, place: cloudAccountId = '', was, sealed }) => ({
    subject: provisioningResealed,
    data: { cloudAccountId, jobId, was, sealed },
  }),
}

const database = defineEntity({
  name: 'ProvisionedDatabase',
  tableName: 'provisioned_database',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    cloudAccountId: p.text().primary(),
    id: p.text().primary(),
    jobId: p.text(),
    name: p.text(),
    owner: p.text(),
    status: p.text().$type<DatabaseStatus>(),
    server: p.text(),
    port: p.integer(),
    secretRef: p.text().nullable(),
    /** Sealed; the value of `secretRef`. */
    secret: p.text().nullable(),
    /** With its code, which is not shown to people. */
    error: p.json<JobError & { code?: string }>().nullable(),
    /** Id of the awaited call; empty if there is none. */
    call: p.text(),
    createdBy: p.text(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  indexes: [{ properties: ['orgId', 'jobId'] }],
})

/** A database on a provisioned server. Written only by the database actor. */
export class ProvisionedDatabase extends database.class {}
database.setClass(ProvisionedDatabase)

export const databaseSealed: SealedColumn = {
  table: 'provisioned_database',
  column: 'secret',
  place: 'cloud_account_id',
  isOfOrg: true,
  purpose: 'sign in to a database',
  // The job is not known here, and the database ignores that member.
  resealed: ({ id: databaseId, place: cloudAccountId = '', was, sealed }) => ({
    subject: databaseResealed,
    data: { cloudAccountId, databaseId, was, sealed },
  }),
}

const connection = defineEntity({
  name: 'ProvisionedConnection',
  tableName: 'provisioned_connection',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    cloudAccountId: p.text().primary(),
    id: p.text().primary(),
    jobId: p.text(),
    /** Null: the connection is to the whole server. */
    databaseId: p.text().nullable(),
    name: p.text(),
    host: p.text(),
    port: p.integer(),
    user: p.text(),
    secretRef: p.text(),
    createdBy: p.text(),
    createdAt: p.datetime(3),
  },
  indexes: [{ properties: ['orgId', 'jobId'] }],
})

/** How to connect to a provisioned server or database; contains no secret. Written only by the connection actor. */
export class ProvisionedConnection extends connection.class {}
connection.setClass(ProvisionedConnection)
