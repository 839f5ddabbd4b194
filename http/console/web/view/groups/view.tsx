/** Resources that are started, stopped, budgeted and monitored together. */
import { Act } from '../../part/act.tsx'
import { Copies } from '../../part/copy.tsx'
import { Next } from '../../part/next-step.tsx'
import { Panel } from '../../part/panel.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { change, hrefOf, param } from '../../router.ts'
import { useReport } from '../../report.ts'
import { Detail } from './detail.tsx'
import type { GroupPage } from './group-row.ts'
import { GroupForm } from './group-form.tsx'
import { GroupList } from './list.tsx'

export function View() {
  const report = useReport('GET /resource-groups', {
    query: { search: param('search'), page: param('page'), limit: 50 },
  })
  const [isNew, opened] = [param('new') === 'group', param('group')]
  const close = () => change({ new: null, group: null })
  const done = ({ id }: { id: string }) => {
    report.again()
    change({ new: null, group: id })
  }
  return (
    <>
      <div class="view-head">
        <h1>Resource groups</h1>
        <span class="tools">
          {!isNew && (
            <Act needs="service.create" class="main" onClick={() => change({ new: 'group', group: null })}>
              New group
            </Act>
          )}
          <Copies report={report} />
        </span>
      </div>
      {isNew && <GroupForm onClose={close} onDone={done} />}
      {opened !== undefined && !isNew && <Detail key={opened} id={opened} onClose={close} onChanged={report.again} />}
      <Panel title="Groups">
        <ReportContent report={report} rows={5}>
          {(data: GroupPage) =>
            data.total === 0 ? <None isFiltered={param('search') !== undefined} /> : <GroupList data={data} />
          }
        </ReportContent>
      </Panel>
    </>
  )
}

const None = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="No groups match.">
      <p>
        <a href={hrefOf('groups')}>Show all groups</a>
      </p>
    </Empty>
  ) : (
    <Empty title="No resource groups yet.">
      <p>
        A group has a budget and a schedule of its own, and starts in the order that you choose.{' '}
        <Next needs="service.create" what="Creating a group">
          <a href={hrefOf('groups', { new: 'group' })}>Create the first group</a>
        </Next>
      </p>
    </Empty>
  )
