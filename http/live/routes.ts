import { allAccounts } from '#actors/account/queries.ts'
import { allCharges } from '#analytics/cost/charge.ts'
import { costFlow } from '#analytics/cost/questions.ts'
import { unlabelled } from '#analytics/store/slice.ts'
import { addDays } from '#engine/day.ts'
import { t } from '#engine/schema.ts'
import { orNull } from '#http/edge/field.ts'
import { route, type Route } from '#http/edge/route.ts'
import { callerBy } from '#http/edge/scope.ts'
import type { Services } from '#http/edge/services.ts'
import type { Caller } from '#http/identity/caller.ts'
import { permit } from '#http/identity/permit.ts'
import { costQuestion } from '#http/report/filter.ts'
import { reply } from '#http/store/reply.ts'
import { liveEvents } from '#streams/live.ts'
import { frame, opening } from './frame.ts'

const permission = 'service.view'
const media = 'text/event-stream'

/** Of so many days are the costs by which a team's accounts are known. */
const teamDays = 90
const byAccount = {
  d1: 'cloud_account_id',
  d2: 'nothing',
  d3: 'nothing',
  d4: 'nothing',
  d5: 'nothing',
  d6: 'nothing',
} as const

/** The accounts that the reports of a caller show. */
async function accountsShown(caller: Caller, services: Services): Promise<string[]> {
  const toDay = services.now().toISOString().slice(0, 10)
  const question = costQuestion(caller, {}, { fromDay: addDays(toDay, -teamDays), toDay }, services)
  const rows = await services.analytics(costFlow, { ...question, ...unlabelled, ...allCharges, ...byAccount })
  return rows.map(({ d1 }) => d1)
}

const told = liveEvents.map(
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
    'Server-sent events: `event` is a name, `data` one line of JSON. Lines that begin with a colon mean nothing.',
  examples: [`${opening}${liveEvents.map(({ name, examples: [data] }) => frame({ event: name, data })).join('')}`],
})

const Lag = t.Object(
  {
    lanes: t.Array(
      t.Object({
        lane: t.Integer({ description: 'its number; other organizations share it' }),
        cloudAccountIDs: t.Array(t.String(), {
          description: 'accounts of the organization, of those you see, whose messages it carries',
        }),
        oldestSeconds: orNull(
          t.Number({ description: 'for how long the oldest message waits that has not taken effect; null: none does' }),
        ),
      }),
      {
        description:
          'those that carry the accounts you see, the one of what is of the whole organization, and each in which something waits; by number',
      },
    ),
    oldestSeconds: orNull(t.Number({ description: 'of all these' })),
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
    summary: 'What changes in the organization from now on, as server-sent events',
    description: [
      'The answer does not end: a comment comes every 15 seconds, and events as they happen. Each says what has changed, and that asking shows it; ask your reports again. Nothing is kept: what happens while nobody is connected is not told, so ask for everything at `ready`, and again at `resync`. The stream ends with the token that opened it, and when its caller loses the right to it: connect again with a new token.',
      'A role that sees some accounts or teams is told of those alone.',
      ...told,
    ].join('\n\n'),
    permission,
    tags: ['Events'],
    reply: Events,
    media,
    headers: {
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no: nothing on the way may hold events back',
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
    summary: 'How far the lanes are behind with the messages of the organization',
    description:
      'What producers, and the service itself, have sent for the organization and what has not taken effect yet: by lane, the age of the oldest. Sums of costs and the inventory show a message soon after it has taken effect.',
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
