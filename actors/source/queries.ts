/** Queries of the edge for deployments and revisions. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { Fault } from '#engine/value/fault.ts'
import { containing } from '#engine/value/like-pattern.ts'
import { isUuid } from '#engine/value/id.ts'
import { Deployment, Revision, SourceInstallation, SourceRepository } from './entity.ts'

/** The current deployment. @throws Fault `missing` */
export async function foundDeployment(em: EntityManager, orgId: string, id: string): Promise<Deployment> {
  const found = isUuid(id) ? await em.findOne(Deployment, { orgId, id }, { refresh: true }) : null
  if (!found) throw Fault.missing('deployment', id)
  return found
}

/** @throws Fault `missing` */
export async function foundRevision(em: EntityManager, orgId: string, id: string): Promise<Revision> {
  const found = isUuid(id) ? await em.findOne(Revision, { orgId, id }, { refresh: true }) : null
  if (!found) throw Fault.missing('revision', id)
  return found
}

interface Slice {
  offset: number
  limit: number
}

interface Page<T> {
  items: T[]
  total: number
}

/** A page of deployments, newest first. */
export async function deploymentPage(
  em: EntityManager,
  orgId: string,
  search: string | undefined,
  slice: Slice,
): Promise<Page<Deployment>> {
  const like = search ? { $ilike: containing(search) } : undefined
  const where = { orgId, ...(like && { $or: [{ name: like }, { repositoryUrl: like }, { branch: like }] }) }
  const orderBy = { createdAt: 'desc', id: 'asc' } as const
  const [items, total] = await em.findAndCount(Deployment, where, { orderBy, ...slice })
  return { items, total }
}

/** A page of a deployment's revisions, newest first; those of a deleted deployment stay. */
export async function revisionPage(
  em: EntityManager,
  orgId: string,
  deploymentId: string,
  slice: Slice,
): Promise<Page<Revision>> {
  const orderBy = { createdAt: 'desc', id: 'desc' } as const
  const [items, total] = await em.findAndCount(Revision, { orgId, deploymentId }, { orderBy, ...slice })
  return { items, total }
}

export interface PromotedRevision {
  id: string
  deploymentId: string
  /** Null if the deployment was deleted. */
  deploymentName: string | null
  commitSha: string
  imageRef: string | null
  completedAt: Date
}

const promotedSql = `
  select r.id, r.deployment_id as "deploymentId", d.name as "deploymentName", r.commit_sha as "commitSha",
    r.image_ref as "imageRef", r.completed_at as "completedAt"
  from revision r left join deployment d on d.org_id = r.org_id and d.id = r.deployment_id
  where r.org_id = ? and r.status = 'promoted' and r.completed_at >= ? and r.completed_at < ?
  order by r.completed_at desc, r.id limit ?`

/** The newest revisions that went live in a range of time, oldest first; `to` is excluded. */
export async function promotedRevisions(
  em: EntityManager,
  orgId: string,
  { from, to }: { from: Date; to: Date },
  max: number,
): Promise<PromotedRevision[]> {
  const rows = await em.execute<(PromotedRevision & { completedAt: string })[]>(promotedSql, [
    orgId,
    from.toISOString(),
    to.toISOString(),
    max,
  ])
  return rows.map((row) => ({ ...row, completedAt: new Date(row.completedAt) })).toReversed()
}

/** Maximum repositories shown for an organization. */
const repositoriesMax = 10_000

export const repositoriesOf = (em: EntityManager, orgId: string): Promise<SourceRepository[]> =>
  em.find(SourceRepository, { orgId }, { orderBy: { fullName: 'asc', id: 'asc' }, limit: repositoriesMax })

/**
 * The deployments that follow a branch, in all organizations that `em` sees. Runs for every push, with the index
 * `deployment_pushed`.
 */
export const pushedSql = `
  select org_id as "orgId", id, name, space_id as "spaceId", repository_url as "repositoryUrl", branch,
    auto_deploy as "autoDeploy", current_revision_id as "currentRevisionId", created_at as "createdAt", updated_at as "updatedAt"
  from deployment where repository_key = ? and branch = ? and auto_deploy
    and not exists (select from closed_organization c where c.org_id = deployment.org_id) order by org_id, id`

export type PushedDeployment = Pick<
  Deployment,
  | 'orgId'
  | 'id'
  | 'name'
  | 'spaceId'
  | 'repositoryUrl'
  | 'branch'
  | 'autoDeploy'
  | 'currentRevisionId'
  | 'createdAt'
  | 'updatedAt'
>

/** An `em` without a fixed organization sees all. */
export async function deploymentsFollowing(
  em: EntityManager,
  key: string,
  branch: string,
): Promise<PushedDeployment[]> {
  const rows = await em.execute<(PushedDeployment & { createdAt: string; updatedAt: string })[]>(pushedSql, [
    key,
    branch,
  ])
  return rows.map((row) => ({ ...row, createdAt: new Date(row.createdAt), updatedAt: new Date(row.updatedAt) }))
}

/** The first deployment of a repository, whatever its branch; optionally only of some organizations. */
export const firstDeployment = (
  em: EntityManager,
  repositoryKey: string,
  orgIds?: readonly string[],
): Promise<Deployment | null> =>
  em.findOne(
    Deployment,
    { repositoryKey, ...(orgIds && { orgId: { $in: [...orgIds] } }) },
    { orderBy: { createdAt: 'asc', orgId: 'asc', id: 'asc' } },
  )

/** Whether another organization deploys the repository, too. */
export const isShared = async (em: EntityManager, repositoryKey: string, orgId: string): Promise<boolean> =>
  (await em.findOne(Deployment, { repositoryKey, orgId: { $ne: orgId } }, { fields: ['id'] })) !== null

/** The organization that an installation is linked to; undefined if there is none. */
export async function organizationOf(em: EntityManager, installationId: string): Promise<string | undefined> {
  const found = await em.findOne(SourceInstallation, { id: installationId })
  return found?.orgId || undefined
}

const ownersSql = `
  select org_id as "orgId" from source_link where repository_key = ?
  union select org_id from source_repository where repository_key = ? and org_id <> ''`

/**
 * The organizations linked to a repository, directly or through an installation that sees it. `em` must see all
 * organizations.
 */
export async function ownersOf(em: EntityManager, repositoryKey: string): Promise<string[]> {
  const rows = await em.execute<{ orgId: string }[]>(ownersSql, [repositoryKey, repositoryKey])
  return rows.map(({ orgId }) => orgId)
}

/** Maximum deployments of an organization. */
const deploymentsMax = 1000

/** @throws Fault `refused` `too_many_deployments` */
export async function checkRoom(em: EntityManager, orgId: string): Promise<void> {
  if ((await em.count(Deployment, { orgId })) < deploymentsMax) return
  throw Fault.refused('too_many_deployments', `An organization can have at most ${deploymentsMax} deployments.`)
}

/** The deployment of a revision, in any organization; undefined if there is no such revision. */
export async function placeOfRevision(
  em: EntityManager,
  id: string,
): Promise<Pick<Revision, 'orgId' | 'deploymentId' | 'id'> | undefined> {
  const found = isUuid(id) ? await em.findOne(Revision, { id }, { orderBy: { orgId: 'asc' } }) : null
  return found ?? undefined
}
