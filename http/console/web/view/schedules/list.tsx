/** All schedules by name, when each fires next, and what it is about. */
import { ago } from '../../day.ts'
import { change, go, hrefOf, param } from '../../router.ts'
import { useReport } from '../../report.ts'
import { zonedText } from '../../zone.ts'
import { Act } from '../../part/act.tsx'
import { Copies } from '../../part/copy.tsx'
import { Next } from '../../part/next-step.tsx'
import { Panel } from '../../part/panel.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { Pages, Table } from '../../part/table.tsx'
import { actionText, whatText, type Schedule, type Schedules } from './labels.ts'

const pageSize = 20

export function List() {
  const [page, search, enabled] = [Number(param('page') ?? 1), param('search'), param('enabled')]
  const report = useReport('GET /schedules', { query: { search, enabled, page, limit: pageSize } })
  const isNarrowed = search !== undefined || enabled !== undefined
  const set = (name: string) => (event: Event) =>
    change({ [name]: (event.target as HTMLInputElement).value || null, page: null }, { replace: true })
  return (
    <Panel
      title="Schedules"
      tools={
        <>
          <Act needs="service.create" class="main" onClick={() => go('schedules', { new: 'schedule' })}>
            New schedule
          </Act>
          <Copies report={report} />
        </>
      }
    >
      <p class="bar">
        <label>
          Search <input type="search" data-search value={search ?? ''} onChange={set('search')} />
        </label>
        <label>
          Status{' '}
          <select onChange={set('enabled')}>
            <option value="">all</option>
            <option value="true" selected={enabled === 'true'}>
              enabled
            </option>
            <option value="false" selected={enabled === 'false'}>
              paused
            </option>
          </select>
        </label>
      </p>
      <ReportContent report={report} rows={5}>
        {(data: Schedules) =>
          data.total === 0 ? (
            <Empty title={isNarrowed ? 'No schedules match these filters.' : 'No schedules yet.'}>
              <p>
                {isNarrowed ? (
                  <a href={hrefOf('schedules')}>Show all schedules</a>
                ) : (
                  <>
                    A schedule stops resources that no one uses, for example at night.{' '}
                    <Next needs="service.create" what="Creating one">
                      <a href={hrefOf('schedules', { new: 'schedule' })}>Create the first one</a>. You can preview its
                      runs before saving.
                    </Next>
                  </>
                )}
              </p>
            </Empty>
          ) : (
            <>
              <Table caption="Schedules" columns={columns} rows={data.items} keyOf={({ id }: Schedule) => id} />
              <Pages page={page} limit={pageSize} total={data.total} onPage={(to: number) => change({ page: to })} />
            </>
          )
        }
      </ReportContent>
    </Panel>
  )
}

const columns = [
  {
    key: 'name',
    title: 'Schedule',
    show: ({ id, name, enabled }: Schedule) => (
      <>
        <a class="clip wide" dir="auto" title={name} href={hrefOf('schedules', { schedule: id })}>
          {name}
        </a>
        {!enabled && (
          <>
            {' '}
            <span class="badge warning">paused</span>
          </>
        )}
      </>
    ),
  },
  {
    key: 'rules',
    title: 'Rules',
    show: ({ rules }: Schedule) => (
      <>
        {rules.slice(0, 4).map(({ action, cron }) => (
          <span class="sub" key={`${action} ${cron}`}>
            {actionText[action]} <code>{cron}</code>
          </span>
        ))}
        {rules.length > 4 && <span class="sub faint">and {rules.length - 4} more</span>}
      </>
    ),
  },
  {
    key: 'next',
    title: 'Next run',
    by: ({ nextRunAt }: Schedule) => nextRunAt ?? '9999',
    show: ({ nextRunAt, timezone }: Schedule) =>
      nextRunAt === null ? (
        <span class="faint">never</span>
      ) : (
        <>
          {zonedText(nextRunAt, timezone)}
          <span class="sub faint">{timezone}</span>
        </>
      ),
  },
  { key: 'what', title: 'Targets', show: (one: Schedule) => whatText(one) },
  {
    key: 'last',
    title: 'Last run',
    by: ({ lastRunAt }: Schedule) => lastRunAt ?? '',
    show: ({ lastRunAt, timezone }: Schedule) =>
      lastRunAt === null ? (
        <span class="faint">not yet</span>
      ) : (
        <span title={zonedText(lastRunAt, timezone)}>{ago(lastRunAt)}</span>
      ),
  },
]
