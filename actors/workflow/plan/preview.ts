/** Previews the workflow of a recommendation: the same plan that a workflow started now would get. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { CompiledQuery } from 'kysely'
import { Fault } from '#engine/value/fault.ts'
import type { TurnReads } from '#engine/actor/ports.ts'
import type { WorkflowPlan, WorkflowStep } from '#actors/workflow/entity.ts'
import { planningNeeds, recommendedSql, resourcesOf } from '#actors/workflow/needs.ts'
import type { RecommendationFacts } from './plan.ts'
import { planWorkflow } from './plan-workflow.ts'

/** Reads committed rows that the caller's organization may see. */
export function readsOf(em: EntityManager): TurnReads {
  const rows = async <T extends object>(sql: string, params: readonly unknown[]): Promise<T[]> =>
    (await em.getKysely().executeQuery(CompiledQuery.raw(sql, [...params]))).rows as T[]
  return { rows, plain: rows, facts: () => Promise.reject(new Error('a plan does not read facts')) }
}

const placeSql = 'select cloud_account_id as account from recommendation where org_id = $1 and id = $2'

/** @throws Fault `missing` */
export async function planFor(
  em: EntityManager,
  orgId: string,
  recommendationId: string,
): Promise<{ plan: WorkflowPlan; steps: WorkflowStep[] }> {
  const reads = readsOf(em)
  const [place] = await reads.rows<{ account: string }>(placeSql, [orgId, recommendationId])
  if (!place) throw Fault.missing('recommendation', recommendationId)
  const { account } = place
  const [recommendation] = await reads.rows<RecommendationFacts>(recommendedSql, [orgId, account, recommendationId])
  const uid = recommendation!.resourceUid
  const resource = [...(await resourcesOf([[orgId, account, uid]], reads)).values()][0]
  if (!resource) throw Fault.missing('resource', uid)
  const needs = await planningNeeds([orgId], [[orgId, account, uid]], reads)
  return planWorkflow(needs, { orgId, account }, recommendation!, resource)
}
