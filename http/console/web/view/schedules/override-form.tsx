/** Makes an override: brings something into a state at once and keeps schedules off it. */
import { useState } from 'preact/hooks'
import type { Reply } from '../../api.ts'
import { param } from '../../router.ts'
import type { Problem } from '../../problem.ts'
import { useRequest, useReport } from '../../report.ts'
import { may } from '../../session.ts'
import { momentOf, ownZone, wallOf, zonedText } from '../../zone.ts'
import { Act } from '../../part/act.tsx'
import { CostOf } from '../../part/cost-of.tsx'
import { ChoiceField, FormProblem, TextField } from '../../part/form.tsx'
import { Panel } from '../../part/panel.tsx'
import { PickResource, type InventoryResource } from '../../part/pick-resource.tsx'
import { priceText } from '../../part/price.ts'
import { ConfirmDialog } from '../../part/confirm-dialog.tsx'

type Group = Reply<'GET /resource-groups'>['items'][number]

const fields = ['/scopeType', '/scopeID', '/desiredState', '/expiresAt', '/reason']
const kinds = [
  { value: 'resource', title: 'Resource' },
  { value: 'resource_group', title: 'Resource group' },
]
const states = [
  { value: 'running', title: 'running' },
  { value: 'stopped', title: 'stopped' },
]
const hoursFirst = 4

export function OverrideForm({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const zone = ownZone()
  const [draft, setDraft] = useState(() => ({
    scopeType: 'resource',
    scopeID: param('scope_id') ?? '',
    desiredState: 'running',
    until: wallOf(new Date(Date.now() + hoursFirst * 3_600_000).toISOString(), zone),
    reason: '',
  }))
  const [isAsked, setAsked] = useState(false)
  const set = (changes: Partial<typeof draft>) => setDraft({ ...draft, ...changes })
  const doing = useRequest('POST /overrides')
  const groups = useReport('GET /resource-groups', {
    query: { limit: 100 },
    when: draft.scopeType === 'resource_group',
  })
  const { problem } = doing
  const { until, reason, ...rest } = draft
  const expiresAt = momentOf(until, zone) ?? until
  const body = { ...rest, expiresAt, ...(reason.trim() !== '' && { reason: reason.trim() }) }
  const submit = (event: Event) => {
    event.preventDefault()
    setAsked(true)
  }
  const known = groups.data?.items ?? ([] as Group[])
  const named = known.find(({ id }) => id === draft.scopeID)?.name ?? draft.scopeID
  return (
    <Panel title="New override">
      <form class="form" onSubmit={submit} noValidate>
        <ChoiceField
          label="Scope"
          value={draft.scopeType}
          options={kinds}
          onValue={(scopeType: string) => set({ scopeType, scopeID: '' })}
        />
        <What
          scopeType={draft.scopeType}
          scopeID={draft.scopeID}
          groups={known}
          problem={problem}
          onPick={(scopeID: string) => set({ scopeID })}
        />
        <ChoiceField
          label="State"
          value={draft.desiredState}
          options={states}
          onValue={(desiredState: string) => set({ desiredState })}
          at="/desiredState"
          problem={problem}
        />
        <TextField
          label={`Until (time zone ${zone})`}
          type="datetime-local"
          value={draft.until}
          onValue={(text: string) => set({ until: text })}
          at="/expiresAt"
          problem={problem}
          hint="at most 30 days"
          required
        />
        <TextField
          label="Reason"
          value={draft.reason}
          onValue={(text: string) => set({ reason: text })}
          at="/reason"
          problem={problem}
          maxLength={500}
          hint="visible to others"
        />
        <FormProblem problem={problem} fields={fields} />
        <p class="bar">
          <Act type="submit" needs="service.create" class="main" disabled={draft.scopeID === ''}>
            Create override…
          </Act>{' '}
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </p>
      </form>
      {isAsked && (
        <ConfirmDialog
          operation="POST /overrides"
          body={body}
          doing={doing}
          title="Create this override?"
          action={words[draft.desiredState]!.action}
          closesOnProblem
          onDone={onDone}
          onClose={() => setAsked(false)}
        >
          <Happens body={body} named={named} zone={zone} />
        </ConfirmDialog>
      )}
    </Panel>
  )
}

interface WhatProps {
  scopeType: string
  scopeID: string
  groups: readonly Group[]
  problem: Problem | undefined
  onPick: (scopeID: string) => void
}

function What({ scopeType, scopeID, groups, problem, onPick }: WhatProps) {
  if (scopeType === 'resource')
    return (
      <>
        <PickResource
          label="Resource"
          chosen={scopeID === '' ? [] : [scopeID]}
          schedulable
          onPick={(_: InventoryResource | undefined, uid: string) => onPick(uid)}
          onRemove={() => onPick('')}
        />
        <Wrong problem={problem} />
      </>
    )
  const options = [{ value: '', title: 'Choose one' }, ...groups.map(({ id, name }) => ({ value: id, title: name }))]
  return (
    <ChoiceField label="Group" value={scopeID} options={options} onValue={onPick} at="/scopeID" problem={problem} />
  )
}

const words: Readonly<Record<string, { action: string; done: string; costs: string }>> = {
  running: {
    action: 'Start and keep running',
    done: 'started',
    costs: 'While running, it incurs its usual hourly cost.',
  },
  stopped: {
    action: 'Stop and keep stopped',
    done: 'stopped',
    costs: 'While stopped, it is unavailable to users.',
  },
}

/** US dollars an hour, null where nobody told them; undefined while they are not known. */
function useRate(uid: string): number | null | undefined {
  const found = useReport('POST /resources/by-uids', { body: { uids: [uid] }, when: uid !== '' && may('space.view') })
  const resourceID = found.data?.length === 1 ? found.data[0]!.id : ''
  const context = useReport('GET /resources/:resourceID/context', {
    params: { resourceID },
    when: resourceID !== '' && may('service.view'),
  })
  return context.data?.hourlyRateUSD
}

interface HappensProps {
  body: { scopeType: string; scopeID: string; desiredState: string; expiresAt: string }
  named: string
  zone: string
}

function Happens({ body: { scopeType, scopeID, desiredState, expiresAt }, named, zone }: HappensProps) {
  const { done, costs } = words[desiredState]!
  const rate = useRate(scopeType === 'resource' ? scopeID : '')
  const end = Number.isNaN(Date.parse(expiresAt)) ? expiresAt : zonedText(expiresAt, zone)
  return (
    <>
      <p>
        <strong dir="auto">{named}</strong> is {done} now if it is not {desiredState} already, and schedules do not
        affect it until {end}. Then its schedules apply again.
      </p>
      <p>
        {rate === undefined ? costs : priceText(desiredState === 'running' ? 'start' : 'stop', rate)} You can end the
        override at any time; that does not undo a start or stop.
      </p>
      <CostOf uids={scopeType === 'resource' && scopeID !== '' ? [scopeID] : []} label="It" />
    </>
  )
}

function Wrong({ problem }: { problem: Problem | undefined }) {
  const found = problem?.errors.find(({ name }) => name === '/scopeID')
  return found ? (
    <span class="wrong" role="alert">
      It {found.message}.
    </span>
  ) : null
}
