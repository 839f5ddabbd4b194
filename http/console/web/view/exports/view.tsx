/** Exports that are written to the organization's own object stores at fixed times. */
import { monthText } from '../../day.ts'
import { count as countText } from '../../figure.ts'
import { go, hrefOf, param } from '../../router.ts'
import { useReport } from '../../report.ts'
import { Act } from '../../part/act.tsx'
import { ConfirmButton } from '../../part/confirm-dialog.tsx'
import { Head } from '../../part/head.tsx'
import type { Column } from '../../part/list/column.tsx'
import { ListView } from '../../part/list/list-view.tsx'
import { Next } from '../../part/next-step.tsx'
import { useEvery } from '../../part/polling.ts'
import { toast } from '../../part/toast.tsx'
import { ExportForm } from './form.tsx'
import { runBadges, runStatusText, timesText, type ExportSchedule } from './labels.ts'
import { Runs } from './runs.tsx'

export function View() {
  const report = useReport('GET /export-schedules', { query: { limit: 100 } })
  useEvery(3, report.data?.items.some(({ lastRun }) => lastRun?.status === 'running') ?? false, report.again)
  const [isNew, editing, opened] = [param('new') !== undefined, param('edit'), param('export')]
  const find = (id: string | undefined) => report.data?.items.find((one) => one.id === id)
  const [edited, shown] = [find(editing), find(opened)]
  const done = () => {
    report.again()
    go('exports')
  }
  const isForm = isNew || edited !== undefined
  return (
    <>
      <Head title="Scheduled exports">
        {!isForm && (
          <Act needs="admin" class="main" onClick={() => go('exports', { new: 'export' })}>
            New export
          </Act>
        )}
      </Head>
      {isForm && <ExportForm key={edited?.id ?? 'new'} schedule={edited} onClose={() => go('exports')} onDone={done} />}
      <ListView
        title="Exports"
        noun="exports"
        report={report}
        columns={columnsOf(report.again)}
        empty={{
          title: 'No scheduled exports yet.',
          children: (
            <p>
              A scheduled export writes all bill lines to a bucket of yours, as FOCUS in Parquet or CSV.{' '}
              {!isForm && (
                <Next needs="admin" what="Creating an export">
                  <a href={hrefOf('exports', { new: 'export' })}>Create the first export</a>
                </Next>
              )}
            </p>
          ),
        }}
      />
      {shown && <Runs key={shown.id} schedule={shown} />}
    </>
  )
}

const columnsOf = (onChanged: () => void): Column<ExportSchedule>[] => [
  {
    title: 'Name',
    text: ({ name }) => name,
    href: ({ id }) => hrefOf('exports', { export: id }),
    sub: ({ location }) => location,
  },
  {
    title: 'Format',
    text: ({ format, version }) => `${format === 'parquet' ? 'Parquet' : 'CSV'}, FOCUS ${version}`,
  },
  { title: 'Times', text: timesText, sub: ({ isOn }) => !isOn && 'off' },
  {
    title: 'Last run',
    text: ({ lastRun }) => lastRun && runStatusText[lastRun.status],
    badge: ({ lastRun }) => runBadges[lastRun?.status ?? 'running'],
    none: 'never',
    hint: ({ lastRun }) => lastRun?.reason,
    sub: ({ lastRun }) => lastRun?.reason,
  },
  { title: 'Ran', ago: ({ lastRun }) => lastRun?.startedAt },
  {
    title: 'Rows',
    count: ({ lastRun }) => lastRun?.months.reduce((sum, { rows }) => sum + rows, 0),
    show: ({ lastRun }) => <>{lastRun ? countText(lastRun.months.reduce((sum, { rows }) => sum + rows, 0)) : '–'}</>,
  },
  { title: 'Actions', isAction: true, show: (one) => <Actions schedule={one} onChanged={onChanged} /> },
]

const Actions = ({
  schedule: { id, name, location },
  onChanged,
}: {
  schedule: ExportSchedule
  onChanged: () => void
}) => (
  <span class="nowrap">
    <ConfirmButton
      operation="POST /export-schedules/:exportScheduleID/run"
      params={{ exportScheduleID: id }}
      body={{}}
      needs="admin"
      class="quiet"
      label="Run now"
      of={name}
      title={`Run ${name} now?`}
      action="Run now"
      onDone={({ omittedMonths }) => {
        toast(
          omittedMonths.length === 0
            ? `${name} is running.`
            : `Another run of ${name} is under way. It does not contain ${omittedMonths.map(monthText).join(', ')}.`,
        )
        onChanged()
      }}
    >
      <p>The current month and the one before are written to {location}, and replace what was written there before.</p>
    </ConfirmButton>{' '}
    <Act needs="admin" isSmall class="quiet" label={`Edit ${name}`} onClick={() => go('exports', { edit: id })}>
      Edit
    </Act>{' '}
    <ConfirmButton
      operation="DELETE /export-schedules/:exportScheduleID"
      params={{ exportScheduleID: id }}
      needs="admin"
      isDanger
      class="quiet"
      label="Delete"
      of={name}
      title={`Delete ${name}?`}
      action="Delete export"
      onDone={onChanged}
    >
      <p>Nothing more is written to {location}. What is there stays.</p>
    </ConfirmButton>
  </span>
)
