/** What the edge reads of plans, and of the policies that they are for. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { AutoscalerPolicy } from '#actors/autoscaling/entity.ts'
import { Resource } from '#actors/resource/entity.ts'
import { Fault } from '#engine/fault.ts'
import { containing } from '#engine/like.ts'
import type { PlanStatus } from '#streams/readiness.ts'
import { ReadinessPlan } from './entity.ts'
import { liveStatuses, type OtherPlan } from './needs.ts'

/** The plan as it is now, even if it was read before. @throws Fault `missing` for one that is deleted, too */
export async function foundPlan(em: EntityManager, orgId: string, id: string): Promise<ReadinessPlan> {
  const plan = await em.findOne(ReadinessPlan, { orgId, id, deletedAt: null }, { refresh: true })
  if (!plan) throw Fault.missing('plan', id)
  return plan
}

/** Whether there is, or was, such a plan: the log of a deleted one stays. */
export const wasPlanned = async (em: EntityManager, orgId: string, id: string): Promise<boolean> =>
  (await em.count(ReadinessPlan, { orgId, id })) > 0

/** What narrows lists and counts; all given ones must hold. */
export interface PlanFilter {
  statuses?: readonly PlanStatus[] | undefined
  /** Part of the name or the description, in any case. */
  search?: string | undefined
}

function whereOf(orgId: string, { statuses, search }: PlanFilter) {
  const like = search ? { $ilike: containing(search) } : undefined
  return {
    orgId,
    deletedAt: null,
    ...(statuses?.length && { status: { $in: [...statuses] } }),
    ...(like && { $or: [{ name: like }, { description: like }] }),
  }
}

/** A page of the plans, the newest first. */
export async function planPage(
  em: EntityManager,
  orgId: string,
  filter: PlanFilter,
  page: { limit: number; offset: number },
): Promise<{ items: ReadinessPlan[]; total: number }> {
  const orderBy = { createdAt: 'desc', id: 'asc' } as const
  const [items, total] = await em.findAndCount(ReadinessPlan, whereOf(orgId, filter), { ...page, orderBy })
  return { items, total }
}

export const planCount = (em: EntityManager, orgId: string, filter: PlanFilter): Promise<number> =>
  em.count(ReadinessPlan, whereOf(orgId, filter))

/** The statuses that plans have. */
export async function statusesOf(em: EntityManager, orgId: string): Promise<ReadonlySet<PlanStatus>> {
  const sql = 'select distinct status from readiness_plan where org_id = ? and deleted_at is null'
  const rows = await em.execute<{ status: PlanStatus }[]>(sql, [orgId])
  return new Set(rows.map(({ status }) => status))
}

const shown = [
  'policyId',
  'cloudAccountId',
  'targetUid',
  'provider',
  'targetType',
  'targetCpuPercent',
  'current',
  'hold',
] as const
export type PlannedPolicy = Pick<AutoscalerPolicy, (typeof shown)[number]>

/** Those of the ids that are policies. */
export async function policiesOf(
  em: EntityManager,
  orgId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, PlannedPolicy>> {
  if (ids.length === 0) return new Map()
  const where = { orgId, policyId: { $in: [...ids] } }
  const found = await em.find(AutoscalerPolicy, where, { fields: shown, refresh: true })
  return new Map(found.map((policy) => [policy.policyId, policy]))
}

/** The policy of a target, in the first of the accounts that have it. */
export const policyOfTarget = (em: EntityManager, orgId: string, targetUid: string): Promise<PlannedPolicy | null> =>
  em.findOne(AutoscalerPolicy, { orgId, targetUid }, { fields: shown, orderBy: { cloudAccountId: 'asc' } })

interface Place {
  cloudAccountId: string
  targetUid: string
}

export const placeKey = ({ cloudAccountId, targetUid }: Place): string => JSON.stringify([cloudAccountId, targetUid])

/** Present resources by `placeKey`. */
export async function targetsAt(
  em: EntityManager,
  orgId: string,
  places: readonly Place[],
): Promise<ReadonlyMap<string, Resource>> {
  if (places.length === 0) return new Map()
  const $or = places.map(({ cloudAccountId, targetUid: uid }) => ({ cloudAccountId, uid }))
  const found = await em.find(Resource, { orgId, deletedAt: null, $or })
  return new Map(found.map((one) => [placeKey({ cloudAccountId: one.cloudAccountId, targetUid: one.uid }), one]))
}

/** Live plans, for what overlaps them. */
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

/** How long the call has waited that waits longest, of those of these names: 0 where none does. Seconds. */
export async function queueSeconds(em: EntityManager, orgId: string, names: readonly string[]): Promise<number> {
  const [row] = await em.execute<{ seconds: number }[]>(queueSql, [orgId, JSON.stringify(names)])
  return Number(row?.seconds ?? 0)
}
