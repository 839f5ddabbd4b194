/** What is known of the targets of plans, and what they are to be for an event (decision G-83). */
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

/** Per minute, and percent; null where nothing was measured in the last 14 days. */
export interface MeasuredLoad {
  averageCpu: number | null
  requests: number | null
}

export interface Sizing {
  policyId: string
  policy: PlannedPolicy
  /** Undefined for one that is not in the inventory, or gone. */
  resource: Resource | undefined
  measured: MeasuredLoad
  /** Before the event. */
  originals: Counts
}

export type SizeEstimate = { originals: Counts; scaled: Counts; isEstimated: boolean }

const nothing: MeasuredLoad = { averageCpu: null, requests: null }

type TargetPlace = Parameters<typeof placeKey>[0]

/** Of targets, each in its account. */
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

/** What a target is without any event: one that is held for one is shown as it was before. */
const restingOf = ({ hold, current: { min, max, desired } }: PlannedPolicy): Counts =>
  hold?.originals ?? { min, max, desired }

/** Of policies that there are, and that the caller sees, in the order of their ids as given. */
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

/** Of policies that a body names. @throws Fault `invalid` naming every one there is not */
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

/** What a target is to be; a database is not made more. Once a plan has captured what it was and raised it, that stands. */
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

/** How many times as much is to be done as usual, by what was measured of the CPU. */
export const factorFor = (sizing: Sizing, multiplier: number): number => factorOf(loadOf(sizing, multiplier))

/** How many times as many requests are expected as there are, and whether that had to be assumed. */
export function multiplierFor(expected: number, { originals, measured: { requests } }: Sizing) {
  const isEstimated = requests === null || requests <= 0
  const usual = isEstimated ? assumedRequests * Math.max(1, originals.desired) : requests
  return { multiplier: expected / usual, isEstimated }
}
