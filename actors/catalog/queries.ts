/** Queries of the edge for spaces, jobs, databases and connections of one organization, as they are now. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { Fault } from '#engine/value/fault.ts'
import { uuidOf } from '#engine/value/id.ts'
import { containing } from '#engine/value/like-pattern.ts'
import type { ProvisioningPhase } from '#streams/catalog.ts'
import type { ProvisioningKind } from '#streams/cloud/provision.ts'
import { ProvisionedConnection, ProvisionedDatabase, ProvisioningJob, Space } from './entity.ts'

interface Page<T> {
  items: T[]
  total: number
}

interface Slice {
  limit: number
  offset: number
}

interface SpacePlace {
  cloudAccountId: string
  region: string
  clusterUid: string | null
}

/** The id of the one space of a place: a second request for the place finds the first. */
export const spaceIdOf = (orgId: string, { cloudAccountId, region, clusterUid }: SpacePlace): string =>
  uuidOf('space', orgId, cloudAccountId, region, clusterUid ?? '')

/** @throws Fault `missing` */
export async function foundSpace(em: EntityManager, orgId: string, id: string): Promise<Space> {
  const space = await em.findOne(Space, { orgId, id }, { refresh: true })
  if (!space) throw Fault.missing('space', id)
  return space
}

/** A page of spaces, by name: those whose name, region or account contains `search`. */
export async function spacePage(
  em: EntityManager,
  orgId: string,
  search: string | undefined,
  slice: Slice,
): Promise<Page<Space>> {
  const like = search ? { $ilike: containing(search) } : undefined
  const where = { orgId, ...(like && { $or: [{ name: like }, { region: like }, { cloudAccountId: like }] }) }
  const [items, total] = await em.findAndCount(Space, where, { ...slice, orderBy: { name: 'asc', id: 'asc' } })
  return { items, total }
}

/** Filters of job lists; all must match. */
export interface JobFilter {
  spaceIds?: readonly string[] | undefined
  kinds?: readonly ProvisioningKind[] | undefined
  phases?: readonly ProvisioningPhase[] | undefined
}

/** A page of jobs, newest first. */
export async function jobPage(
  em: EntityManager,
  orgId: string,
  { spaceIds, kinds, phases }: JobFilter,
  slice: Slice,
): Promise<Page<ProvisioningJob>> {
  const where = {
    orgId,
    ...(spaceIds?.length && { spaceId: { $in: [...spaceIds] } }),
    ...(kinds?.length && { kind: { $in: [...kinds] } }),
    ...(phases?.length && { phase: { $in: [...phases] } }),
  }
  const orderBy = { createdAt: 'desc', id: 'asc' } as const
  const [items, total] = await em.findAndCount(ProvisioningJob, where, { ...slice, orderBy })
  return { items, total }
}

/** @throws Fault `missing` */
export async function foundJob(em: EntityManager, orgId: string, id: string): Promise<ProvisioningJob> {
  const job = await em.findOne(ProvisioningJob, { orgId, id }, { refresh: true })
  if (!job) throw Fault.missing('provisioning job', id)
  return job
}

/**
 * Number of jobs that have created something in an account and whose deletion was not tried. A job that starts later
 * creates nothing if the account is gone by then.
 */
export const jobsAt = (em: EntityManager, orgId: string, cloudAccountId: string): Promise<number> =>
  em.count(ProvisioningJob, { orgId, cloudAccountId, phase: { $nin: ['deleted', 'delete_failed'] } })

/** The databases of a job, by name. */
export const databasesOf = (em: EntityManager, orgId: string, jobId: string): Promise<ProvisionedDatabase[]> =>
  em.find(ProvisionedDatabase, { orgId, jobId }, { orderBy: { name: 'asc', id: 'asc' }, refresh: true })

/** @throws Fault `missing`, also if it belongs to another job */
export async function foundDatabase(
  em: EntityManager,
  orgId: string,
  { jobId, id }: { jobId: string; id: string },
): Promise<ProvisionedDatabase> {
  const database = await em.findOne(ProvisionedDatabase, { orgId, jobId, id }, { refresh: true })
  if (!database) throw Fault.missing('database', id)
  return database
}

/** If `databaseId` is null, connections to the whole server. */
export interface ConnectionScope {
  jobId: string
  databaseId: string | null
}

/** The connections of one scope, by name. */
export const connectionsOf = (
  em: EntityManager,
  orgId: string,
  scope: ConnectionScope,
): Promise<ProvisionedConnection[]> =>
  em.find(ProvisionedConnection, { orgId, ...scope }, { orderBy: { name: 'asc', id: 'asc' }, refresh: true })

/** @throws Fault `missing`, also if it belongs to another scope */
export async function foundConnection(
  em: EntityManager,
  orgId: string,
  { id, ...scope }: ConnectionScope & { id: string },
): Promise<ProvisionedConnection> {
  const connection = await em.findOne(ProvisionedConnection, { orgId, ...scope, id }, { refresh: true })
  if (!connection) throw Fault.missing('connection', id)
  return connection
}
