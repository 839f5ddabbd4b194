/** Evaluates everything again, under the name that the interface uses (decision G-68). */
import { t } from '#engine/value/schema.ts'
import { actorReply } from '#http/edge/request/decode.ts'
import { route, type Route } from '#http/edge/route.ts'
import { jobRequested } from '#streams/job.ts'

const readReply = actorReply(t.Object({ runId: t.String() }))

export const recommendationRefreshes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/recommendations/refresh',
    summary: 'Re-evaluate all resources: recommendations, forecasts and policy tags',
    description:
      'One at a time: if one is already running, its ID is returned. Measurements cover whole days: a resource that is idle ' +
      'since this morning is found tomorrow.',
    permission: 'service.update',
    tags: ['Recommendations'],
    status: 202,
    reply: t.Object({ refreshID: t.String(), status: t.Literal('queued') }),
    example: { refreshID: '5e9e6679-7425-80de-944b-e07fc1f90ae7', status: 'queued' },
    handle: async (_, { ask, newId }) => {
      const { runId } = readReply(await ask(jobRequested, { job: 'recommendation-sweep', runId: newId() }))
      return { refreshID: runId, status: 'queued' as const }
    },
  }),
]
