/** What lives in it. */
import { useState } from 'preact/hooks'
import type { Reply } from '../../api.ts'
import { ReportPanel } from '../../part/report-panel.tsx'
import { Status } from '../../part/power-state.tsx'
import { Pages, Table } from '../../part/table.tsx'
import { useReport } from '../../report.ts'
import { resourceHref } from '../inventory/list.tsx'
import type { ResourceDetail } from './resource.ts'

type ChildResources = Reply<'GET /resources'>
type Child = ChildResources[number]

const pageSize = 20

const columns = [
  {
    key: 'name',
    title: 'Name',
    show: (row: Child) => (
      <a href={resourceHref(row)} title={row.uid}>
        <span class="clip wide" dir="auto">
          {row.name || row.uid}
        </span>
      </a>
    ),
  },
  {
    key: 'type',
    title: 'Type',
    show: ({ type }: Child) => (
      <span class="clip" title={type}>
        {type}
      </span>
    ),
  },
  { key: 'status', title: 'Status', show: ({ status }: Child) => <Status status={status} /> },
]

export function Children({ resource: { uid, cloudAccountID, childCount } }: { resource: ResourceDetail }) {
  const [page, setPage] = useState(1)
  const query = { parent_uid: uid, cloud_account_id: cloudAccountID, page, limit: pageSize }
  const report = useReport('GET /resources', { query, on: ['inventory.'], when: childCount > 0 })
  if (childCount === 0) return null
  return (
    <ReportPanel title="Contained resources" report={report} rows={4}>
      {(rows: ChildResources) => (
        <>
          <Table caption="Contained resources" columns={columns} rows={rows} keyOf={({ id }: Child) => id} />
          <Pages page={page} limit={pageSize} total={report.total ?? 0} onPage={setPage} />
        </>
      )}
    </ReportPanel>
  )
}
