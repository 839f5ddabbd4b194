/** Makes or changes a channel. Its address is a secret: it is never shown again, and stays where it is left empty. */
import { ask } from '../../api.ts'
import { ownZone } from '../../zone.ts'
import { Form } from '../../part/form/form.tsx'
import type { FormField } from '../../part/form/field.tsx'
import { addressShown, typeTitles, type Channel } from './channels-and-events.ts'

interface ChannelFormProps {
  /** Undefined: one is made. */
  channel: Channel | undefined
  onClose: () => void
  onDone: () => void
}

const unwritten = () => ({
  type: 'slack' as string,
  name: '',
  address: '',
  digest: '' as string,
  timezone: ownZone(),
  quietZone: ownZone(),
  isQuiet: false,
  from: '20:00',
  to: '08:00',
  fold: false,
})

/** As a channel is now; its address is not known here. */
function draftOf({ type, name, config: { digest, timezone = 'UTC', quietHours, fold = false } }: Channel): Draft {
  const { timezone: quietZone = timezone, from = '20:00', to = '08:00' } = quietHours ?? {}
  return {
    type,
    name,
    address: '',
    digest: digest ?? '',
    timezone,
    quietZone,
    isQuiet: quietHours !== undefined,
    from,
    to,
    fold,
  }
}

type Draft = ReturnType<typeof unwritten>

function configOf({ type, address, digest, timezone, isQuiet, quietZone, from, to, fold }: Draft) {
  return {
    ...(address.trim() !== '' && (type === 'email' ? { email: address.trim() } : { webhookURL: address.trim() })),
    ...(digest !== '' && { digest }),
    ...(digest !== '' && { timezone }),
    ...(isQuiet && { quietHours: { timezone: quietZone, from, to } }),
    ...(fold && { fold }),
  }
}

const startDraft = (channel: Channel | undefined): Draft => (channel ? draftOf(channel) : unwritten())

const bodyOf = (draft: Draft, isNew: boolean) => ({
  ...(isNew && { type: draft.type }),
  name: draft.name,
  config: configOf(draft),
})

const options = (titles: Readonly<Record<string, string>>) =>
  Object.entries(titles).map(([value, title]) => ({ value, title }))

const digests = options({ '': 'Immediately', hourly: 'Hourly digest', daily: 'Daily digest at 9:00' })

const quiet: FormField<Draft> = {
  row: [
    { name: 'from', label: 'From', kind: 'time', at: '/config/quietHours/from' },
    { name: 'to', label: 'To', kind: 'time', at: '/config/quietHours/to' },
    { name: 'quietZone', label: 'Time zone', kind: 'zone', at: '/config/quietHours/timezone' },
  ],
}

/** What an address looks like: with the key of the integration after #. */
const examples: Readonly<Record<string, string>> = {
  pagerduty: 'https://events.pagerduty.com/v2/enqueue#KEY',
  opsgenie: 'https://api.opsgenie.com/v2/alerts#KEY',
}

function addressField({ type }: Draft, channel: Channel | undefined): FormField<Draft> {
  const kept = channel && `Leave empty to keep ${addressShown(channel.config)}.`
  const shared = { name: 'address', isRequired: !channel } as const
  if (type === 'email') return { ...shared, label: 'Email address', kind: 'email', at: '/config/email', help: kept }
  return {
    ...shared,
    label: 'Webhook URL',
    kind: 'password',
    at: '/config/webhookURL',
    autoComplete: 'off',
    placeholder: examples[type] ?? 'https://…',
    help: `HTTPS only. Anyone who has the URL can post to it, so it is stored encrypted and not shown again. ${kept ?? ''}`,
  }
}

export function ChannelForm({ channel, onClose, onDone }: ChannelFormProps) {
  const fields = (draft: Draft): FormField<Draft>[] => [
    !channel && { name: 'type', label: 'Type', kind: 'choice', options: options(typeTitles) },
    { name: 'name', label: 'Name', isRequired: true },
    addressField(draft, channel),
    {
      name: 'digest',
      label: 'Delivery',
      kind: 'choice',
      options: digests,
      at: '/config/digest',
      help: 'Urgent notifications are always sent immediately.',
    },
    draft.digest === 'daily' && {
      name: 'timezone',
      label: 'Time zone of the digest',
      kind: 'zone',
      at: '/config/timezone',
    },
    { name: 'isQuiet', label: 'Quiet hours', kind: 'check' },
    draft.isQuiet && quiet,
    { name: 'fold', label: 'Group anomalies of one day with the same cause in one message', kind: 'check' },
  ]
  return (
    <Form
      noun="channel"
      thing={channel}
      begun={startDraft}
      look={async () => (await ask('GET /notifications/channels')).data.find(({ id }) => id === channel!.id)}
      fields={fields}
      labels={labels}
      body={bodyOf}
      create="POST /notifications/channels"
      update="PUT /notifications/channels/:channelID"
      params={channel && { channelID: channel.id }}
      note={
        channel
          ? 'Changes apply to new notifications. You can edit it again.'
          : 'Nothing is sent until you subscribe it to an event or send a test.'
      }
      onClose={onClose}
      onDone={onDone}
    />
  )
}

const labels = {
  timezone: 'Time zone of the digest',
  quietZone: 'Time zone of the quiet hours',
  isQuiet: 'Quiet hours',
  from: 'Quiet from',
  to: 'Quiet to',
  fold: 'Group anomalies of one day',
}
