/** Has a channel tell of the events of one account, group, resource or team. */
import { param } from '../../router.ts'
import { Form } from '../../part/form/form.tsx'
import type { FormField } from '../../part/form/field.tsx'
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

interface Draft {
  channelID: string
  eventType: string
  scopeType: string
  scopeID: string
}

export function Subscribe({ channels, types, names, onClose, onDone }: SubscribeProps) {
  const fields = ({ scopeType }: Draft): FormField<Draft>[] => {
    const listed = scopeType === 'resource' ? undefined : names[scopeType as keyof ScopeNames]
    const options = [
      { value: '', title: 'Choose one' },
      ...(listed ?? []).map(({ id, name }) => ({ value: id, title: name })),
    ]
    return [
      {
        name: 'channelID',
        label: 'Channel',
        kind: 'choice',
        options: channels.map(({ id, name }) => ({ value: id, title: name })),
      },
      {
        name: 'eventType',
        label: 'Event',
        kind: 'choice',
        options: types.map((one) => ({ value: one.key, title: eventName(one) })),
      },
      { name: 'scopeType', label: 'Scope type', kind: 'choice', options: scopes, also: () => ({ scopeID: '' }) },
      listed
        ? { name: 'scopeID', label: 'Scope', kind: 'choice', options }
        : { name: 'scopeID', label: 'Resource UID', kind: 'code', isRequired: true },
    ]
  }
  return (
    <Form
      noun="subscription"
      title={null}
      action="Subscribe"
      begun={(): Draft => ({
        channelID: param('channel_id') ?? channels[0]?.id ?? '',
        eventType: param('event_type') ?? 'budget.exceeded',
        scopeType: 'team',
        scopeID: '',
      })}
      fields={fields}
      create="POST /notifications/subscriptions"
      note="It applies to new events. You can disable or delete it."
      onClose={onClose}
      onDone={() => {
        onDone()
        onClose()
      }}
    />
  )
}
