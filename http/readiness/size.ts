/** What is known of the targets of plans, and the capacity they need for an event (decision G-83). */
import { assumedRequests, calculate, factorOf, type Load } from '#actors/autoscaling/policy/calculate.ts'
import type { PlanTarget } from '#actors/readiness/entity.ts'
import { placeKey, policiesOf, targetsAt, type PlannedPolicy, type Seer } from '#actors/readiness/queries.ts'
import type { Resource } from '#actors/resource/entity.ts'
import { targetLoad } from '#analytics/readiness/questions.ts'
import { clickhouseTime } from '#analytics/store/time.ts'
import { dayMs } from '#engine/value/day.ts'
import type { Services } from '#http/edge/services.ts'
import { refuseUnknown } from '#http/readiness/target.ts'
import type { Counts } from '#streams/autoscaling.ts'
import { isDatabase } from '#streams/cloud/resource/resource-type.ts'

const loadDays = 14

/** Requests per minute, and percent; null if not measured in the last 14 days. */
export interface MeasuredLoad {
  averageCpu: number | null
  requests: number | null
}

export interface Sizing {
  policyId: string
  policy: PlannedPolicy
  /** Undefined if it is not in the inventory, or deleted. */
  resource: Resource | undefined
  measured: MeasuredLoad
  /** Counts before the event. */
  originals: Counts
}

export type SizeEstimate = { originals: Counts; scaled: Counts; isEstimated: boolean }

const nothing: MeasuredLoad = { averageCpu: null, requests: null }

type TargetPlace = Parameters<typeof placeKey>[0]

/** Load of targets, each in its account. */
export async function measuredOf(
  places: readonly TargetPlace[],
  { analytics, now }: Pick<Services, 'analytics' | 'now'>,
): Promise<(place: TargetPlace) => MeasuredLoad> {
  const until = now()
  const since = new Date(until.getTime() - loadDays * dayMs)
  const accounts = [...new Set(places.map(({ cloudAccountId }) => cloudAccountId))]
  const uids = [...new Set(places.map(({ targetUid }) => targetUid))]
  const asked = { accounts, uids, since: clickhouseTime(since), until: clickhouseTime(until) }
  const rows = uids.length === 0 ? [] : await analytics(targetLoad, asked)
  const found = new Map(
    rows.map((row) => [
      placeKey({ cloudAccountId: row.cloud_account_id, targetUid: row.resource_uid }),
      { averageCpu: row.average_cpu, requests: row.requests_a_minute },
    ]),
  )
  return (place) => found.get(placeKey(place)) ?? nothing
}

/** The counts of a target without any event: for one held by a plan, those before. */
const restingOf = ({ hold, current: { min, max, desired } }: PlannedPolicy): Counts =>
  hold?.originals ?? { min, max, desired }

/** For existing policies that the caller sees, in the order of the given ids. */
export async function sizings(ids: readonly string[], seer: Seer, services: Services): Promise<Sizing[]> {
  const { orgId } = seer
  const policies = await policiesOf(services.em, seer, ids)
  const known = ids.flatMap((id) => policies.get(id) ?? [])
  const [resources, measured] = await Promise.all([targetsAt(services.em, orgId, known), measuredOf(known, services)])
  return known.map((policy) => ({
    policyId: policy.policyId,
    policy,
    resource: resources.get(placeKey(policy)),
    measured: measured(policy),
    originals: restingOf(policy),
  }))
}

/** For policies named in a body. @throws Fault `invalid` with every unknown one */
export async function sizingsAsked(ids: readonly string[], seer: Seer, services: Services): Promise<Sizing[]> {
  const found = await sizings(ids, seer, services)
  refuseUnknown(ids, new Set(found.map(({ policyId }) => policyId)))
  return found
}

const loadOf = ({ policy, measured: { averageCpu } }: Sizing, multiplier: number): Load => ({
  multiplier,
  averageCpu,
  targetCpuPercent: policy.targetCpuPercent,
})

/**
 * The capacity that a target needs; databases do not scale by units. Once a plan has captured the counts and scaled up,
 * these values stay.
 */
export function sizeTarget(
  sizing: Sizing,
  multiplier: number,
  target?: Pick<PlanTarget, 'originals' | 'scaled'>,
): SizeEstimate {
  const originals = target?.originals ?? sizing.originals
  if (isDatabase(sizing.policy.targetType))
    return { originals, scaled: originals, isEstimated: sizing.measured.averageCpu === null }
  const { scaled, isEstimated } = calculate(originals, loadOf(sizing, multiplier))
  return { originals, scaled: target?.scaled ?? scaled, isEstimated }
}

/** The factor by which capacity must grow, from the measured CPU. */
export const factorFor = (sizing: Sizing, multiplier: number): number => factorOf(loadOf(sizing, multiplier))

/** The factor between expected and measured requests, and whether the measured ones had to be assumed. */
export function multiplierFor(expected: number, { originals, measured: { requests } }: Sizing) {
  const isEstimated = requests === null || requests <= 0
  const usual = isEstimated ? assumedRequests * Math.max(1, originals.desired) : requests
  return { multiplier: expected / usual, isEstimated }
}
