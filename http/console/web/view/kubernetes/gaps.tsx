/** Hours of which nobody told who used a cluster, and what to do about them. */
import { ago, timeText } from '../../day.ts'
import { pluralize } from '../../figure.ts'
import { Next } from '../../part/next-step.tsx'
import { Panel } from '../../part/panel.tsx'
import type { Gap } from './labels.ts'

/** Clusters that are named; those that lack most come first. */
const shownMax = 8

export function Gaps({ gaps }: { gaps: readonly Gap[] }) {
  if (gaps.length === 0) return null
  return (
    <Panel title="Missing usage data">
      <ul class="list">
        {gaps.slice(0, shownMax).map(({ clusterUID, clusterName, cloudAccountID, hoursMissing, lastToldAt }) => (
          <li key={`${cloudAccountID} ${clusterUID}`}>
            <strong>
              <span class="clip wide" dir="auto" title={clusterUID}>
                {clusterName || clusterUID}
              </span>
            </strong>{' '}
            has no usage data for {pluralize(hoursMissing, 'hour')} of this period.{' '}
            <span class="faint" title={timeText(lastToldAt)}>
              Last data received: {timeText(lastToldAt)}, {ago(lastToldAt)}.
            </span>
          </li>
        ))}
      </ul>
      {gaps.length > shownMax && <p class="faint">Plus {pluralize(gaps.length - shownMax, 'more cluster')}.</p>}
      <p>
        Machine costs in these hours are unmeasured: they stay unallocated and are not spread over other workloads.
        Hours that arrive later, however late, are recomputed.{' '}
        <Next needs={['space.create', 'space.update']} what="Fixing a usage source">
          Check that the cluster’s usage source runs and send the hours again (docs/kubernetes.md). For a Prometheus
          source, <code>GET /kubernetes/sources</code> shows the error.
        </Next>
      </p>
    </Panel>
  )
}
