/** What a plan would do, and whether it could be scheduled; nothing is stored. */
import { foundPlan, livePlans } from '#actors/readiness/queries.ts'
import { overlaps, windowOf, type EventTimes } from '#actors/readiness/window.ts'
import { t } from '#engine/value/schema.ts'
import { Timestamp } from '#http/edge/parameter/field.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { margins, planFields, policyIdsOf, Targets } from '#http/readiness/body.ts'
import { checksOf, Readiness } from '#http/readiness/check.ts'
import { checkTimes, goneOf } from '#http/readiness/cost.ts'
import { previewExample, termsExample } from '#http/readiness/example.ts'
import { routeBase, params } from '#http/readiness/plan.ts'
import { seerOf } from '#http/readiness/record.ts'
import { sizeTarget, sizings, sizingsAsked, type Sizing } from '#http/readiness/size.ts'

const count = (description: string) => t.Integer({ description })

const Preview = t.Object(
  {
    scaleUpAt: Timestamp,
    rollbackAt: Timestamp,
    targets: t.Array(
      t.Object({
        policyId: t.String(),
        currentMin: count('minimum units without the event'),
        currentMax: count('maximum units without the event'),
        currentDesired: count('units without the event'),
        scaledMin: count('minimum units for the event'),
        scaledMax: count('maximum units for the event'),
        scaledDesired: count('units for the event'),
        isEstimated: t.Boolean({ description: 'whether there are no CPU measurements for the last 14 days' }),
      }),
    ),
    warnings: t.Array(t.String(), { description: 'problems that prevent, or may prevent, execution' }),
  },
  { title: 'ReadinessPreview', examples: [previewExample] },
)

function toTargetPreview(sizing: Sizing, multiplier: number) {
  const { originals, scaled, isEstimated } = sizeTarget(sizing, multiplier)
  return {
    policyId: sizing.policyId,
    currentMin: originals.min,
    currentMax: originals.max,
    currentDesired: originals.desired,
    scaledMin: scaled.min,
    scaledMax: scaled.max,
    scaledDesired: scaled.desired,
    isEstimated,
  }
}

/** Reasons why scheduling it would be refused. */
async function refusals(
  times: EventTimes,
  ids: readonly string[],
  orgId: string,
  { em, now }: Services,
): Promise<string[]> {
  const window = windowOf(times)
  const others = (await livePlans(em, orgId)).filter((plan) => overlaps(window, windowOf(plan)))
  const held = others.flatMap(({ name, policyIds }) =>
    policyIds.filter((id) => ids.includes(id)).map((id) => `Plan ${name} uses policy ${id} at that time.`),
  )
  return [...(times.eventEnd <= now() ? ['The event is over.'] : []), ...held]
}

const { name: _name, description: _description, timezone: _timezone, ...example } = termsExample

export const previews: readonly Route[] = [
  route({
    ...routeBase,
    method: 'POST',
    path: '/event-readiness/preview-readiness',
    readOnly: true,
    summary: 'Preview a plan: what it would change, when, and what would prevent it',
    description: 'Checks clouds and pending calls like readiness-check. It changes nothing.',
    permission: 'service.view',
    body: t.Object({ ...planFields, ...margins, targets: Targets }, { examples: [example] }),
    reply: Preview,
    refuses: { 422: ['report_too_large'] },
    handle: async ({ caller, body }, services) => {
      const { preScaleMinutes, postEventMinutes, expectedMultiplier: multiplier } = body
      const times = { ...checkTimes(body), preScaleMinutes, postEventMinutes }
      const ids = policyIdsOf(body.targets)
      const found = await sizingsAsked(ids, seerOf(caller), services)
      const refused = await refusals(times, ids, caller.orgId, services)
      const checks = await checksOf(caller.orgId, found, multiplier, services)
      const { from, to } = windowOf(times)
      return {
        scaleUpAt: from.toISOString(),
        rollbackAt: to.toISOString(),
        targets: found.map((sizing) => toTargetPreview(sizing, multiplier)),
        warnings: [...refused, ...checks.filter(({ status }) => status !== 'pass').map(({ message }) => message)],
      }
    },
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/event-readiness/:eventID/readiness-check',
    summary: 'Check whether a plan could be executed now: capacity, credentials and pending calls',
    description:
      'Queries the number of units of each target and the permissions of the credentials from the clouds. A call pending for ' +
      'more than 60 s is a warning, for more than 300 s a failure.',
    permission: 'service.view',
    params,
    reply: Readiness,
    refuses: { 422: ['report_too_large'] },
    handle: async ({ caller, params: { eventID } }, services) => {
      const plan = await foundPlan(services.em, seerOf(caller), eventID)
      const ids = plan.targets.map(({ policyId }) => policyId)
      const found = await sizings(ids, seerOf(caller), services)
      const checks = [
        ...goneOf(plan, found).map((policyId) => ({
          name: 'capacity' as const,
          status: 'fail' as const,
          message: `Policy ${policyId} no longer exists.`,
          policyId,
        })),
        ...(await checksOf(caller.orgId, found, plan.expectedMultiplier, services)),
      ]
      return { ready: checks.every(({ status }) => status !== 'fail'), checks }
    },
  }),
]
