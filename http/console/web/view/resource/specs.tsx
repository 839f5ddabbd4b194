/** What its producer says of it beyond its fields. */
import type { Reply } from '../../api.ts'
import { ago, timeText } from '../../day.ts'
import { ReportPanel } from '../../part/report-panel.tsx'
import { Empty } from '../../part/report-content.tsx'
import { Table } from '../../part/table.tsx'
import { useReport } from '../../report.ts'
import type { ResourceDetail } from './resource.ts'

type Specs = Reply<'GET /resources/:resourceID/specs'>
type Row = [name: string, value: unknown]

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const columns = [
  { key: 'name', title: 'Name', by: ([name]: Row) => name, show: ([name]: Row) => <code>{name}</code> },
  {
    key: 'value',
    title: 'Value',
    show: ([, value]: Row) => (
      <span class="clip wide" dir="auto" title={textOf(value)}>
        {textOf(value)}
      </span>
    ),
  },
]

export function Specs({ resource }: { resource: ResourceDetail }) {
  const report = useReport('GET /resources/:resourceID/specs', {
    params: { resourceID: resource.id },
    on: ['inventory.'],
  })
  const at = report.data?.observedAt
  return (
    <ReportPanel
      title="Specifications"
      about={at && <span title={timeText(at)}>observed {ago(at)}</span>}
      report={report}
      rows={3}
    >
      {({ specs }: Specs) => {
        const rows = Object.entries(specs).toSorted(([a], [b]) => (a < b ? -1 : 1))
        return rows.length === 0 ? (
          <Empty title="Its producer reports no further details.">
            <p>Discovery adds details from the cloud.</p>
          </Empty>
        ) : (
          <Table caption="Specifications" columns={columns} rows={rows} keyOf={([name]: Row) => name} />
        )
      }}
    </ReportPanel>
  )
}
