import { defineActor } from '#engine/actor/actor.ts'
import { metricCollected } from '#streams/metric/messages.ts'
import { MetricCollection } from './entity.ts'

/** How far the metrics of one cloud account have been fetched. */
export const metricCollectionActor = defineActor({
  kind: 'metric-collection',
  entity: MetricCollection,
  address: { orgId: 'orgId', place: 'cloudAccountId', key: 'cloudAccountId' },
  initial: () => ({ begunAt: null, through: null, askedAt: null, fetched: {} }),
  reactions: (on) => [
    on(
      metricCollected,
      (data) => data.cloudAccountId,
      (collection, { from, through, fetched, askedAt }) => {
        const [begun, until] = [new Date(from), new Date(through)]
        collection.fetched = mergeNames(collection.fetched, fetched)
        if (collection.through && until <= collection.through) return
        if (!collection.through || begun > collection.through)
          Object.assign(collection, { begunAt: begun, askedAt: askedAt === undefined ? null : new Date(askedAt) })
        collection.through = until
      },
    ),
  ],
})

type Names = Readonly<Record<string, readonly string[]>>

const mergeNames = (known: Names, more: Names): Record<string, string[]> => {
  const types = new Set([...Object.keys(known), ...Object.keys(more)])
  return Object.fromEntries(
    [...types].map((type) => [type, [...new Set([...(known[type] ?? []), ...(more[type] ?? [])])].toSorted()]),
  )
}
