/** What plans would cost in addition to the normal costs (decision G-84), and the classes that databases would need. */
import { stepUp, unknownClass } from '#actors/readiness/database.ts'
import type { PlanTarget } from '#actors/readiness/entity.ts'
import { extraDbUsd, extraUsd, rateOf, sumUsd } from '#actors/readiness/price.ts'
import { foundPlan } from '#actors/readiness/queries.ts'
import { windowOf, type Window } from '#actors/readiness/window.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { badInput } from '#http/edge/problem.ts'
import { route, type Route } from '#http/edge/route.ts'
import { checkMembers, planFields, policyIdsOf, Targets } from '#http/readiness/body.ts'
import { costExample, impactExample, termsExample } from '#http/readiness/example.ts'
import { routeBase, params } from '#http/readiness/plan.ts'
import { seerOf } from '#http/readiness/record.ts'
import { factorFor, sizeTarget, sizings, sizingsAsked, type Sizing } from '#http/readiness/size.ts'
import { isDatabase } from '#streams/cloud/resource/resource-type.ts'

const Cost = t.Object(
  {
    currency: t.Enum(['USD']),
    estimatedExtraCost: t.Number({ description: 'sum over perTarget', money: true }),
    perTarget: t.Array(t.Object({ policyId: t.String(), extraCost: t.Number({ money: true }) })),
    warnings: t.Optional(t.Array(t.String(), { description: 'what has no known price and counts as 0' })),
  },
  { title: 'ReadinessCost', examples: [costExample] },
)

type CapturedCounts = Pick<PlanTarget, 'originals' | 'scaled'>

/** US dollars for the hours of the window; undefined if the price is unknown. */
function extraOf(
  sizing: Sizing,
  multiplier: number,
  { from, to }: Window,
  captured?: CapturedCounts,
): number | undefined {
  const ms = to.getTime() - from.getTime()
  const { resource } = sizing
  if (!resource) return undefined
  const { type, hourlyRateUsd, unitCount, specs } = resource
  const rate = rateOf({ hourlyRateUsd: hourlyRateUsd ?? null, unitCount: unitCount ?? null, specs })
  if (isDatabase(type)) {
    const step = stepUp(resource, factorFor(sizing, multiplier))
    return step && extraDbUsd(ms, step, rate)
  }
  const { originals, scaled } = sizeTarget(sizing, multiplier, captured)
  const more = scaled.desired - originals.desired
  return more === 0 ? 0 : rate && extraUsd(ms, more, rate)
}

function costOf(
  found: readonly Sizing[],
  multiplier: number,
  window: Window,
  captured: (policyId: string) => CapturedCounts | undefined = () => undefined,
  gone: readonly string[] = [],
): Static<typeof Cost> {
  const priced = found.map((sizing) => ({
    policyId: sizing.policyId,
    uid: sizing.policy.targetUid,
    usd: extraOf(sizing, multiplier, window, captured(sizing.policyId)),
  }))
  const warnings = [
    ...gone.map((id) => `Policy ${id} no longer exists. Nothing is scaled up for it.`),
    ...priced.filter(({ usd }) => usd === undefined).map(({ uid }) => `The price of ${uid} is not known.`),
  ]
  const perTarget = [
    ...priced.map(({ policyId, usd = 0 }) => ({ policyId, extraCost: usd })),
    ...gone.map((policyId) => ({ policyId, extraCost: 0 })),
  ]
  return {
    currency: 'USD',
    estimatedExtraCost: sumUsd(perTarget.map(({ extraCost }) => extraCost)),
    perTarget,
    ...(warnings.length > 0 && { warnings }),
  }
}

/** @throws Fault `invalid` for impossible times */
export function checkTimes(body: { eventStart: string; eventEnd: string }): { eventStart: Date; eventEnd: Date } {
  checkMembers(body)
  const [eventStart, eventEnd] = [new Date(body.eventStart), new Date(body.eventEnd)]
  if (eventEnd <= eventStart)
    throw badInput({ in: 'body', name: '/eventEnd', code: 'range', message: 'must be after eventStart' })
  return { eventStart, eventEnd }
}

const Impact = t.Object(
  {
    policyId: t.String(),
    currentClass: t.String(),
    recommendedClass: t.String({ description: 'the current class if it is enough, or if no larger one is known' }),
    cpuDelta: t.Number({ description: 'vCPUs' }),
    ramGbDelta: t.Number(),
    iopsDelta: t.Number({ description: '0: IOPS belong to the storage, which does not change' }),
    warning: t.Optional(t.String({ description: 'why no larger class is known' })),
  },
  { title: 'ReadinessDatabaseImpact', examples: [impactExample] },
)

function impactOf(sizing: Sizing, multiplier: number): Static<typeof Impact>[] {
  const { resource, policyId } = sizing
  if (!resource || !isDatabase(resource.type)) return []
  const step = stepUp(resource, factorFor(sizing, multiplier))
  const same = { currentClass: resource.instanceType, recommendedClass: resource.instanceType }
  if (!step) return [{ policyId, ...same, cpuDelta: 0, ramGbDelta: 0, iopsDelta: 0, warning: unknownClass(resource) }]
  const { current, recommended } = step
  return [
    {
      policyId,
      currentClass: current.name,
      recommendedClass: recommended.name,
      cpuDelta: recommended.vcpus - current.vcpus,
      ramGbDelta: (recommended.memoryGib ?? 0) - (current.memoryGib ?? 0),
      iopsDelta: 0,
    },
  ]
}

/** Policies of a plan that have been removed since. */
export const goneOf = ({ targets }: { targets: readonly PlanTarget[] }, found: readonly Sizing[]): string[] =>
  idsOf(targets).filter((id) => found.every(({ policyId }) => policyId !== id))

const idsOf = (targets: readonly PlanTarget[]): string[] => targets.map(({ policyId }) => policyId)

const { eventStart, eventEnd, expectedMultiplier, targets } = termsExample

export const costs: readonly Route[] = [
  route({
    ...routeBase,
    method: 'POST',
    path: '/event-readiness/cost-preview',
    readOnly: true,
    summary: 'Estimate the additional cost of an event, without the time before and after it',
    description: 'Queries no cloud and no executor. It changes nothing.',
    permission: 'service.view',
    body: t.Object(
      { ...planFields, targets: Targets },
      { examples: [{ eventStart, eventEnd, expectedMultiplier, targets }] },
    ),
    reply: Cost,
    refuses: { 422: ['report_too_large'] },
    handle: async ({ caller, body }, services) => {
      const times = checkTimes(body)
      const found = await sizingsAsked(policyIdsOf(body.targets), seerOf(caller), services)
      return costOf(found, body.expectedMultiplier, { from: times.eventStart, to: times.eventEnd })
    },
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/event-readiness/:eventID/cost-estimate',
    summary: 'Estimate the additional cost of a plan, from scaling up to restoring',
    description:
      'In US dollars. Targets without a known price count as 0 and are listed in warnings. Nothing is changed, and nothing is stored.',
    permission: 'service.view',
    params,
    reply: Cost,
    refuses: { 422: ['report_too_large'] },
    handle: async ({ caller, params: { eventID } }, services) => {
      const plan = await foundPlan(services.em, seerOf(caller), eventID)
      const found = await sizings(idsOf(plan.targets), seerOf(caller), services)
      const targetOf = (id: string) => plan.targets.find(({ policyId }) => policyId === id)
      return costOf(found, plan.expectedMultiplier, windowOf(plan), targetOf, goneOf(plan, found))
    },
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/event-readiness/:eventID/db-impact',
    summary: 'Preview the database classes of a plan; empty for targets that are not databases',
    description:
      'Lists the current and the recommended class of each database in the plan, with the difference in vCPUs and gigabytes of memory. Nothing is changed, and nothing is stored.',
    permission: 'service.view',
    params,
    reply: t.Array(Impact),
    refuses: { 422: ['report_too_large'] },
    handle: async ({ caller, params: { eventID } }, services) => {
      const plan = await foundPlan(services.em, seerOf(caller), eventID)
      const found = await sizings(idsOf(plan.targets), seerOf(caller), services)
      return found.flatMap((sizing) => impactOf(sizing, plan.expectedMultiplier))
    },
  }),
]
