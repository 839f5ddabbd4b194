/** Makes an override: brings something into a state at once and keeps schedules off it. */
import { useState } from 'preact/hooks'
import { html } from '../../html.ts'
import type { Reply } from '../../api.ts'
import { param } from '../../place.ts'
import { useDoing, useReport } from '../../report.ts'
import { momentOf, ownZone, wallOf, zonedText } from '../../zone.ts'
import { Act } from '../../part/act.ts'
import { CostOf } from '../../part/cost-of.ts'
import { ChoiceField, Refused, TextField } from '../../part/form.ts'
import { Panel } from '../../part/panel.ts'
import { PickResource, type Resource } from '../../part/pick-resource.ts'
import { Asked } from '../../part/sure.ts'

type Group = Reply<'GET /resource-groups'>['items'][number]

const fields = ['/scopeType', '/scopeID', '/desiredState', '/expiresAt', '/reason']
const kinds = [
  { value: 'resource', title: 'a resource' },
  { value: 'resource_group', title: 'a resource group' },
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
  const doing = useDoing('POST /overrides')
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
  const named = groups.data?.items.find((one: Group) => one.id === draft.scopeID)?.name ?? draft.scopeID
  const groupOptions = [
    { value: '', title: 'Choose one' },
    ...(groups.data?.items ?? []).map(({ id, name }: Group) => ({ value: id, title: name })),
  ]
  return html`<${Panel} title="New override">
    <form class="form" onSubmit=${submit} noValidate>
      <${ChoiceField} label="Of" value=${draft.scopeType} options=${kinds} onValue=${(scopeType: string) => set({ scopeType, scopeID: '' })} />
      ${draft.scopeType === 'resource' ? html`<${PickResource} label="Resource" chosen=${draft.scopeID === '' ? [] : [draft.scopeID]} schedulable onPick=${(_: Resource | undefined, uid: string) => set({ scopeID: uid })} onRemove=${() => set({ scopeID: '' })} /><${Wrong} problem=${problem} />` : html`<${ChoiceField} label="Group" value=${draft.scopeID} options=${groupOptions} onValue=${(scopeID: string) => set({ scopeID })} at="/scopeID" problem=${problem} />`}
      <${ChoiceField} label="Is kept" value=${draft.desiredState} options=${states} onValue=${(desiredState: string) => set({ desiredState })} at="/desiredState" problem=${problem} />
      <${TextField} label=${`Until, on the clock of ${zone}`} type="datetime-local" value=${draft.until} onValue=${(text: string) => set({ until: text })} at="/expiresAt" problem=${problem} hint="30 days at most" required />
      <${TextField} label="Why" value=${draft.reason} onValue=${(text: string) => set({ reason: text })} at="/reason" problem=${problem} maxLength=${500} hint="shown to whoever wonders" />
      <${Refused} problem=${problem} fields=${fields} />
      <p class="bar"><${Act} type="submit" needs="service.create" class="main" disabled=${draft.scopeID === ''}>Make the override …<//> <button type="button" onClick=${onClose}>Cancel</button></p>
    </form>
    ${
      isAsked &&
      html`<${Asked} operation="POST /overrides" body=${body} doing=${doing} title="Make this override?" action=${draft.desiredState === 'running' ? 'Start it and keep it running' : 'Stop it and keep it stopped'} closesOnProblem onDone=${onDone} onClose=${() => setAsked(false)}>
      <p><strong dir="auto">${named}</strong> is ${draft.desiredState === 'running' ? 'started' : 'stopped'} at once, if it is not ${draft.desiredState} already, and schedules are kept off it until ${Number.isNaN(Date.parse(expiresAt)) ? expiresAt : zonedText(expiresAt, zone)}. Then it does what its schedules demand at that moment.</p>
      <p>${draft.desiredState === 'running' ? 'While it runs it costs what it usually does by the hour.' : 'While it is stopped it is not there for whoever uses it.'} The override can be ended at any time; a start or stop that has happened stays.</p>
      <${CostOf} uids=${draft.scopeType === 'resource' && draft.scopeID !== '' ? [draft.scopeID] : []} label="It" /><//>`
    }
  <//>`
}

function Wrong({ problem }: { problem: ReturnType<typeof useDoing>['problem'] }) {
  const found = problem?.errors.find(({ name }) => name === '/scopeID')
  return found ? html`<span class="wrong" role="alert">It ${found.message}.</span>` : null
}
