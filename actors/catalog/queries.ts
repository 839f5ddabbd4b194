/** What the edge reads of spaces, jobs, databases and connections: rows of one organization, as they are now. */
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

/** Names the one space of a place: whoever makes another finds this one. */
export const spaceIdOf = (orgId: string, { cloudAccountId, region, clusterUid }: SpacePlace): string =>
  uuidOf('space', orgId, cloudAccountId, region, clusterUid ?? '')

/** @throws Fault `missing` */
export async function foundSpace(em: EntityManager, orgId: string, id: string): Promise<Space> {
  const space = await em.findOne(Space, { orgId, id }, { refresh: true })
  if (!space) throw Fault.missing('space', id)
  return space
}

/** A page of the spaces whose name, region or account holds `search`, by name. */
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

/** What narrows lists of jobs; all given ones must hold. */
export interface JobFilter {
  spaceIds?: readonly string[] | undefined
  kinds?: readonly ProvisioningKind[] | undefined
  phases?: readonly ProvisioningPhase[] | undefined
}

/** A page of the jobs, the newest first. */
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
 * How many jobs have made something at an account that nobody has tried to take away. One that begins behind this makes nothing where the
 * account is gone by then.
 */
export const jobsAt = (em: EntityManager, orgId: string, cloudAccountId: string): Promise<number> =>
  em.count(ProvisioningJob, { orgId, cloudAccountId, phase: { $nin: ['deleted', 'delete_failed'] } })

/** The databases of a job, by name. */
export const databasesOf = (em: EntityManager, orgId: string, jobId: string): Promise<ProvisionedDatabase[]> =>
  em.find(ProvisionedDatabase, { orgId, jobId }, { orderBy: { name: 'asc', id: 'asc' }, refresh: true })

/** @throws Fault `missing` for one of another job too */
export async function foundDatabase(
  em: EntityManager,
  orgId: string,
  { jobId, id }: { jobId: string; id: string },
): Promise<ProvisionedDatabase> {
  const database = await em.findOne(ProvisionedDatabase, { orgId, jobId, id }, { refresh: true })
  if (!database) throw Fault.missing('database', id)
  return database
}

/** Of a whole server where `databaseId` is null. */
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

/** @throws Fault `missing` for one of another scope too */
export async function foundConnection(
  em: EntityManager,
  orgId: string,
  { id, ...scope }: ConnectionScope & { id: string },
): Promise<ProvisionedConnection> {
  const connection = await em.findOne(ProvisionedConnection, { orgId, ...scope, id }, { refresh: true })
  if (!connection) throw Fault.missing('connection', id)
  return connection
}
