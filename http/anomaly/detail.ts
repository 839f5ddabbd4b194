/** One anomaly with its explanation: causes, the days before, events of its resources, and who was notified. */
import { boundsOf, rule } from '#actors/anomaly/rule.ts'
import {
  anomalyPage,
  anomalySeries,
  anomalyStories,
  anyOfThem,
  everyAnomaly,
  failedStops,
} from '#analytics/anomaly/questions.ts'
import { notificationDeliveries } from '#analytics/notification/questions.ts'
import { resourceActivity } from '#analytics/resource/questions.ts'
import { addDays } from '#engine/value/day.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { orNull } from '#http/edge/parameter/field.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { Delivery, seenBy, shownDelivery } from '#http/notification/delivery.ts'
import { ResourceActivity, shownActivity } from '#http/report/activity.ts'
import {
  anomalyExample,
  anomalyFields,
  anomalyRow,
  scopeOf,
  show,
  topResourcesOf,
  type AnomalyRow,
} from '#http/report/trend/anomaly.ts'
import { costKinds, costQuestion, narrowingOf } from '#http/report/filter/filter.ts'
import { withMeta } from '#http/report/meta.ts'
import { TopResource } from '#streams/anomaly.ts'
import { cents, units } from '#streams/figure.ts'

const shownDays = 30
const activityMax = 20
const toldMax = 100
/** Maximum anomalies of a story that are shown; the narrowest ones. */
const storyMax = 100

const threshold = (severity: string) =>
  orNull(
    t.Number({ description: `daily cost from which the anomaly is ${severity}; null if the day is not evaluated` }),
  )

const Day = t.Object({
  date: t.String({ description: 'YYYY-MM-DD' }),
  actualUsd: orNull(t.Number({ description: 'null: no costs on this day' })),
  expectedUsd: orNull(
    t.Number({ description: 'mean of the previous seven days that have costs; null if the day is not evaluated' }),
  ),
  warningUsd: threshold('a warning or worse'),
  criticalUsd: threshold('critical or worse'),
  emergencyUsd: threshold('an emergency'),
})

const { id, anomalyType, anomalyKey, label, severity, excessUsd, deviationPercent } = anomalyFields
const StoryRow = t.Object({ id, anomalyType, anomalyKey, label, severity, excessUsd, deviationPercent })
type StoryRow = Static<typeof StoryRow>

const Detail = t.Object(
  {
    ...anomalyFields,
    cost: t.Enum(costKinds, { description: 'the cost metric in which anomalies are detected; all amounts use it' }),
    explained: t.Array(t.Object({ cause: t.String(), usd: t.Number() }), {
      description:
        'what explains the excess: first the cause of the whole anomaly, then causes of individual top resources. Each is computed separately: they may overlap and need not add up to the excess',
    }),
    topResources: t.Array(TopResource, { description: 'at most five, largest increase first, as of detection' }),
    restUsd: t.Number({
      description:
        'the excess minus the increases of the top resources; negative if everything else cost less than before',
    }),
    story: t.Array(StoryRow, {
      description: `anomalies of the same day with the same cause, including this one, grouped for the caller as with fold=story: the leading one first, at most ${storyMax}`,
    }),
    series: t.Array(Day, { description: `${shownDays} days, ending on the day of the anomaly` }),
    schedules: t.Array(t.Object({ resourceUid: t.String(), scheduleID: t.String() }), {
      description:
        'schedules that should have stopped one of the top resources on this day or the day before, but did not',
    }),
    activity: t.Array(ResourceActivity, {
      description: `changes, tags, schedules and actions of the top resources on this day and the day before, newest first, at most ${activityMax}: possible but unproven causes`,
    }),
    told: t.Array(Delivery, {
      description: `notifications about the anomaly, separate or in a digest, newest first, at most ${toldMax}, for 90 days; limited to those that GET /notifications/deliveries shows to the caller`,
    }),
  },
  {
    title: 'AnomalyDetail',
    examples: [
      {
        ...anomalyExample,
        rootCause:
          'Schedule failure: schedule nights did not stop web-1 (i-1), which kept running, which explains 90.00 of the 90.00 US dollars above the baseline (100%).',
        cost: 'billed',
        explained: [
          { cause: 'Schedule failure: schedule nights did not stop web-1 (i-1), which kept running', usd: 90 },
        ],
        topResources: [{ resourceUid: 'i-1', resourceName: 'web-1', costUSD: 160, deltaUSD: 90 }],
        restUsd: 0,
        story: [
          {
            id: '5c0f0a4e-7c1b-8a55-9d0c-2f6e3f1f9a10',
            anomalyType: 'resource',
            anomalyKey: 'i-1',
            label: 'web-1',
            severity: 'critical',
            excessUsd: 90,
            deviationPercent: 128.57,
          },
          {
            id: '6b1d6f62-2d4c-8f0e-8f5e-0a4d7c1b2e33',
            anomalyType: 'cloud_account',
            anomalyKey: 'acct-1',
            label: 'Production',
            severity: 'warning',
            excessUsd: 90,
            deviationPercent: 30.1,
          },
        ],
        series: [
          {
            date: '2026-01-15',
            actualUsd: 160,
            expectedUsd: 70,
            warningUsd: 91,
            criticalUsd: 140,
            emergencyUsd: 420,
          },
        ],
        schedules: [{ resourceUid: 'i-1', scheduleID: 'nights' }],
        activity: [],
        told: [],
      },
    ],
  },
)
type Detail = Static<typeof Detail>
type Day = Static<typeof Day>

export const anomalyDetails: readonly Route[] = [
  route({
    method: 'GET',
    path: '/reports/anomalies/:anomalyID',
    summary: 'Get an anomaly with its causes, the days before it, activity on its resources, and notifications sent',
    description:
      'Amounts, causes and resources are as of detection. `series` uses current bills, groups and teams and shows only what ' +
      'the caller may see, so its last day may differ from `actualCostUsd` if a bill was corrected. The expected band of a ' +
      'day lies between `expectedUsd` and `warningUsd`. A cost of `warningUsd` or more (30% above the baseline) is an ' +
      'anomaly. `criticalUsd` and `emergencyUsd` are 100% and 500% above the baseline, or, for costs that vary, three and ' +
      'five standard deviations above the mean of the previous 30 days if that is less, but never below `warningUsd`. A day ' +
      'is not evaluated if fewer than four of the previous seven days have costs, or if the baseline is below 1 US dollar ' +
      'before credits.',
    permission: 'service.view',
    tags: ['Reports'],
    params: t.Object({ anomalyID: t.String({ description: 'as in GET /reports/anomalies' }) }),
    reply: Detail,
    refuses: { 422: ['report_too_large'] },
    handle: async ({ caller, params: { anomalyID } }, services) => {
      const row = await anomalyRow(caller, anomalyID, services)
      const topResources = topResourcesOf(row)
      const uids = topResources.map(({ resourceUid }) => resourceUid)
      const [series, story, happened, told] = await Promise.all([
        seriesOf(caller, row, services),
        storyOf(caller, row, services),
        happenedTo(caller, uids, row.day, services),
        toldOf(caller, row, services),
      ])
      const explained = JSON.parse(row.explained || '[]') as Detail['explained']
      return {
        ...show(row),
        cost: services.settings.reportCost,
        explained: explained.map(({ cause, usd }) => ({ cause, usd: cents(usd) })),
        topResources,
        restUsd: restOf(row),
        story,
        series,
        ...happened,
        told,
      }
    },
  }),
].map((detail) => withMeta('none', detail))

function restOf({ excess_usd, top_resources }: AnomalyRow): number {
  const rises = (JSON.parse(top_resources) as Static<typeof TopResource>[]).map(({ deltaUSD }) => units(deltaUSD))
  return cents(rises.reduce((rest, rise) => rest - rise, units(excess_usd)))
}

/** The anomalies of the same story, in its order. */
async function storyOf(caller: Caller, { id: of, day }: AnomalyRow, { analytics }: Services): Promise<StoryRow[]> {
  const among = { ...everyAnomaly, ...scopeOf(caller), from: day, to: day }
  const [story] = await analytics(anomalyStories, { ...among, of, limit: 1 })
  if (!story) return []
  const ids = [story.id, ...story.folded].slice(0, storyMax)
  const rows = await analytics(anomalyPage, { ...among, ...anyOfThem, ids, limit: storyMax })
  const shown = new Map(rows.map((row) => [row.id, storyRow(row)]))
  return ids.flatMap((id) => shown.get(id) ?? [])
}

const storyRow = (row: AnomalyRow): StoryRow => {
  const { id, anomalyType, anomalyKey, label, severity, excessUsd, deviationPercent } = show(row)
  return { id, anomalyType, anomalyKey, label, severity, excessUsd, deviationPercent }
}

/** The costs in which the anomaly was found, with what each day is judged by. */
async function seriesOf(caller: Caller, { anomaly_type: type, anomaly_key: key, day }: AnomalyRow, services: Services) {
  const first = addDays(day, 1 - shownDays)
  const range = { fromDay: addDays(first, -rule.priorDays), toDay: day }
  const only = {
    ...(type === 'cloud_account' && { cloud_account_id: [key] }),
    ...(type === 'team' && { team_id: [key] }),
  }
  const { saved: _, ...question } = costQuestion(caller, only, range, services)
  const rows = await services.analytics(anomalySeries, {
    ...question,
    uids: type === 'resource' ? [key] : [],
    group: type === 'resource_group' ? key : '',
    days: shownDays,
  })
  const known = new Map(rows.map((row) => [row.date, shownDay(row)]))
  return Array.from({ length: shownDays }, (_, at): Day => {
    const date = addDays(first, at)
    return known.get(date) ?? { ...nothingKnown, date }
  })
}

const nothingKnown = { actualUsd: null, expectedUsd: null, warningUsd: null, criticalUsd: null, emergencyUsd: null }

function shownDay(row: Static<(typeof anomalySeries)['row']>): Day {
  const bounds = boundsOf(row)
  const at = (place: number) => (bounds ? cents(bounds[place]!) : null)
  return {
    date: row.date,
    actualUsd: row.is_known === 1 ? cents(row.actual) : null,
    expectedUsd: bounds ? cents(row.expected) : null,
    warningUsd: at(0),
    criticalUsd: at(1),
    emergencyUsd: at(2),
  }
}

/** Events of some resources on a day and the day before. */
async function happenedTo(
  caller: Caller,
  uids: string[],
  day: string,
  { analytics }: Services,
): Promise<Pick<Detail, 'schedules' | 'activity'>> {
  if (uids.length === 0) return { schedules: [], activity: [] }
  const narrowed = narrowingOf(caller, {})
  const [failed, rows] = await Promise.all([
    analytics(failedStops, { day, uids }),
    analytics(resourceActivity, {
      uids,
      from_ms: Date.parse(addDays(day, -1)),
      to_ms: Date.parse(addDays(day, 1)),
      sliced: narrowed.scoped,
      ...narrowed,
      limit: activityMax,
      offset: 0,
    }),
  ])
  return {
    schedules: failed.map((row) => ({ resourceUid: row.resource_uid, scheduleID: row.schedule_id })),
    activity: rows.map(shownActivity),
  }
}

async function toldOf(caller: Caller, { id, day }: AnomalyRow, { analytics }: Services) {
  const question = { ...seenBy(caller), anomaly: id, from_ms: Date.parse(day), limit: toldMax }
  return (await analytics(notificationDeliveries, question)).map(shownDelivery)
}
