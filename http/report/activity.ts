/** What happened to resources (decision G-41): as discovery saw them, what schedules did, and what people and others asked for. */
import { activityKinds, resourceActivity } from '#analytics/resource/questions.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { parseJson } from '#engine/value/json.ts'
import { Timestamp } from '#http/edge/parameter/field.ts'
import { askPage, list, toPage, pageOf, paging } from '#http/edge/parameter/paging.ts'
import { range, rangeOf } from '#http/edge/parameter/range.ts'
import { narrowing, narrowingOf } from '#http/report/filter/filter.ts'
import type { Route } from '#http/edge/route.ts'
import { report } from '#http/report/report.ts'
import { namesOf, PersonName } from '#http/people/name.ts'

const resourcesMax = 50

export const ResourceActivity = t.Object(
  {
    id: t.String(),
    at: Timestamp,
    kind: t.Enum(activityKinds),
    resourceUid: t.String(),
    summary: t.String({ description: 'display text' }),
    actor: t.String({ description: 'discovery, scheduler, action, or a user:<id>' }),
    actorName: t.Optional(PersonName),
    details: t.Record(t.String(), t.Unknown(), {
      description:
        'state_transition: from and to, empty if it did not exist; configuration_change: from and to for each field, or the ' +
        'decision on a tag suggestion with the userId of who made it; scheduler_event: scheduleID, action, status; ' +
        'action_submission: actionID, action, and reason if there is one',
    }),
  },
  {
    title: 'ResourceActivity',
    examples: [
      {
        id: '7c0f6f0e-1e4a-8a36-9a43-0f9f2b9f6a01',
        at: '2026-01-15T10:00:00.000Z',
        kind: 'state_transition',
        resourceUid: 'i-0a1b2c3d4e5f60718',
        summary: 'It was stopped.',
        actor: '0d4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a02',
        actorName: 'Ana',
        details: { from: 'running', to: 'stopped' },
      },
    ],
  },
)
type Details = Static<typeof ResourceActivity>['details']

const toText = (value: unknown): string => (typeof value === 'string' ? value : '')

function describeChange({ suggestion, ...details }: Details): string {
  if (suggestion !== undefined) return `Suggested tags ${toText((suggestion as Details)['status'])}.`
  const fields = Object.keys(details).filter((field) => field !== 'userId')
  return `Changed: ${fields.join(', ')}.`
}

/** One sentence for people. */
function summaryOf(kind: (typeof activityKinds)[number], details: Details): string {
  if (kind === 'scheduler_event') return `A schedule's ${toText(details['action'])} ${toText(details['status'])}.`
  if (kind === 'configuration_change') return describeChange(details)
  if (kind === 'action_submission') return `Requested: ${toText(details['action'])}.`
  const [from, to] = [toText(details['from']), toText(details['to'])]
  if (from === '') return `Discovered as ${to}.`
  return to === '' ? 'Gone.' : `From ${from} to ${to}.`
}

export function shownActivity(row: Static<(typeof resourceActivity)['row']>): Static<typeof ResourceActivity> {
  const details = parseJson(row.details) as Details
  return {
    id: row.id,
    at: new Date(row.at_ms).toISOString(),
    kind: row.kind,
    resourceUid: row.resource_uid,
    summary: summaryOf(row.kind, details),
    actor: row.actor,
    details,
  }
}

export const activity: readonly Route[] = [
  report({
    path: '/reports/resources/activity',
    summary: 'List resource activity, newest first',
    description:
      'Starts, stops, changes and cloud events between from and to, with their actor. Includes deleted resources.',
    query: t.Object({
      ...range,
      ...narrowing,
      resource_uid: t.Optional(
        list(t.String(), { maxItems: resourcesMax, description: 'only these resources; default: all' }),
      ),
      ...paging(20, 100),
    }),
    reply: pageOf(ResourceActivity),
    handle: async ({ caller, query }, { analytics, em, now }) => {
      const { from, to } = rangeOf(query, now())
      const narrowed = narrowingOf(caller, query)
      const { scoped, scope_accounts: _, scope_teams: __, ...asked } = narrowed
      const question = {
        uids: query.resource_uid ?? [],
        from_ms: from.getTime(),
        to_ms: to.getTime(),
        sliced: Number(scoped === 1 || Object.values(asked).some((values) => values.length > 0)),
        ...narrowed,
      }
      const { rows, total } = await askPage(query, (cut) => analytics(resourceActivity, { ...question, ...cut }))
      const actors = rows.map(({ actor }) => actor)
      const nameOf = await namesOf(em, caller.orgId, actors)
      const items = rows.map((row) => ({ ...shownActivity(row), actorName: nameOf(row.actor) }))
      return toPage({ items, total }, query)
    },
  }),
]
