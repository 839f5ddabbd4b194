/** Views that are saved: to be renamed, shared, deleted, and mailed. */
import { go, hrefOf, param } from '../../router.ts'
import { Copies } from '../../part/copy.tsx'
import { Panel } from '../../part/panel.tsx'
import { useSaved, type SavedViews } from '../../part/saved-views.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { Edit } from './edit.tsx'
import { List } from './list.tsx'
import { Mailing } from './mailing.tsx'

export function View() {
  const report = useSaved()
  const opened = report.data?.find(({ id }) => id === param('saved'))
  const isEdited = opened?.mayChange === true && param('edit') !== undefined
  const close = () => go('saved', isEdited ? { saved: opened.id } : {})
  return (
    <>
      <div class="view-head">
        <h1>Saved views</h1>
        <span class="tools">
          <Copies report={report} />
        </span>
      </div>
      {isEdited && <Edit key={opened.id} saved={opened} onClose={close} />}
      {opened && !isEdited && <Mailing key={opened.id} of={{ ...opened, kind: 'view' }} />}
      {report.data && !opened && param('saved') !== undefined && (
        <Panel title="Not found">
          <Empty title="This saved view does not exist.">
            <p>
              It may have been deleted, or belong to someone else or to another organization.{' '}
              <a href={hrefOf('saved')}>All saved views</a>
            </p>
          </Empty>
        </Panel>
      )}
      <Panel title="Views">
        <ReportContent report={report} rows={4}>
          {(data: SavedViews) =>
            data.length === 0 ? (
              <Empty title="No saved views yet.">
                <p>
                  Open a view you use often and click <strong>Save view</strong> at the top. It then appears in the menu
                  and can be emailed weekly or monthly.
                </p>
              </Empty>
            ) : (
              <List saved={data} />
            )
          }
        </ReportContent>
      </Panel>
    </>
  )
}
