/** All schedules by name, when each runs next, and what it is about. */
import { go, hrefOf, param } from '../../router.ts'
import { useReport } from '../../report.ts'
import { zonedText } from '../../zone.ts'
import { Act } from '../../part/act.tsx'
import { Clip } from '../../part/clip.tsx'
import type { Column } from '../../part/list/column.tsx'
import { ListView } from '../../part/list/list-view.tsx'
import { Next } from '../../part/next-step.tsx'
import { rulesText } from './week.ts'
import { whatText, type Schedule } from './labels.ts'

const pageSize = 20

const filters = [
  { name: 'search', title: 'Search' },
  {
    name: 'enabled',
    title: 'Status',
    choices: [
      ['true', 'enabled'],
      ['false', 'paused'],
    ],
  },
]

export function List() {
  const query = { search: param('search'), enabled: param('enabled'), page: param('page') ?? 1, limit: pageSize }
  const report = useReport('GET /schedules', { query })
  return (
    <ListView
      title="Schedules"
      noun="schedules"
      report={report}
      columns={columns}
      filters={filters}
      pageSize={pageSize}
      tools={
        <Act needs="service.create" class="main" onClick={() => go('schedules', { new: 'schedule' })}>
          New schedule
        </Act>
      }
      empty={{
        title: 'No schedules yet.',
        children: (
          <p>
            A schedule stops resources that no one uses, for example at night.{' '}
            <Next needs="service.create" what="Creating one">
              <a href={hrefOf('schedules', { new: 'schedule' })}>Create the first one</a>. You can preview its runs
              before saving.
            </Next>
          </p>
        ),
      }}
    />
  )
}

const columns: Column<Schedule>[] = [
  {
    title: 'Schedule',
    text: ({ name }) => name,
    show: ({ id, name, enabled }) => (
      <>
        <Clip text={name} size="wide" href={hrefOf('schedules', { schedule: id })} />
        {!enabled && <span class="badge warning">paused</span>}
      </>
    ),
  },
  {
    title: 'Rules',
    isLong: true,
    csv: ({ rules }) => rulesText(rules).join('; '),
    show: ({ rules }) => <Rules rules={rules} />,
  },
  {
    title: 'Next run',
    by: ({ nextRunAt }) => nextRunAt ?? '9999',
    csv: ({ nextRunAt }) => nextRunAt,
    show: ({ nextRunAt, timezone }) =>
      nextRunAt === null ? <span class="faint">never</span> : zonedText(nextRunAt, timezone),
    sub: ({ nextRunAt, timezone }) => nextRunAt && timezone,
  },
  { title: 'Targets', show: whatText },
  { title: 'Last run', ago: ({ lastRunAt }) => lastRunAt, none: 'not yet' },
]

const shownMax = 4

function Rules({ rules }: Pick<Schedule, 'rules'>) {
  const texts = rulesText(rules)
  return (
    <>
      {texts.slice(0, shownMax).map((text) => (
        <span class="sub" key={text}>
          {text}
        </span>
      ))}
      {texts.length > shownMax && <span class="sub faint">and {texts.length - shownMax} more</span>}
    </>
  )
}
