/** The sweep over the tags of all resources, under the name that the interface gives it (decision G-68). */
import { t } from '#engine/schema.ts'
import { actorReply } from '#http/edge/decode.ts'
import { route, type Route } from '#http/edge/route.ts'
import { tagRunWanted } from '#streams/tagging.ts'

const started = actorReply(t.Object({ runId: t.String(), status: t.String() }))

export const recommendationRefreshes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/recommendations/refresh',
    summary: 'Look at every resource anew: what is predicted of it, and which tags policies derive',
    description: 'One at a time: while one goes on, its id is answered.',
    permission: 'service.update',
    tags: ['Recommendations'],
    status: 202,
    reply: t.Object({ refreshID: t.String(), status: t.Literal('queued') }),
    handle: async (_, { ask, newId }) => {
      const { runId } = started(await ask(tagRunWanted, { runId: newId(), wanted: { kind: 'sweep', whole: true } }))
      return { refreshID: runId, status: 'queued' as const }
    },
  }),
]
