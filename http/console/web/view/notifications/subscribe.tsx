/** Has a channel tell of the events of one account, group, resource or team. */
import { useState } from 'preact/hooks'
import { curlOf } from '../../address.ts'
import { param } from '../../router.ts'
import { useRequest } from '../../report.ts'
import { Act } from '../../part/act.tsx'
import { Copy } from '../../part/copy.tsx'
import { ChoiceField, FormProblem, TextField } from '../../part/form.tsx'
import { eventName, type Channel, type EventType, type ScopeNames } from './channels-and-events.ts'

interface SubscribeProps {
  channels: readonly Channel[]
  types: readonly EventType[]
  names: ScopeNames
  onClose: () => void
  onDone: () => void
}

const scopes = [
  { value: 'team', title: 'Team' },
  { value: 'cloud_account', title: 'Account' },
  { value: 'resource_group', title: 'Resource group' },
  { value: 'resource', title: 'Resource' },
]

const fields = ['/channelID', '/eventType', '/scopeType', '/scopeID']

export function Subscribe({ channels, types, names, onClose, onDone }: SubscribeProps) {
  const [draft, setDraft] = useState(() => ({
    channelID: param('channel_id') ?? channels[0]?.id ?? '',
    eventType: param('event_type') ?? 'budget.exceeded',
    scopeType: 'team',
    scopeID: '',
  }))
  const set = (name: keyof typeof draft) => (value: string) => setDraft({ ...draft, [name]: value })
  const setScope = (scopeType: string) => setDraft({ ...draft, scopeType, scopeID: '' })
  const doing = useRequest('POST /notifications/subscriptions')
  const { problem } = doing
  const submit = (event: Event) => {
    event.preventDefault()
    void doing.run({ body: draft }, () => {
      onDone()
      onClose()
    })
  }
  const listed = draft.scopeType === 'resource' ? undefined : names[draft.scopeType as keyof ScopeNames]
  const options = [
    { value: '', title: 'Choose one' },
    ...(listed ?? []).map(({ id, name }) => ({ value: id, title: name })),
  ]
  return (
    <form class="form" onSubmit={submit} noValidate>
      <ChoiceField
        label="Channel"
        value={draft.channelID}
        onValue={set('channelID')}
        options={channels.map(({ id, name }) => ({ value: id, title: name }))}
        at="/channelID"
        problem={problem}
      />
      <ChoiceField
        label="Event"
        value={draft.eventType}
        onValue={set('eventType')}
        options={types.map((one) => ({ value: one.key, title: eventName(one) }))}
        at="/eventType"
        problem={problem}
      />
      <ChoiceField
        label="Scope type"
        value={draft.scopeType}
        onValue={setScope}
        options={scopes}
        at="/scopeType"
        problem={problem}
      />
      {listed ? (
        <ChoiceField
          key={draft.scopeType}
          label="Scope"
          value={draft.scopeID}
          onValue={set('scopeID')}
          options={options}
          at="/scopeID"
          problem={problem}
        />
      ) : (
        <TextField
          label="Resource UID"
          value={draft.scopeID}
          onValue={set('scopeID')}
          at="/scopeID"
          problem={problem}
          isCode
          required
        />
      )}
      <p class="faint">It applies to new events. You can disable or delete it.</p>
      <FormProblem problem={problem} fields={fields} />
      <p class="bar">
        <Act type="submit" needs="service.create" class="main" disabled={doing.isBusy}>
          Subscribe
        </Act>{' '}
        <button type="button" onClick={onClose}>
          Cancel
        </button>{' '}
        <Copy label="Copy as curl" text={curlOf('POST /notifications/subscriptions', {}, {}, draft)} />
      </p>
    </form>
  )
}
