/** One recommendation with all its data, and people's decisions. */
import { findRecommendation, type DetailRow } from '#actors/recommendation/row.ts'
import { dayMs } from '#engine/value/day.ts'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { badInput } from '#http/edge/problem.ts'
import { route, type Request, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { recordEvent } from '#http/identity/organization/audit.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { one, Recommendation, recommendationShown, record, show, sightOf } from '#http/recommendation/body.ts'
import { Metric, metricsOf, pointsMax } from '#http/recommendation/metric.ts'
import { Step, stepsOf } from '#http/recommendation/step.ts'
import { recommendationDecided } from '#streams/recommendation.ts'
import { text } from '#streams/text.ts'

/** @throws Fault `missing` if it does not exist or the caller may not see it */
export async function recommendationSeen(caller: Caller, id: string, { em }: Pick<Services, 'em'>): Promise<DetailRow> {
  const row = await findRecommendation(em, caller.orgId, sightOf(caller), id)
  if (!row) throw Fault.missing('recommendation', id)
  return row
}

const texts = (description: string) => t.Optional(t.Record(t.String(), t.String(), { description }))

const Detail = t.Object(
  {
    ...record,
    specs: texts('current price of the resource, not of the target; by type'),
    targetSpec: t.Optional(
      t.Record(t.String(), t.Unknown(), { description: 'the recommended type; absent if there is nothing to set' }),
    ),
    region: t.Optional(t.String()),
    resourceGroup: t.Optional(t.String({ description: 'for Azure; otherwise empty' })),
    resourceTags: texts('tags in the cloud'),
    tierRates: t.Optional(
      t.Record(t.String(), t.Number(), {
        description: 'for a commitment: onDemand, oneYear and threeYear, US dollars per hour',
      }),
    ),
    metrics: t.Array(Metric, { description: 'metrics that the rule uses, where measured' }),
    remediationSteps: t.Array(Step),
  },
  {
    title: 'RecommendationDetail',
    examples: [
      {
        ...recommendationShown,
        specs: { instance_type: 'm5.large' },
        region: 'us-east-1',
        resourceTags: { env: 'prod' },
        metrics: [
          {
            name: 'cpu_percent',
            unit: 'percent',
            windowDays: 14,
            avg: 1.2,
            p95: 2.1,
            max: 4.8,
            points: [{ t: '2026-01-14T00:00:00.000Z', v: 1.1 }],
          },
        ],
        remediationSteps: [
          {
            order: 1,
            text: 'Stop the instance.',
            command: 'aws ec2 stop-instances --instance-ids i-0a1b2c3d4e5f60718',
          },
        ],
      },
    ],
  },
)

export type RecommendationDetail = Static<typeof Detail>

async function detailOf(row: DetailRow, services: Services): Promise<RecommendationDetail> {
  const { specs, region, resource_group: resourceGroup, resource_tags: resourceTags } = row
  return {
    ...show(row),
    specs,
    ...(row.target_spec && { targetSpec: row.target_spec }),
    region,
    resourceGroup,
    resourceTags,
    ...(row.tier_rates && { tierRates: row.tier_rates }),
    metrics: await metricsOf(row, services),
    remediationSteps: stepsOf(row.remediation),
  }
}

/** Maximum days between applying a recommendation and setting its status. */
const appliedDaysMax = 90
/** Maximum days of a temporary dismissal. */
const snoozeDaysMax = 365

const Body = t.Object(
  {
    status: t.Enum(['applied', 'dismissed', 'open'], { description: 'open: neither applied nor dismissed' }),
    appliedAt: t.Optional(
      t.String({
        format: 'date-time',
        maxLength: 64,
        description: `only with applied: when it was applied, if reported later; at most ${appliedDaysMax} days ago; default: now`,
      }),
    ),
    snoozeUntil: t.Optional(
      t.String({
        format: 'date-time',
        maxLength: 64,
        description: `only with dismissed: reopened at this time if it still applies; at most ${snoozeDaysMax} days ahead`,
      }),
    ),
    note: t.Optional(text({ maxLength: 1000, description: 'reason, kept in the history' })),
  },
  {
    examples: [
      { status: 'applied' },
      { status: 'applied', appliedAt: '2026-01-12T09:00:00.000Z', note: 'Resized in the last maintenance window' },
      { status: 'dismissed', snoozeUntil: '2099-03-01T00:00:00.000Z', note: 'Kept for the load tests of February' },
      { status: 'open' },
    ],
  },
)
type Body = Static<typeof Body>

const wrong = (name: '/appliedAt' | '/snoozeUntil', code: string, message: string) =>
  badInput({ in: 'body', name, code, message })

/** @throws Fault `invalid` */
function checkSnooze({ status, snoozeUntil }: Body, now: Date): void {
  if (snoozeUntil === undefined) return
  if (status !== 'dismissed') throw wrong('/snoozeUntil', 'unexpected', 'is only allowed with status dismissed')
  const aheadMs = Date.parse(snoozeUntil) - now.getTime()
  if (!(aheadMs > 0)) throw wrong('/snoozeUntil', 'range', 'must be in the future')
  if (aheadMs > snoozeDaysMax * dayMs)
    throw wrong('/snoozeUntil', 'range', `must be at most ${snoozeDaysMax} days ahead`)
}

/** @throws Fault `invalid` */
function checkApplied({ status, appliedAt }: Body, now: Date): void {
  if (appliedAt === undefined) return
  if (status !== 'applied') throw wrong('/appliedAt', 'unexpected', 'is only allowed with status applied')
  const agoMs = now.getTime() - Date.parse(appliedAt)
  if (!(agoMs >= 0)) throw wrong('/appliedAt', 'range', 'must not be in the future')
  if (agoMs > appliedDaysMax * dayMs) throw wrong('/appliedAt', 'range', `must be at most ${appliedDaysMax} days ago`)
}

type Requester = Pick<Request<unknown, unknown, unknown>, 'caller' | 'client'>

/** @throws Fault `missing`; `conflict` `invalid_transition` if its status does not allow it */
async function decide(
  { caller, client }: Requester,
  id: string,
  body: Body,
  services: Services,
): Promise<Recommendation> {
  const { ask, em, now, newId } = services
  checkSnooze(body, now())
  checkApplied(body, now())
  const { orgId, principal } = caller
  const before = await recommendationSeen(caller, id, services)
  // Machine tokens have no user.
  const userId = caller.userId || principal
  const { cloud_account_id: cloudAccountId } = before
  await ask(recommendationDecided, { cloudAccountId, recommendationId: id, userId, ...body })
  if (before.status !== body.status) {
    const { rule_id: ruleID, resource_uid: resourceUID } = before
    const detail = { recommendationID: id, ruleID, resourceUID, cloudAccountID: cloudAccountId, status: body.status }
    const type = 'recommendation_decided'
    const happened = { id: newId(), type, orgId, userId: caller.userId, principal, detail } as const
    await em.transactional((tx) => recordEvent(tx, happened, client, now()))
  }
  return show(await recommendationSeen(caller, id, services))
}

const routeBase = { tags: ['Recommendations'] } as const

export const recommendationDetails: readonly Route[] = [
  route({
    ...routeBase,
    method: 'GET',
    path: '/recommendations/:recID/detail',
    summary: 'Get a recommendation with the details of its resource',
    description: `Metrics have at most ${pointsMax} points. Fields that lists do not include may also be absent here.`,
    permission: 'service.view',
    params: one,
    reply: Detail,
    refuses: { 422: ['report_too_large'] },
    handle: async ({ caller, params: { recID } }, services) =>
      detailOf(await recommendationSeen(caller, recID, services), services),
  }),

  route({
    ...routeBase,
    method: 'PATCH',
    path: '/recommendations/:recommendationID',
    summary: 'Mark a recommendation as applied, dismiss it, or reopen it',
    description:
      'An open recommendation can be applied or dismissed, and both can be reopened; otherwise returns 409 ' +
      'invalid_transition. Returns 409 job_active while a workflow executes it, except that dismissing cancels a workflow ' +
      'that has not called anything yet. Setting the current status changes nothing. optimised and rule_retired are only set ' +
      'by the service.',
    permission: 'service.update',
    params: t.Object({ recommendationID: one.properties.recID }),
    body: Body,
    reply: Recommendation,
    refuses: { 409: ['invalid_transition', 'job_active'] },
    handle: (request, services) => decide(request, request.params.recommendationID, request.body, services),
  }),
]
