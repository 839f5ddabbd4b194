/** Uploads of the last 30 days, and the one that is opened: what it would replace, and applying or discarding it. */
import type { Reply } from '../../api.ts'
import { ago, timeText } from '../../day.ts'
import { count, pluralize } from '../../figure.ts'
import { Copies } from '../../part/copy.tsx'
import { Next } from '../../part/next-step.tsx'
import { Panel } from '../../part/panel.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { Pages, Table } from '../../part/table.tsx'
import { change, hrefOf, param, withParams } from '../../router.ts'
import { useReport } from '../../report.ts'
import { OneUpload } from './one-upload.tsx'
import { states } from './upload-state.ts'

type Uploads = Reply<'GET /billing/uploads'>
type Upload = Uploads['items'][number]

const pageSize = 20

export function Uploads() {
  const page = Number(param('page') ?? 1)
  const report = useReport('GET /billing/uploads', { query: { page, limit: pageSize }, on: ['bill.', 'costs.changed'] })
  const opened = param('upload')
  return (
    <>
      {opened && <OneUpload key={opened} id={opened} />}
      <Panel title="Uploads in the last 30 days" tools={<Copies report={report} />}>
        <ReportContent report={report} rows={4}>
          {(data: Uploads) =>
            data.total === 0 ? (
              <Empty title="No bills uploaded yet.">
                <p>
                  <Next needs="space.update" what="Uploading one">
                    Choose its files above. You can preview what it would replace before anything changes.
                  </Next>
                </p>
              </Empty>
            ) : (
              <>
                <Table caption="Uploads" columns={columns} rows={data.items} keyOf={({ id }: Upload) => id} />
                <Pages page={page} limit={pageSize} total={data.total} onPage={(to: number) => change({ page: to })} />
              </>
            )
          }
        </ReportContent>
      </Panel>
    </>
  )
}

const nameOf = (one: Upload): string =>
  one.files.map(({ name }) => name).join(', ') || (one.state === 'reading' ? 'receiving files' : 'no files received')

const columns = [
  {
    key: 'files',
    title: 'Files',
    show: (one: Upload) => (
      <>
        <a class="clip wide" dir="auto" title={nameOf(one)} href={hrefOf('sources', withParams({ upload: one.id }))}>
          {nameOf(one)}
        </a>
        <span class="sub faint clip wide" dir="auto" title={one.cloudAccountID}>
          {one.cloudAccountID}
        </span>
      </>
    ),
  },
  {
    key: 'state',
    title: 'Status',
    show: ({ state }: Upload) => <span class={`badge ${states[state].look}`}>{states[state].text}</span>,
  },
  { key: 'rows', title: 'Rows', isFigure: true, show: ({ rows }: Upload) => count(rows) },
  { key: 'refused', title: 'Rejected', isFigure: true, show: ({ refusedRows }: Upload) => count(refusedRows) },
  {
    key: 'periods',
    title: 'Billing periods',
    show: ({ periods }: Upload) => periods.map(({ period }) => period).join(', ') || pluralize(0, 'period'),
  },
  {
    key: 'at',
    title: 'Uploaded',
    show: ({ createdAt }: Upload) => (
      <span class="nowrap" title={timeText(createdAt)}>
        {ago(createdAt)}
      </span>
    ),
  },
]
