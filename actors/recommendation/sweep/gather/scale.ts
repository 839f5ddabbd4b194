/**
 * `scale.*` facts: what scales a fleet, and within which bounds. From its current policy, otherwise from the inventory;
 * no cloud is called. Without a policy, facts that only policies have are known to be empty.
 */
import { scaleChanges } from '#analytics/recommendation/questions.ts'
import { portions } from '#analytics/store/query.ts'
import { dayMs } from '#engine/value/day.ts'
import type { Static } from '#engine/value/schema.ts'
import { typeOf } from '#streams/cloud/resource/resource-type.ts'
import type { FactValues } from '#streams/recommendation.ts'
import { untilOf, type GatherAbout, type GatherResource, type GatherTools } from './context.ts'
import { readingOf } from './metric.ts'

/** The fields of a target's autoscaler policy that facts are computed from. */
export interface ScalePolicy {
  uid: string
  policyId: string
  min: number
  max: number
  targetCpuPercent: number
  cooldownSeconds: number
  /** Number of triggers. */
  triggers: number
  /** Units of its target, as the policy knows them. */
  desired: number
  createdAt: Date
}

export type ScaleChange = Static<typeof scaleChanges.row>

export interface Scaling {
  /** By uid of the target. */
  readonly policies: ReadonlyMap<string, ScalePolicy>
  /** By policy, oldest first. */
  readonly changes: ReadonlyMap<string, readonly ScaleChange[]>
}

const policiesSql = `
  select target_uid as uid, policy_id as "policyId", min, max, target_cpu_percent as "targetCpuPercent",
    cooldown_seconds as "cooldownSeconds", jsonb_array_length(triggers) as triggers, ("current" ->> 'desired')::int as desired,
    created_at as "createdAt"
  from autoscaler_policy where org_id = $1 and cloud_account_id = $2 and target_uid = any($3::text[])`

/** Two queries per page; none if the page has no fleet. */
export async function askScaling(
  { ask, reads }: GatherTools,
  page: readonly GatherResource[],
  about: GatherAbout,
): Promise<Scaling> {
  const uids = page.filter(isFleet).map(({ uid }) => uid)
  if (uids.length === 0) return { policies: new Map(), changes: new Map() }
  const policies = await reads.rows<ScalePolicy>(policiesSql, [about.orgId, about.account, uids])
  const until = untilOf(about)
  const asked = { org: about.orgId, from_ms: until - daysMax * dayMs, to_ms: until }
  const changes: ScaleChange[] = []
  for (const some of portions(policies, ({ policyId }) => policyId))
    changes.push(...(await ask(scaleChanges, { ...asked, policies: some.map(({ policyId }) => policyId) })))
  return {
    policies: new Map(policies.map((policy) => [policy.uid, policy])),
    changes: Map.groupBy(changes, ({ policy_id: policyId }) => policyId),
  }
}

/** Node pools have units, too, but their clusters scale them, and no rule reads that. */
const isFleet = ({ type }: GatherResource): boolean => typeOf(type)?.scalingTarget === 'yes'

/** Maximum days before today that are read. */
const daysMax = 14

/** Facts under `scale`, and metrics without samples that the policy knows. Unknown ones are left out. */
export function scaleFacts(
  resource: GatherResource,
  { policies, changes }: Scaling,
  known: FactValues,
  about: GatherAbout,
): Record<string, unknown> {
  if (!isFleet(resource)) return {}
  const policy = policies.get(resource.uid)
  const told = { 'scale.has_policy': policy !== undefined, 'scale.native_policy_count': nativeCount(resource) }
  if (!policy) return { ...told, ...inventoryFacts(resource) }
  return {
    ...told,
    ...ofPolicy(policy),
    ...countEvents(policy, changes.get(policy.policyId) ?? [], resource, known, about),
  }
}

const ofPolicy = (policy: ScalePolicy): Record<string, unknown> => ({
  'scale.current': policy.desired,
  'scale.min': policy.min,
  'scale.max': policy.max,
  'scale.target_cpu_percent': policy.targetCpuPercent,
  'scale.cooldown_seconds': policy.cooldownSeconds,
  'scale.trigger_count': policy.triggers,
})

const inventoryFacts = (resource: GatherResource): Record<string, unknown> => ({
  'scale.current': resource.unitCount ?? countIn(resource, 'desired'),
  'scale.min': countIn(resource, 'min'),
  'scale.max': countIn(resource, 'max'),
  'scale.target_cpu_percent': null,
  'scale.cooldown_seconds': null,
  'scale.trigger_count': null,
})

/** Spec names that clouds use for bounds of a fleet. */
const names = {
  min: ['min_size', 'min_capacity', 'min_replicas', 'min_idle'],
  max: ['max_size', 'max_capacity', 'max_replicas'],
  desired: ['desired', 'desired_count', 'target_size', 'capacity'],
} as const

const countIn = ({ specs }: GatherResource, what: keyof typeof names): number | undefined =>
  names[what].map((name) => specs[name]).find((value) => typeof value === 'number')

/** Specs with the number of the cloud's own scaling policies; a flag counts as one. */
const policySpecNames: Readonly<Record<string, string>> = {
  'aws-asg': 'scaling_policy_count',
  'aws-ecs-service': 'autoscaling',
  'gcp-mig': 'autoscaler',
  'azure-vmss': 'autoscale',
}

function nativeCount({ type, specs }: GatherResource): number | undefined {
  // Pools scale with what is requested of them and have no policies.
  if (type === 'azure-databricks-instance-pool') return 0
  const value = specs[policySpecNames[type] ?? '']
  if (typeof value === 'boolean') return Number(value)
  return typeof value === 'number' ? value : undefined
}

/**
 * Metrics without samples that rules of the type read, from the events of a policy that existed for the whole window.
 */
function countEvents(
  policy: ScalePolicy,
  changes: readonly ScaleChange[],
  { type }: GatherResource,
  known: FactValues,
  about: GatherAbout,
): Record<string, number> {
  const readings = (about.reads.get(type) ?? []).map(readingOf)
  const until = untilOf(about)
  return Object.fromEntries(
    readings.flatMap(({ path, metric, aggregate, window }): [string, number][] => {
      const from = until - window * dayMs
      const isAsked = (metric === 'scale_events' || metric === 'scale_reversals') && aggregate === 'sum'
      if (!isAsked || (known[`metric.${path}`] ?? null) !== null) return []
      if (window > daysMax || policy.createdAt.getTime() > from) return []
      const within = changes.filter(({ at_ms: at }) => at >= from && at < until)
      return [[`metric.${path}`, scaleCounts(within, policy.cooldownSeconds)[metric]]]
    }),
  )
}

/**
 * How often units or bounds were changed, and how often a change was reversed within two cooldowns. If units are
 * unknown, the minimum is used.
 */
export function scaleCounts(
  changes: readonly ScaleChange[],
  cooldownSeconds: number,
): Record<'scale_events' | 'scale_reversals', number> {
  const counts = { scale_events: 0, scale_reversals: 0 }
  let last: { at: number; way: number } | undefined
  for (const one of changes) {
    const way = wayOf(one)
    if (way === 0 && one.from_min === one.to_min && one.from_max === one.to_max) continue
    counts.scale_events += 1
    if (way === 0) continue
    if (last?.way === -way && one.at_ms - last.at <= 2 * cooldownSeconds * 1000) counts.scale_reversals += 1
    last = { at: one.at_ms, way }
  }
  return counts
}

/** 1 for more units, -1 for fewer. */
const wayOf = ({ from_min: fromMin, from_desired: from, to_min: toMin, to_desired: to }: ScaleChange): number =>
  Math.sign((to ?? toMin ?? 0) - (from ?? fromMin ?? 0))
