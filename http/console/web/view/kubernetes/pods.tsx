/** The pods of one workload, beneath the table that it was opened from. */
import { count, sumOf, usd } from '../../figure.ts'
import { Copies } from '../../part/copy.tsx'
import { Panel } from '../../part/panel.tsx'
import { CostBasis } from '../../part/period.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { change } from '../../router.ts'
import { useReport } from '../../report.ts'
import { useFocusOnOpen } from '../anomalies/focus-on-open.ts'
import type { KubernetesQuery } from './query.ts'
import { List } from './list.tsx'
import type { Costs } from './labels.ts'

/** Pods in one answer: the dearest. */
const podsMax = 500

export function Pods({ now, workload }: { now: KubernetesQuery; workload: string }) {
  const report = useReport('GET /reports/kubernetes', {
    query: { ...now.of, controller: [workload], group_by: 'pod', idle: now.idle, limit: podsMax },
    on: ['costs.changed'],
  })
  const place = useFocusOnOpen<HTMLDivElement>(workload)
  const name = workload === '/' ? 'no workload' : workload
  const tools = (
    <>
      <Copies report={report} />
      <button type="button" class="quiet" onClick={() => change({ workload: null })}>
        Close ✕
      </button>
    </>
  )
  return (
    <div class="opened" tabindex={-1} ref={place} role="group" aria-label="Pods of a workload">
      <Panel title={`Pods of ${name}`} about={<CostBasis meta={report.meta} />} tools={tools}>
        <ReportContent report={report} rows={4}>
          {(data: Costs) => <PodList data={data} now={now} />}
        </ReportContent>
      </Panel>
    </div>
  )
}

function PodList({ data: { items, total: all }, now }: { data: Costs; now: KubernetesQuery }) {
  const isCut = all > items.length
  const some = isCut && (
    <p class="note" role="status">
      The workload had {count(all)} pods. Showing the top {count(podsMax)} by cost.
    </p>
  )
  if (items.length === 0) return <Empty title="No pod of this workload had costs in this period." />
  const total = usd(sumOf(items.map(({ costUSD }) => costUSD)))
  return (
    <>
      <List rows={items} now={now} group="pod" caption="Pods of the workload" total={total} />
      {some}
    </>
  )
}
