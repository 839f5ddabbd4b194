/** Uploads of the last 30 days, and the one that is opened: what it would replace, and applying or discarding it. */
import type { Reply } from '../../api.ts'
import { pluralize } from '../../figure.ts'
import { Clip } from '../../part/clip.tsx'
import type { Column } from '../../part/list/column.tsx'
import { ListView } from '../../part/list/list-view.tsx'
import { Next } from '../../part/next-step.tsx'
import { hrefOf, param, withParams } from '../../router.ts'
import { useReport } from '../../report.ts'
import { OneUpload } from './one-upload.tsx'
import { states } from './upload-state.ts'

type Upload = Reply<'GET /billing/uploads'>['items'][number]

const pageSize = 20

export function Uploads() {
  const query = { page: param('page') ?? 1, limit: pageSize }
  const report = useReport('GET /billing/uploads', { query, on: ['bill.', 'costs.changed'] })
  const opened = param('upload')
  return (
    <>
      {opened && <OneUpload key={opened} id={opened} />}
      <ListView
        title="Uploads in the last 30 days"
        noun="uploads"
        caption="Uploads"
        report={report}
        columns={columns}
        pageSize={pageSize}
        bones={4}
        empty={{
          title: 'No bills uploaded yet.',
          children: (
            <p>
              <Next needs="space.update" what="Uploading one">
                Choose its files above. You can preview what it would replace before anything changes.
              </Next>
            </p>
          ),
        }}
      />
    </>
  )
}

const nameOf = (one: Upload): string =>
  one.files.map(({ name }) => name).join(', ') || (one.state === 'reading' ? 'receiving files' : 'no files received')

const columns: Column<Upload>[] = [
  {
    title: 'Files',
    text: nameOf,
    href: ({ id }) => hrefOf('sources', withParams({ upload: id })),
    sub: ({ cloudAccountID }) => <Clip text={cloudAccountID} size="wide" />,
  },
  { title: 'Status', text: ({ state }) => states[state].text, badge: ({ state }) => states[state].look },
  { title: 'Rows', count: ({ rows }) => rows },
  { title: 'Rejected', count: ({ refusedRows }) => refusedRows },
  {
    title: 'Billing periods',
    show: ({ periods }) => periods.map(({ period }) => period).join(', ') || pluralize(0, 'period'),
  },
  { title: 'Uploaded', ago: ({ createdAt }) => createdAt },
]
