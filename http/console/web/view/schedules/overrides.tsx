/** Exceptions from schedules: what is kept running or stopped until when, and why. */
import type { Reply } from '../../api.ts'
import { ago, timeText } from '../../day.ts'
import { change, hrefOf, param } from '../../router.ts'
import { useReport } from '../../report.ts'
import { may } from '../../session.ts'
import { ownZone, zonedText } from '../../zone.ts'
import { Act } from '../../part/act.tsx'
import { Clip } from '../../part/clip.tsx'
import { useEvery } from '../../part/polling.ts'
import { Next } from '../../part/next-step.tsx'
import { ConfirmButton } from '../../part/confirm-dialog.tsx'
import type { Column } from '../../part/list/column.tsx'
import { ListView } from '../../part/list/list-view.tsx'
import { OverrideForm } from './override-form.tsx'

type Override = Reply<'GET /overrides'>[number]

const pageSize = 20
const filters = [
  {
    name: 'active',
    title: 'Show',
    choices: [
      ['true', 'active'],
      ['false', 'ended'],
    ],
  },
]

export function Overrides() {
  const query = { active: param('active'), page: param('page') ?? 1, limit: pageSize }
  const report = useReport('GET /overrides', { query, on: ['inventory.'] })
  const uids = (report.data ?? []).filter(({ scopeType }) => scopeType === 'resource').map(({ scopeID }) => scopeID)
  const named = useReport('POST /resources/by-uids', {
    body: { uids: [...new Set(uids)].toSorted() },
    when: uids.length > 0 && may('space.view'),
    on: ['inventory.'],
  })
  useEvery(20, report.data?.some(({ status }) => status === 'active') ?? false, report.again)
  const close = () => change({ new: null })
  const done = () => {
    close()
    report.again()
  }
  return (
    <>
      {param('new') === 'override' && <OverrideForm onClose={close} onDone={done} />}
      <ListView
        title="Overrides"
        noun="overrides"
        about="newest first"
        report={report}
        columns={columnsOf(new Map((named.data ?? []).map((one) => [one.uid, one.name])), report.again)}
        filters={filters}
        pageSize={pageSize}
        tools={
          <Act needs="service.create" class="main" onClick={() => change({ new: 'override' })}>
            New override
          </Act>
        }
        empty={{
          title: 'No overrides yet.',
          children: (
            <p>
              An override suspends schedules for a resource for a limited time, without editing any rule.{' '}
              <Next needs="service.create" what="Creating one">
                <a href={hrefOf('schedules', { tab: 'overrides', new: 'override' })}>Create one</a>
              </Next>
            </p>
          ),
        }}
      />
    </>
  )
}

const columnsOf = (names: ReadonlyMap<string, string>, again: () => void): Column<Override>[] => [
  {
    title: 'Target',
    text: ({ scopeID }) => names.get(scopeID) || scopeID,
    hint: ({ scopeID }) => scopeID,
    sub: ({ scopeType }) => (scopeType === 'resource' ? 'resource' : 'resource group'),
  },
  {
    title: 'State',
    text: ({ desiredState }) => desiredState,
    sub: ({ reason }) => reason && <Clip text={reason} size="wide" />,
  },
  {
    key: 'until',
    title: `Until (${ownZone()})`,
    by: ({ expiresAt }) => expiresAt,
    csv: ({ expiresAt }) => expiresAt,
    show: ({ expiresAt }) => <span title={timeText(expiresAt)}>{zonedText(expiresAt, ownZone())}</span>,
    sub: ({ endedAt }) => endedAt && `ended ${ago(endedAt)}`,
  },
  { title: 'Status', text: ({ status }) => status, badge: ({ status }) => (status === 'active' ? 'warning' : '') },
  { title: 'Created', ago: ({ createdAt }) => createdAt },
  {
    title: 'Actions',
    isAction: true,
    show: (one) =>
      one.status === 'active' && <End override={one} name={names.get(one.scopeID) || one.scopeID} onDone={again} />,
  },
]

interface EndProps {
  override: Override
  name: string
  onDone: () => void
}

const End = ({ override: { id, desiredState }, name, onDone }: EndProps) => (
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
