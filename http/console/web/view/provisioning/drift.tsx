/** How far what was made is from what was asked for: it asks the cloud, so at a press. */
import type { Reply } from '../../api.ts'
import { useRequest } from '../../report.ts'
import { Panel } from '../../part/panel.tsx'
import { ProblemMessage } from '../../part/report-content.tsx'
import type { Column } from '../../part/list/column.tsx'
import { Table } from '../../part/table.tsx'

type DriftReport = Reply<'GET /provisioning-jobs/:id/drift'>
type Row = DriftReport['drift'][number]

const columns: Column<Row>[] = [
  { title: 'Field', show: ({ path }) => <code>{path.slice(1)}</code> },
  { title: 'Requested', show: ({ wanted }) => <code>{JSON.stringify(wanted)}</code> },
  { title: 'Actual', show: ({ found }) => <code>{JSON.stringify(found)}</code> },
]

export function Drift({ id }: { id: string }) {
  const doing = useRequest('GET /provisioning-jobs/:id/drift')
  return (
    <Panel title="Drift">
      <p class="bar">
        <button type="button" disabled={doing.isBusy} onClick={() => void doing.run({ params: { id } })}>
          {doing.isBusy ? 'Checking…' : 'Check for drift'}
        </button>{' '}
        <span class="faint">Compares the cloud with the requested configuration. Nothing is corrected.</span>
      </p>
      {doing.problem && <ProblemMessage problem={doing.problem} />}
      {doing.done && !doing.done.exists && (
        <p class="note bad" role="status">
          It no longer exists in the cloud.
        </p>
      )}
      {doing.done?.exists &&
        (doing.done.drift.length === 0 ? (
          <p class="note good" role="status">
            No drift: everything the cloud reports matches the request.
          </p>
        ) : (
          <Table caption="Differences" columns={columns} rows={doing.done.drift} keyOf={({ path }: Row) => path} />
        ))}
    </Panel>
  )
}
