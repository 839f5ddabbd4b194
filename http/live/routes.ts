import { allAccounts } from '#actors/account/queries.ts'
import { allCharges } from '#analytics/cost/charge.ts'
import { costFlow } from '#analytics/cost/questions.ts'
import { noLabels } from '#analytics/store/slice.ts'
import { addDays } from '#engine/value/day.ts'
import { t } from '#engine/value/schema.ts'
import { orNull } from '#http/edge/parameter/field.ts'
import { route, type Route } from '#http/edge/route.ts'
import { callerBy } from '#http/edge/scope.ts'
import type { Services } from '#http/edge/services.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { permit } from '#http/identity/organization/permit.ts'
import { costQuestion } from '#http/report/filter/filter.ts'
import { reply } from '#http/store/reply.ts'
import { liveEvents } from '#streams/live/messages.ts'
import { frame, opening } from './frame.ts'

const permission = 'service.view'
const media = 'text/event-stream'

/** Days of costs by which a team's accounts are found. */
const teamDays = 90
const byAccount = {
  d1: 'cloud_account_id',
  d2: 'nothing',
  d3: 'nothing',
  d4: 'nothing',
  d5: 'nothing',
  d6: 'nothing',
} as const

/** The accounts in the caller's reports. */
async function accountsShown(caller: Caller, services: Services): Promise<string[]> {
  const toDay = services.now().toISOString().slice(0, 10)
  const question = costQuestion(caller, {}, { fromDay: addDays(toDay, -teamDays), toDay }, services)
  const rows = await services.analytics(costFlow, { ...question, ...noLabels, ...allCharges, ...byAccount })
  return rows.map(({ d1 }) => d1)
}

const eventTexts = liveEvents.map(
  ({ name, summary, needs, schema }) =>
    `\`${name}\` ${membersOf(schema)}: ${summary}${needs === permission ? '' : ` Needs ${needs}.`}`,
)

function membersOf(schema: object): string {
  const { properties = {} } = schema as { properties?: Record<string, unknown> }
  const names = Object.keys(properties)
  return names.length === 0 ? '{}' : `{ ${names.join(', ')} }`
}

const Events = t.String({
  description:
    'Server-sent events: `event` is a name, `data` is one line of JSON. Ignore lines that start with a colon.',
  examples: [`${opening}${liveEvents.map(({ name, examples: [data] }) => frame({ event: name, data })).join('')}`],
})

const Lag = t.Object(
  {
    lanes: t.Array(
      t.Object({
        lane: t.Integer({ description: 'lane number; lanes are shared with other organizations' }),
        cloudAccountIDs: t.Array(t.String(), {
          description: 'accounts of the organization that this lane serves, limited to those you see',
        }),
        oldestSeconds: orNull(
          t.Number({ description: 'age of the oldest message that has not taken effect; null: none pending' }),
        ),
      }),
      {
        description:
          'lanes of the accounts you see, the lane for organization-wide data, and all lanes with pending messages; sorted by number',
      },
    ),
    oldestSeconds: orNull(t.Number({ description: 'over all lanes' })),
  },
  {
    title: 'LaneLag',
    examples: [{ lanes: [{ lane: 3, cloudAccountIDs: ['acct-1'], oldestSeconds: 0.4 }], oldestSeconds: 0.4 }],
  },
)

export const live: readonly Route[] = [
  route({
    method: 'GET',
    path: '/events/stream',
    summary: 'Stream changes of the organization as server-sent events',
    description: [
      'The response does not end: it sends a comment every 15 seconds, and events as they occur. An event means that ' +
        'something has changed and that a new query shows it, so query your reports again. Events are not stored: changes ' +
        'while no client is connected are not sent later, so reload everything on `ready`, and again on `resync`. The stream ' +
        'ends when its token expires or the caller loses access; reconnect with a new token.',
      'A role that is limited to some accounts or teams receives only their events.',
      ...eventTexts,
    ].join('\n\n'),
    permission,
    tags: ['Events'],
    reply: Events,
    media,
    headers: {
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no: proxies must not buffer events',
    },
    refuses: { 429: ['too_many_streams'] },
    handle: async ({ caller, headers }, services) => {
      const body = await services.listen({
        caller,
        again: async () => {
          const now = await callerBy(services.identity.authenticator, headers)
          permit({ permission }, now)
          return now
        },
        teamAccounts: (now) => accountsShown(now, services),
      })
      return reply(body as never, { media, headers: { 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' } })
    },
  }),
  route({
    method: 'GET',
    path: '/events/lag',
    summary: "Get the processing lag of the organization's messages by lane",
    description:
      'Messages from producers and from the service itself that have not taken effect yet: the age of the oldest, by lane. Cost totals and the inventory reflect a message shortly after it has taken effect.',
    permission,
    tags: ['Events'],
    reply: Lag,
    handle: async ({ caller: { orgId, reportScope } }, { em, lag }) => {
      const { all, cloudAccountIDs: seen } = reportScope
      const accounts = (await allAccounts(em, orgId)).map(({ id }) => id).filter((id) => all || seen.includes(id))
      const lanes = await lag(accounts)
      const waiting = lanes.flatMap(({ oldestSeconds }) => oldestSeconds ?? [])
      return { lanes, oldestSeconds: waiting.length === 0 ? null : Math.max(...waiting) }
    },
  }),
]
