/** Where no cluster costs anything: how usage comes here, or the filters that leave nothing. */
import { rangeText } from '../../day.ts'
import { Next } from '../../part/next-step.tsx'
import { Empty } from '../../part/report-content.tsx'
import { change, hrefOf } from '../../router.ts'
import { hrefWith, type KubernetesQuery } from './query.ts'

export function EmptyState({ now }: { now: KubernetesQuery }) {
  const days = rangeText(now.period.from, now.period.to)
  if (now.page > 1)
    return (
      <Empty title="This page does not exist.">
        <p>
          <button type="button" onClick={() => change({ page: null })}>
            Go to first page
          </button>
        </p>
      </Empty>
    )
  if (now.chips.length + now.labels.length > 0)
    return (
      <Empty title={`No cluster costs from ${days} match all of these filters.`}>
        <p>
          <a href={hrefWith([], { label: null })}>Remove all filters</a>
        </p>
      </Empty>
    )
  return (
    <Empty title={`No cluster costs from ${days}.`}>
      <p>
        Bills list machines, disks and load balancers. Who used them requires hourly usage data.{' '}
        <Next needs={['space.create', 'space.update']} what="Collecting usage data">
          Give Tidemark access to the clusters of a <a href={hrefOf('sources')}>connected account</a>, add a Prometheus
          source with <code>POST /kubernetes/sources</code>, or let a producer publish <code>kubernetes.usage</code>.
          See docs/kubernetes.md.
        </Next>
      </p>
      <p>You can choose other days above.</p>
    </Empty>
  )
}
