/**
 * What turns of readiness plans read: the named policies, and other live plans with some of them. Never from
 * ClickHouse.
 */
import type { Waiting } from '#engine/actor/actor.ts'
import type { TurnReads } from '#engine/actor/ports.ts'
import { readinessSaved, readinessScheduled, type PlanTerms } from '#streams/readiness.ts'
import type { EventTimes } from './window.ts'

/** Statuses of plans that hold their targets, or will soon. */
export const liveStatuses = ['scheduling', 'scheduled', 'scaling_up', 'active', 'scaling_down'] as const

/** Identifies a policy and its target. */
export interface PolicyPlace {
  policyId: string
  cloudAccountId: string
  targetUid: string
}

export interface OtherPlan extends EventTimes {
  id: string
  name: string
  policyIds: readonly string[]
}

/** Read for the one message that saves or schedules a plan: such messages run alone. */
export interface ReadinessNeeds {
  policies: readonly PolicyPlace[]
  /** Other live plans with one of the policies. */
  others: readonly OtherPlan[]
}

const nothingNeeded: ReadinessNeeds = { policies: [], others: [] }

/** Policies in the message, and those that the plan already has. */
const idsSql = `
  select jsonb_array_elements(targets) ->> 'policyId' as id from readiness_plan where org_id = $1 and id = $2
  union
  select unnest($3::text[])`

const policiesSql = `
  select policy_id as "policyId", cloud_account_id as "cloudAccountId", target_uid as "targetUid"
  from autoscaler_policy where org_id = $1 and policy_id in (${idsSql})`

const othersSql = `
  select p.id, p.name, p.event_start as "eventStart", p.event_end as "eventEnd", p.pre_scale_minutes as "preScaleMinutes",
    p.post_event_minutes as "postEventMinutes",
    array(select target ->> 'policyId' from jsonb_array_elements(p.targets) as target) as "policyIds"
  from readiness_plan as p
  where p.org_id = $1 and p.id <> $2 and p.deleted_at is null and p.status = any($4)
    and exists (select from jsonb_array_elements(p.targets) as target where target ->> 'policyId' in (${idsSql}))
  order by p.event_start, p.id`

interface PlanRequest {
  planId: string
  terms?: Partial<PlanTerms>
}

const subjects: readonly string[] = [readinessSaved.name, readinessScheduled.name]

export async function readinessNeeds(waiting: readonly Waiting[], reads: TurnReads): Promise<ReadinessNeeds> {
  const asked = waiting.find(({ subject }) => subjects.includes(subject.name))
  if (!asked) return nothingNeeded
  const { planId, terms } = asked.data as PlanRequest
  const params = [asked.address.orgId, planId, terms?.policyIds ?? []]
  return {
    policies: await reads.rows<PolicyPlace>(policiesSql, params),
    others: await reads.rows<OtherPlan>(othersSql, [...params, [...liveStatuses]]),
  }
}
