/** Queries of the edge for plans and their policies. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { AutoscalerPolicy } from '#actors/autoscaling/entity.ts'
import { policiesSeen, type PolicySight } from '#actors/autoscaling/row.ts'
import { Resource } from '#actors/resource/entity.ts'
import { within } from '#actors/resource/row.ts'
import { Fault } from '#engine/value/fault.ts'
import { containing } from '#engine/value/like-pattern.ts'
import type { PlanStatus } from '#streams/readiness.ts'
import { ReadinessPlan } from './entity.ts'
import { liveStatuses, type OtherPlan } from './needs.ts'

/** The caller: sees a plan only if they see all of its targets. */
export interface Seer extends PolicySight {
  orgId: string
}

/** The condition for plans that the caller sees: all, unless the role has a scope. */
async function seenBy(em: EntityManager, { orgId, scope }: Seer): Promise<{ orgId: string; id?: { $in: string[] } }> {
  if (!scope) return { orgId }
  const target = { org: sql`p.org_id`, account: sql`t ->> 'cloudAccountId'`, uid: sql`t ->> 'targetUid'` }
  const { rows } = await sql<{ id: string }>`
    SELECT p.id FROM readiness_plan AS p WHERE p.org_id = ${orgId} AND NOT EXISTS (
      SELECT FROM jsonb_array_elements(p.targets) AS t WHERE NOT ${within(scope, target)})`.execute(em.getKysely())
  return { orgId, id: { $in: rows.map(({ id }) => id) } }
}

/**
 * The current row, even if the entity manager has read it before.
 * @throws Fault `missing`, also if it is deleted or the caller may not see it
 */
export async function foundPlan(em: EntityManager, seer: Seer, id: string): Promise<ReadinessPlan> {
  const where = { $and: [await seenBy(em, seer), { id, deletedAt: null }] }
  const plan = await em.findOne(ReadinessPlan, where, { refresh: true })
  if (!plan) throw Fault.missing('plan', id)
  return plan
}

/** Whether there is, or was, such a plan: the log of a deleted plan stays readable. */
export const wasPlanned = async (em: EntityManager, seer: Seer, id: string): Promise<boolean> =>
  (await em.count(ReadinessPlan, { $and: [await seenBy(em, seer), { id }] })) > 0

/** Filters of lists and counts; all must match. */
export interface PlanFilter {
  statuses?: readonly PlanStatus[] | undefined
  /** Part of the name or description, ignoring case. */
  search?: string | undefined
}

async function whereOf(em: EntityManager, seer: Seer, { statuses, search }: PlanFilter) {
  const like = search ? { $ilike: containing(search) } : undefined
  return {
    ...(await seenBy(em, seer)),
    deletedAt: null,
    ...(statuses?.length && { status: { $in: [...statuses] } }),
    ...(like && { $or: [{ name: like }, { description: like }] }),
  }
}

/** A page of plans, newest first. */
export async function planPage(
  em: EntityManager,
  seer: Seer,
  filter: PlanFilter,
  page: { limit: number; offset: number },
): Promise<{ items: ReadinessPlan[]; total: number }> {
  const orderBy = { createdAt: 'desc', id: 'asc' } as const
  const [items, total] = await em.findAndCount(ReadinessPlan, await whereOf(em, seer, filter), { ...page, orderBy })
  return { items, total }
}

export const planCount = async (em: EntityManager, seer: Seer, filter: PlanFilter): Promise<number> =>
  em.count(ReadinessPlan, await whereOf(em, seer, filter))

/** The statuses that plans have. */
export async function statusesOf(em: EntityManager, seer: Seer): Promise<ReadonlySet<PlanStatus>> {
  const where = await whereOf(em, seer, {})
  const rows = await em.createQueryBuilder(ReadinessPlan).select('status', true).where(where).execute('all')
  return new Set(rows.map(({ status }) => status))
}

const policyFields = [
  'policyId',
  'cloudAccountId',
  'targetUid',
  'provider',
  'targetType',
  'targetCpuPercent',
  'current',
  'hold',
] as const
export type PlannedPolicy = Pick<AutoscalerPolicy, (typeof policyFields)[number]>

/** The policies among these ids that the caller may see. */
export async function policiesOf(
  em: EntityManager,
  { orgId, ...sight }: Seer,
  ids: readonly string[],
): Promise<ReadonlyMap<string, PlannedPolicy>> {
  const seen = await policiesSeen(em, orgId, sight, ids)
  if (seen.size === 0) return new Map()
  const where = { orgId, policyId: { $in: [...seen] } }
  const found = await em.find(AutoscalerPolicy, where, { fields: policyFields, refresh: true })
  return new Map(found.map((policy) => [policy.policyId, policy]))
}

/** The policy of a target. */
export const policyOfTarget = (
  em: EntityManager,
  orgId: string,
  { cloudAccountId, targetUid }: TargetPlace,
): Promise<PlannedPolicy | null> =>
  em.findOne(AutoscalerPolicy, { orgId, cloudAccountId, targetUid }, { fields: policyFields })

interface TargetPlace {
  cloudAccountId: string
  targetUid: string
}

export const placeKey = ({ cloudAccountId, targetUid }: TargetPlace): string =>
  JSON.stringify([cloudAccountId, targetUid])

/** Existing resources by `placeKey`. */
export async function targetsAt(
  em: EntityManager,
  orgId: string,
  places: readonly TargetPlace[],
): Promise<ReadonlyMap<string, Resource>> {
  if (places.length === 0) return new Map()
  const $or = places.map(({ cloudAccountId, targetUid: uid }) => ({ cloudAccountId, uid }))
  const found = await em.find(Resource, { orgId, deletedAt: null, $or })
  return new Map(found.map((one) => [placeKey({ cloudAccountId: one.cloudAccountId, targetUid: one.uid }), one]))
}

/** Live plans, to find overlaps. */
export async function livePlans(em: EntityManager, orgId: string): Promise<OtherPlan[]> {
  const where = { orgId, deletedAt: null, status: { $in: [...liveStatuses] } }
  const plans = await em.find(ReadinessPlan, where, { orderBy: { eventStart: 'asc', id: 'asc' } })
  return plans.map(({ id, name, eventStart, eventEnd, preScaleMinutes, postEventMinutes, targets }) => ({
    id,
    name,
    eventStart,
    eventEnd,
    preScaleMinutes,
    postEventMinutes,
    policyIds: targets.map(({ policyId }) => policyId),
  }))
}

const queueSql = `
  select coalesce(extract(epoch from clock_timestamp() - min(due)), 0)::double precision as seconds from effect
  where org_id = ? and name in (select jsonb_array_elements_text(?::jsonb))
    and due <= clock_timestamp() and claimed_until < clock_timestamp()`

/** Seconds that the oldest waiting call with one of these names has waited; 0 if none waits. */
export async function queueSeconds(em: EntityManager, orgId: string, names: readonly string[]): Promise<number> {
  const [row] = await em.execute<{ seconds: number }[]>(queueSql, [orgId, JSON.stringify(names)])
  return Number(row?.seconds ?? 0)
}
