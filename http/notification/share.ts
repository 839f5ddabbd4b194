/** Showing others a recommendation. */
import { Fault } from '#engine/fault.ts'
import { t } from '#engine/schema.ts'
import { route, type Route } from '#http/edge/route.ts'
import { text } from '#streams/text.ts'

export const shares: readonly Route[] = [
  route({
    method: 'POST',
    path: '/notifications/share/recommendation/:recID',
    summary: 'Tell of a recommendation by some channels',
    description: 'Channels that there are not, or that do not take it, count as failed.',
    permission: 'service.update',
    tags: ['Notifications'],
    params: t.Object({ recID: t.String({ description: 'of the recommendation' }) }),
    body: t.Object(
      {
        channelIDs: t.Array(text({ minLength: 1, maxLength: 256 }), {
          minItems: 1,
          maxItems: 20,
          description: 'as GET /notifications/channels names them',
        }),
        message: t.Optional(text({ maxLength: 2000, description: 'what you say to it' })),
      },
      { examples: [{ channelIDs: ['7c9e6679-7425-40de-944b-e07fc1f90ae7'], message: 'Shall we do this?' }] },
    ),
    reply: t.Object({ sent: t.Integer(), failed: t.Integer() }),
    handle: async ({ params: { recID } }) => {
      throw Fault.missing('recommendation', recID)
    },
  }),
]
