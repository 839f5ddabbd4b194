import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { ScalingInfrastructure } from '#actors/autoscaling/entity.ts'
import { Resource } from '#actors/resource/entity.ts'
import { within } from '#actors/resource/row.ts'
import type { PolicySight } from '#actors/autoscaling/row.ts'

/** Where a target is. */
export interface TargetPlace {
  cloudAccountId: string
  uid: string
}

/** The present resources of this uid: that of the account that is given, else those of all accounts that have it, by id. */
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

/** Whether the target, known or not, is within what the caller may see. */
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

/** Whether anything of the account is within what the caller may see. */
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

/** As `findTargets`: those within what the caller may see. */
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

/** What an account has at its cloud for its policies, as it is now; null before anybody asked for it. */
export const findInfrastructure = (
  em: EntityManager,
  orgId: string,
  cloudAccountId: string,
): Promise<ScalingInfrastructure | null> =>
  em.findOne(ScalingInfrastructure, { orgId, cloudAccountId }, { refresh: true })
