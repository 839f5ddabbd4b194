import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { ScalingInfrastructure } from '#actors/autoscaling/entity.ts'
import { Resource } from '#actors/resource/entity.ts'
import { within } from '#actors/resource/row.ts'
import type { PolicySight } from '#actors/autoscaling/row.ts'

/** Identifies a target. */
export interface TargetPlace {
  cloudAccountId: string
  uid: string
}

/** The existing resources with this uid: in the given account, otherwise in all accounts, by account id. */
export const findTargets = (
  em: EntityManager,
  orgId: string,
  { uid, cloudAccountId }: { uid: string; cloudAccountId?: string | undefined },
): Promise<Resource[]> =>
  em.find(
    Resource,
    { orgId, uid, deletedAt: null, ...(cloudAccountId !== undefined && { cloudAccountId }) },
    { orderBy: { cloudAccountId: 'asc' }, refresh: true },
  )

/** Whether the caller may see the target, known or not. */
export async function isTargetSeen(
  em: EntityManager,
  orgId: string,
  { scope }: PolicySight,
  { cloudAccountId, uid }: TargetPlace,
): Promise<boolean> {
  if (scope === undefined) return true
  const place = { org: sql`${orgId}::text`, account: sql`${cloudAccountId}::text`, uid: sql`${uid}::text` }
  const row = await em.getKysely().selectNoFrom(within(scope, place).as('seen')).executeTakeFirstOrThrow()
  return row.seen
}

/** Whether the caller may see anything of the account. */
export async function isAccountSeen(
  em: EntityManager,
  orgId: string,
  { scope }: PolicySight,
  cloudAccountId: string,
): Promise<boolean> {
  if (scope === undefined || scope.accounts.includes(cloudAccountId)) return true
  const { rows } = await sql`
    SELECT FROM resource AS r WHERE r.org_id = ${orgId} AND r.cloud_account_id = ${cloudAccountId} AND r.deleted_at IS NULL
      AND ${within(scope)} LIMIT 1`.execute(em.getKysely())
  return rows.length > 0
}

/** As `findTargets`, but only those that the caller may see. */
export async function seenTargets(
  em: EntityManager,
  orgId: string,
  sight: PolicySight,
  of: Parameters<typeof findTargets>[2],
): Promise<Resource[]> {
  const found = await findTargets(em, orgId, of)
  const seen = await Promise.all(found.map((target) => isTargetSeen(em, orgId, sight, target)))
  return found.filter((_, i) => seen[i])
}

/** The current infrastructure of an account for its policies; null if nobody has requested it. */
export const findInfrastructure = (
  em: EntityManager,
  orgId: string,
  cloudAccountId: string,
): Promise<ScalingInfrastructure | null> =>
  em.findOne(ScalingInfrastructure, { orgId, cloudAccountId }, { refresh: true })
