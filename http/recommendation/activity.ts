/** The history of recommendations, and who has opened them. */
import { historiesOf } from '#actors/recommendation/queries.ts'
import { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'
import { badInput } from '#http/edge/problem.ts'
import { route, type Route } from '#http/edge/route.ts'
import { HistoryItem, one, sightOf } from '#http/recommendation/body.ts'
import { recommendationSeen } from '#http/recommendation/detail.ts'
import { recommendationViewed } from '#streams/recommendation.ts'

const idsMax = 200
const History = t.Array(HistoryItem)

/** Without repeats. @throws Fault `invalid` if there are too many */
function idsOf(given: readonly string[]): string[] {
  const ids = [...new Set(given)]
  if (ids.length <= idsMax) return ids
  const message = `must not name more than ${idsMax} recommendations`
  throw badInput({ in: 'query', name: 'rec_id', code: 'maxItems', message })
}

const routeBase = { permission: 'service.view', tags: ['Recommendations'] } as const

export const recommendationActivities: readonly Route[] = [
  route({
    ...routeBase,
    method: 'GET',
    path: '/recommendations/activity',
    summary: 'Get the history of several recommendations',
    description:
      'By recommendation ID, oldest first. IDs that do not exist or that the caller may not see have no key in the response.',
    query: t.Object({
      rec_id: t.Array(t.String({ minLength: 1, maxLength: 256 }), {
        minItems: 1,
        description: `comma-separated IDs: at most ${idsMax} different ones`,
        examples: [['5f0f6f0e-1e4a-5a36-9a43-0f9f2b9f6a01']],
      }),
    }),
    reply: t.Record(t.String(), History),
    example: {
      '5f0f6f0e-1e4a-5a36-9a43-0f9f2b9f6a01': [
        {
          id: '2d0f6f0e-1e4a-8a36-9a43-0f9f2b9f6a01',
          event: 'generated',
          actor: 'system',
          actorType: 'system',
          createdAt: '2026-01-15T10:00:00.000Z',
        },
      ],
    },
    handle: async ({ caller, query }, { em }) =>
      Object.fromEntries(await historiesOf(em, caller.orgId, sightOf(caller), idsOf(query.rec_id))),
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/recommendations/:recID/history',
    summary: 'Get the history of a recommendation, oldest first',
    description: 'The first entry is when it was found. Above a hundred entries, the oldest views are dropped.',
    params: one,
    reply: History,
    handle: async ({ caller, params: { recID } }, { em }) => {
      const found = (await historiesOf(em, caller.orgId, sightOf(caller), [recID])).get(recID)
      if (!found) throw Fault.missing('recommendation', recID)
      return found
    },
  }),

  route({
    ...routeBase,
    method: 'POST',
    path: '/recommendations/:recID/viewed',
    summary: 'Record that you have viewed a recommendation',
    description:
      'Its history lists each user once. Personal access tokens belong to programs and service tokens to no user: both get ' +
      'the same response, and nothing is recorded.',
    alsoInternal: true,
    status: 204,
    params: one,
    handle: async ({ caller, params: { recID } }, services) => {
      const { cloud_account_id: cloudAccountId } = await recommendationSeen(caller, recID, services)
      if (caller.kind !== 'session') return
      await services.ask(recommendationViewed, { cloudAccountId, recommendationId: recID, userId: caller.userId })
    },
  }),
]
