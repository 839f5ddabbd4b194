/** Exceptions from schedules: what is kept running or stopped until when, and why. */
import type { Reply } from '../../api.ts'
import { ago, timeText } from '../../day.ts'
import { change, hrefOf, param } from '../../router.ts'
import { useReport } from '../../report.ts'
import { may } from '../../session.ts'
import { ownZone, zonedText } from '../../zone.ts'
import { Act } from '../../part/act.tsx'
import { Copies } from '../../part/copy.tsx'
import { useEvery } from '../../part/polling.ts'
import { Next } from '../../part/next-step.tsx'
import { Panel } from '../../part/panel.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { ConfirmButton } from '../../part/confirm-dialog.tsx'
import { Pages, Table } from '../../part/table.tsx'
import { OverrideForm } from './override-form.tsx'

type Overrides = Reply<'GET /overrides'>
type Override = Overrides[number]

const pageSize = 20

export function Overrides() {
  const [page, active] = [Number(param('page') ?? 1), param('active')]
  const report = useReport('GET /overrides', { query: { active, page, limit: pageSize }, on: ['inventory.'] })
  const isMaking = param('new') === 'override'
  const uids = (report.data ?? []).filter(({ scopeType }) => scopeType === 'resource').map(({ scopeID }) => scopeID)
  const named = useReport('POST /resources/by-uids', {
    body: { uids: [...new Set(uids)].toSorted() },
    when: uids.length > 0 && may('space.view'),
    on: ['inventory.'],
  })
  useEvery(20, report.data?.some(({ status }) => status === 'active') ?? false, report.again)
  const close = () => change({ new: null })
  return (
    <>
      {isMaking && (
        <OverrideForm
          onClose={close}
          onDone={() => {
            close()
            report.again()
          }}
        />
      )}
      <Panel
        title="Overrides"
        about="newest first"
        tools={
          <>
            <Act needs="service.create" class="main" onClick={() => change({ new: 'override' })}>
              New override
            </Act>
            <Copies report={report} />
          </>
        }
      >
        <p class="bar">
          <label>
            Show{' '}
            <select
              onChange={(event: Event) =>
                change({ active: (event.target as HTMLSelectElement).value || null, page: null })
              }
            >
              <option value="">all</option>
              <option value="true" selected={active === 'true'}>
                active
              </option>
              <option value="false" selected={active === 'false'}>
                ended
              </option>
            </select>
          </label>
        </p>
        <ReportContent report={report} rows={4}>
          {(data: Overrides) =>
            data.length === 0 ? (
              <Empty title={active === undefined ? 'No overrides yet.' : 'No overrides match this filter.'}>
                <p>
                  An override suspends schedules for a resource for a limited time, without editing any rule.{' '}
                  {active === undefined ? (
                    <Next needs="service.create" what="Creating one">
                      <a href={hrefOf('schedules', { tab: 'overrides', new: 'override' })}>Create one</a>
                    </Next>
                  ) : (
                    <a href={hrefOf('schedules', { tab: 'overrides' })}>Show all</a>
                  )}
                </p>
              </Empty>
            ) : (
              <>
                <Table
                  caption="Overrides"
                  columns={columnsOf(new Map((named.data ?? []).map((one) => [one.uid, one.name])), report.again)}
                  rows={data}
                  keyOf={({ id }: Override) => id}
                />
                <Pages
                  page={page}
                  limit={pageSize}
                  total={report.total ?? 0}
                  onPage={(to: number) => change({ page: to })}
                />
              </>
            )
          }
        </ReportContent>
      </Panel>
    </>
  )
}

const columnsOf = (names: ReadonlyMap<string, string>, again: () => void) => [
  {
    key: 'what',
    title: 'Target',
    show: ({ scopeType, scopeID }: Override) => (
      <>
        <span class="clip wide" dir="auto" title={scopeID}>
          {names.get(scopeID) || scopeID}
        </span>
        <span class="sub faint">{scopeType === 'resource' ? 'resource' : 'resource group'}</span>
      </>
    ),
  },
  {
    key: 'kept',
    title: 'State',
    show: ({ desiredState, reason }: Override) => (
      <>
        {desiredState}
        {reason && (
          <span class="sub clip wide" dir="auto" title={reason}>
            {reason}
          </span>
        )}
      </>
    ),
  },
  {
    key: 'until',
    title: `Until (${ownZone()})`,
    by: ({ expiresAt }: Override) => expiresAt,
    show: ({ expiresAt, endedAt }: Override) => (
      <>
        <span title={timeText(expiresAt)}>{zonedText(expiresAt, ownZone())}</span>
        {endedAt && <span class="sub faint">ended {ago(endedAt)}</span>}
      </>
    ),
  },
  {
    key: 'status',
    title: 'Status',
    show: ({ status }: Override) => (
      <span class={`badge ${status === 'active' ? 'warning' : ''}`}>{status === 'active' ? 'active' : status}</span>
    ),
  },
  {
    key: 'made',
    title: 'Created',
    show: ({ createdAt }: Override) => <span title={timeText(createdAt)}>{ago(createdAt)}</span>,
  },
  {
    key: 'do',
    title: 'Actions',
    show: (one: Override) =>
      one.status === 'active' ? <End override={one} name={names.get(one.scopeID) || one.scopeID} onDone={again} /> : '',
  },
]

const End = ({
  override: { id, desiredState },
  name,
  onDone,
}: {
  override: Override
  name: string
  onDone: () => void
}) => (
  <ConfirmButton
    operation="DELETE /overrides/:overrideID"
    params={{ overrideID: id }}
    needs="service.delete"
    isDanger
    label="End"
    of={name}
    title="End this override now?"
    action="End override"
    onDone={onDone}
  >
    <p>
      <strong dir="auto">{name}</strong> is no longer kept {desiredState}: its schedules apply immediately, which may{' '}
      {desiredState === 'running' ? 'stop' : 'start'} it. Without a schedule, it stays as it is. This cannot be undone,
      but you can create another override.
    </p>
  </ConfirmButton>
)
