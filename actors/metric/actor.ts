import { defineActor } from '#engine/actor.ts'
import { metricCollected } from '#streams/metric.ts'
import { MetricCollection } from './entity.ts'

/** The metrics of one cloud account, as far as they were fetched. */
export const metricCollectionActor = defineActor({
  kind: 'metric-collection',
  entity: MetricCollection,
  address: { orgId: 'orgId', place: 'cloudAccountId', key: 'cloudAccountId' },
  initial: () => ({ begunAt: null, through: null, fetched: {} }),
  reactions: (on) => [
    on(
      metricCollected,
      (data) => data.cloudAccountId,
      (collection, { from, through, fetched }) => {
        const [begun, until] = [new Date(from), new Date(through)]
        collection.fetched = merged(collection.fetched, fetched)
        if (collection.through && until <= collection.through) return
        if (!collection.through || begun > collection.through) collection.begunAt = begun
        collection.through = until
      },
    ),
  ],
})

type Names = Readonly<Record<string, readonly string[]>>

const merged = (known: Names, more: Names): Record<string, string[]> => {
  const types = new Set([...Object.keys(known), ...Object.keys(more)])
  return Object.fromEntries(
    [...types].map((type) => [type, [...new Set([...(known[type] ?? []), ...(more[type] ?? [])])].toSorted()]),
  )
}
