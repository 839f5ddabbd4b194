/** Keeping it in a state until a time, whatever schedules say. */
import { useState } from 'preact/hooks'
import type { Reply } from '../../api.ts'
import { curlOf } from '../../address.ts'
import { timeText } from '../../day.ts'
import { refetchAll } from '../../refetch.ts'
import { Act } from '../../part/act.tsx'
import { Confirm } from '../../part/confirm.tsx'
import { Copy } from '../../part/copy.tsx'
import { useEvery, useMoments } from '../../part/polling.ts'
import { ChoiceField, FormProblem, TextField } from '../../part/form.tsx'
import { priceText } from '../../part/price.ts'
import { ReportContent } from '../../part/report-content.tsx'
import { useRequest, useReport } from '../../report.ts'
import { may } from '../../session.ts'
import type { ResourceDetail } from './resource.ts'

type OverrideList = Reply<'GET /overrides'>
type Override = OverrideList[number]

interface OverridesProps {
  resource: ResourceDetail
  canAct: boolean
  /** US dollars an hour; null where nobody told it. */
  rate: number | null
}

export function Overrides({ resource, canAct, rate }: OverridesProps) {
  const query = { scope_type: 'resource', scope_id: resource.uid, active: true, limit: 20 }
  const report = useReport('GET /overrides', { query, on: ['inventory.'], when: may('service.view') })
  // Nothing tells of their end. What they have held is in the state that schedules demand then.
  useMoments(
    (report.data ?? []).map(({ expiresAt }) => expiresAt),
    refetchAll,
  )
  useEvery(20, (report.data ?? []).length > 0, report.again)
  const [isOpen, setOpen] = useState(false)
  const [ending, setEnding] = useState<Override | undefined>()
  const close = () => {
    setOpen(false)
    setEnding(undefined)
  }
  const done = () => {
    close()
    report.again()
  }
  if (!may('service.view') || (!canAct && (report.data ?? []).length === 0)) return null
  return (
    <>
      <h3>Overrides</h3>
      <ReportContent report={report} rows={1}>
        {(held: OverrideList) =>
          held.length === 0 ? (
            <p class="faint">None: schedules apply.</p>
          ) : (
            <ul class="list">
              {held.map((one) => (
                <OverrideItem key={one.id} one={one} onEnd={() => setEnding(one)} />
              ))}
            </ul>
          )
        }
      </ReportContent>
      {canAct && !isOpen && (
        <p>
          <Act needs="service.create" onClick={() => setOpen(true)}>
            New override…
          </Act>
        </p>
      )}
      {isOpen && <Keep resource={resource} rate={rate} onClose={close} onDone={done} />}
      {ending && <End one={ending} onClose={close} onDone={done} />}
    </>
  )
}

const OverrideItem = ({ one, onEnd }: { one: Override; onEnd: () => void }) => (
  <li>
    <span>
      <strong>{one.desiredState}</strong> until {timeText(one.expiresAt)}
      {one.reason && (
        <span class="sub faint" dir="auto">
          {one.reason}
        </span>
      )}
    </span>
    <span class="end">
      <Act needs="service.delete" isSmall label="End this override" onClick={onEnd}>
        End now…
      </Act>
    </span>
  </li>
)

interface StepProps {
  onClose: () => void
  onDone: () => void
}

function End({ one, onClose, onDone }: StepProps & { one: Override }) {
  const doing = useRequest('DELETE /overrides/:overrideID')
  const params = { overrideID: one.id }
  return (
    <Confirm
      title="End this override now?"
      action="End override"
      doing={doing}
      onConfirm={() => void doing.run({ params }, onDone)}
      onClose={onClose}
    >
      <p>
        The resource changes to the state its schedules require now; without a schedule it stays as it is. This cannot
        be undone, but you can create a new override.
      </p>
      <p>
        <Copy label="Copy as curl" text={curlOf('DELETE /overrides/:overrideID', params)} />
      </p>
    </Confirm>
  )
}

/** In so many hours, unless another time is chosen. */
const hoursUsual = 8
const usualUntil = (): string => new Date(Date.now() + hoursUsual * 3_600_000).toISOString().slice(0, 16)

function Keep({ resource, rate, onClose, onDone }: StepProps & Pick<OverridesProps, 'resource' | 'rate'>) {
  const [state, setState] = useState(resource.status === 'stopped' ? 'stopped' : 'running')
  const [until, setUntil] = useState(usualUntil)
  const [reason, setReason] = useState('')
  const doing = useRequest('POST /overrides')
  const body = {
    scopeType: 'resource',
    scopeID: resource.uid,
    desiredState: state,
    expiresAt: `${until}:00Z`,
    ...(reason.trim() && { reason: reason.trim() }),
  }
  const submit = (event: Event) => {
    event.preventDefault()
    void doing.run({ body }, onDone)
  }
  const states = ['running', 'stopped'].map((value) => ({ value, title: value }))
  const fields = ['/desiredState', '/expiresAt', '/reason']
  return (
    <form class="form" onSubmit={submit} aria-label="New override">
      <p>
        The resource is {state === 'running' ? 'started' : 'stopped'} now if it is not already, and schedules do not
        affect it until the end time. Then they apply again. Manual starts and stops still work. You can end the
        override early.
      </p>
      <p>{priceText(state === 'running' ? 'start' : 'stop', rate)}</p>
      <div class="row">
        <ChoiceField
          label="State"
          value={state}
          onValue={setState}
          options={states}
          at="/desiredState"
          problem={doing.problem}
        />
        <TextField
          label="Until, UTC"
          type="datetime-local"
          required
          value={until}
          onValue={setUntil}
          at="/expiresAt"
          problem={doing.problem}
        />
      </div>
      <TextField
        label="Reason (visible to others)"
        value={reason}
        onValue={setReason}
        maxLength={500}
        at="/reason"
        problem={doing.problem}
      />
      <FormProblem problem={doing.problem} fields={fields} />
      <p class="bar">
        <Act needs="service.create" type="submit" class="main" disabled={doing.isBusy}>
          Keep {state}
        </Act>{' '}
        <button type="button" onClick={onClose}>
          Cancel
        </button>{' '}
        <Copy label="Copy as curl" text={curlOf('POST /overrides', undefined, undefined, body)} />
      </p>
    </form>
  )
}
