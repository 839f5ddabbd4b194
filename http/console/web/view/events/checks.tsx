/** Whether a plan could be carried out now, and what its targets would become: it asks clouds, so at a press. */
import type { Reply } from '../../api.ts'
import { timeText } from '../../day.ts'
import { useRequest } from '../../report.ts'
import { Panel } from '../../part/panel.tsx'
import { ProblemMessage } from '../../part/report-content.tsx'
import { Clip } from '../../part/clip.tsx'
import type { Column } from '../../part/list/column.tsx'
import { Table } from '../../part/table.tsx'
import type { ReadinessPlan } from './labels.ts'

type Check = Reply<'GET /event-readiness/:eventID/readiness-check'>['checks'][number]
export type Preview = Reply<'POST /event-readiness/preview-readiness'>

const looks = { pass: 'good', warn: 'warning', fail: 'failed' } as const
const titles = { capacity: 'Capacity', credentials: 'Credentials', executor_queue: 'Waiting calls' } as const

export function Checks({ plan, names }: { plan: ReadinessPlan; names: ReadonlyMap<string, string> }) {
  const checking = useRequest('GET /event-readiness/:eventID/readiness-check')
  const previewing = useRequest('POST /event-readiness/preview-readiness')
  const { eventStart, eventEnd, expectedMultiplier, preScaleMinutes, postEventMinutes, targets } = plan
  const body = {
    eventStart,
    eventEnd,
    expectedMultiplier,
    preScaleMinutes,
    postEventMinutes,
    targets: targets.map(({ policyId }) => ({ policyId })),
  }
  const look = () => {
    void checking.run({ params: { eventID: plan.id } })
    void previewing.run({ body })
  }
  const isBusy = checking.isBusy || previewing.isBusy
  return (
    <Panel title="Readiness check">
      <p class="bar">
        <button type="button" disabled={isBusy} onClick={look}>
          {isBusy ? 'Checking…' : 'Check now'}
        </button>{' '}
        <span class="faint">Queries the cloud of each target. Nothing is changed.</span>
      </p>
      {checking.problem && <ProblemMessage problem={checking.problem} />}
      {checking.done && (
        <>
          <p role="status">
            <span class={`badge ${checking.done.ready ? 'good' : 'failed'}`}>
              {checking.done.ready ? 'ready' : 'not ready'}
            </span>
          </p>
          <Table
            caption="Checks"
            columns={columnsOf(names)}
            rows={checking.done.checks}
            keyOf={(_: Check, at: number) => String(at)}
          />
        </>
      )}
      {previewing.problem && <ProblemMessage problem={previewing.problem} />}
      {previewing.done && (
        <PlannedScaleUp
          preview={plan.status === 'draft' ? previewing.done : { ...previewing.done, warnings: [] }}
          names={names}
        />
      )}
    </Panel>
  )
}

const columnsOf = (names: ReadonlyMap<string, string>): Column<Check>[] => [
  {
    title: 'Check',
    show: ({ name }) => titles[name],
    sub: ({ policyId }) => policyId && <Clip text={names.get(policyId) ?? policyId} size="wide" />,
  },
  { title: 'Status', text: ({ status }) => status, badge: ({ status }) => looks[status] },
  { title: 'Details', isLong: true, show: ({ message }) => message },
]

type Target = Preview['targets'][number]

/** What each target would become. */
export function PlannedScaleUp({ preview, names }: { preview: Preview; names: ReadonlyMap<string, string> }) {
  const columns: Column<Target>[] = [
    { title: 'Policy', text: ({ policyId }) => names.get(policyId) ?? policyId },
    {
      title: 'Current units',
      count: ({ currentDesired }) => currentDesired,
      sub: ({ currentMin, currentMax }) => `within ${currentMin} to ${currentMax}`,
    },
    {
      title: 'During the event',
      count: ({ scaledDesired }) => scaledDesired,
      show: ({ scaledDesired }) => <strong>{scaledDesired}</strong>,
      sub: ({ scaledMin, scaledMax, isEstimated }) =>
        `within ${scaledMin} to ${scaledMax}${isEstimated ? '; no CPU was measured, 50% is assumed' : ''}`,
    },
  ]
  return (
    <>
      <h3>Planned scale-up</h3>
      <p>
        Scaled up at {timeText(preview.scaleUpAt)}, restored at {timeText(preview.rollbackAt)}.
      </p>
      <Table
        caption="Planned scale-up"
        columns={columns}
        rows={preview.targets}
        keyOf={({ policyId }: Target) => policyId}
      />
      {preview.warnings.length > 0 && (
        <ul class="note">
          {preview.warnings.map((one, at) => (
            <li key={at}>{one}</li>
          ))}
        </ul>
      )}
    </>
  )
}
