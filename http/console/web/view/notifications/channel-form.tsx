/** Makes or changes a channel. Its address is a secret: it is never shown again, and stays where it is left empty. */
import { curlOf } from '../../address.ts'
import { ask } from '../../api.ts'
import { diffFields, useEditing } from '../../editing.ts'
import { useRequest } from '../../report.ts'
import type { Problem } from '../../problem.ts'
import { Act } from '../../part/act.tsx'
import { Copy } from '../../part/copy.tsx'
import { CheckField, ChoiceField, FormProblem, TextField } from '../../part/form.tsx'
import { ConcurrentEdits } from '../../part/concurrent-edits.tsx'
import { Panel } from '../../part/panel.tsx'
import { addressShown, typeTitles, type Channel } from './channels-and-events.ts'

interface ChannelFormProps {
  /** Undefined: one is made. */
  channel: Channel | undefined
  onClose: () => void
  onDone: () => void
}

const zoneHere = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

const unwritten = () => ({
  type: 'slack' as string,
  name: '',
  address: '',
  digest: '' as string,
  timezone: zoneHere(),
  quietZone: zoneHere(),
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
    ...(address !== '' && (type === 'email' ? { email: address } : { webhookURL: address })),
    ...(digest !== '' && { digest }),
    ...(digest !== '' && { timezone }),
    ...(isQuiet && { quietHours: { timezone: quietZone, from, to } }),
    ...(fold && { fold }),
  }
}

const startDraft = (channel: Channel | undefined): Draft => (channel ? draftOf(channel) : unwritten())

/** Of one that there is: what differs from `base`. */
function bodyOf(draft: Draft, base: Draft | undefined): object {
  const whole = (of: Draft) => ({ name: of.name, config: configOf(of) })
  return base ? diffFields(whole(base), whole(draft)) : { type: draft.type, ...whole(draft) }
}

const labels = {
  timezone: 'Time zone of the digest',
  quietZone: 'Time zone of the quiet hours',
  isQuiet: 'Quiet hours',
  from: 'Quiet from',
  to: 'Quiet to',
  fold: 'Group anomalies of one day',
}
const fields = ['/type', '/name', '/config']

export function ChannelForm({ channel, onClose, onDone }: ChannelFormProps) {
  const look = async () => (await ask('GET /notifications/channels')).data.find(({ id }) => id === channel!.id)
  const editing = useEditing({ thing: channel, begun: startDraft, look })
  const { draft, set, before, settle } = editing
  const making = useRequest('POST /notifications/channels')
  const changing = useRequest('PUT /notifications/channels/:channelID')
  const doing = channel ? changing : making
  const { problem } = doing
  const { type, name } = draft
  const params = { channelID: channel?.id ?? '' }
  const body = bodyOf(draft, before)
  const isSame = Object.keys(body).length === 0
  const submit = (event: Event) => {
    event.preventDefault()
    if (!channel) return void making.run({ body }, onDone)
    void settle(() => void changing.run({ params, body }, onDone))
  }
  return (
    <Panel title={channel ? 'Edit channel' : 'New channel'}>
      <form class="form" onSubmit={submit} noValidate>
        {!channel && (
          <ChoiceField
            label="Type"
            value={type}
            onValue={(value: string) => set({ type: value })}
            options={Object.entries(typeTitles).map(([value, title]) => ({ value, title }))}
            at="/type"
            problem={problem}
          />
        )}
        <TextField
          label="Name"
          value={name}
          onValue={(value: string) => set({ name: value })}
          at="/name"
          problem={problem}
          required
        />
        <Address channel={channel} draft={draft} set={set} problem={problem} />
        <Options draft={draft} set={set} problem={problem} />
        <p class="faint">
          {channel
            ? 'Changes apply to new notifications. You can edit it again.'
            : 'Nothing is sent until you subscribe it to an event or send a test.'}
        </p>
        <ConcurrentEdits editing={editing} labels={labels} />
        <FormProblem problem={problem} fields={fields} />
        <p class="bar">
          <Act
            type="submit"
            needs={channel ? 'service.update' : 'service.create'}
            class="main"
            disabled={doing.isBusy || editing.isLooking || isSame}
          >
            {channel ? 'Save' : 'Create channel'}
          </Act>{' '}
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <Copy
            label="Copy as curl"
            text={
              channel
                ? curlOf('PUT /notifications/channels/:channelID', params, {}, body)
                : curlOf('POST /notifications/channels', {}, {}, body)
            }
          />
        </p>
      </form>
    </Panel>
  )
}

interface PartProps {
  draft: Draft
  set: (changes: Partial<Draft>) => void
  problem: Problem | undefined
}

function Address({ channel, draft: { type, address }, set, problem }: PartProps & { channel: Channel | undefined }) {
  const kept = channel && `Leave empty to keep ${addressShown(channel.config)}.`
  const onValue = (value: string) => set({ address: value.trim() })
  return type === 'email' ? (
    <TextField
      label="Email address"
      type="email"
      value={address}
      onValue={onValue}
      at="/config/email"
      problem={problem}
      hint={kept}
      required={!channel}
    />
  ) : (
    <TextField
      label="Webhook URL"
      type="password"
      value={address}
      onValue={onValue}
      at="/config/webhookURL"
      problem={problem}
      autoComplete="off"
      hint={`HTTPS only. Anyone who has the URL can post to it, so it is stored encrypted and not shown again. ${kept ?? ''}`}
      isCode
      required={!channel}
    />
  )
}

const digests = [
  { value: '', title: 'Immediately' },
  { value: 'hourly', title: 'Hourly digest' },
  { value: 'daily', title: 'Daily digest at 9:00' },
]

function Options({ draft: { digest, timezone, isQuiet, quietZone, from, to, fold }, set, problem }: PartProps) {
  return (
    <>
      <ChoiceField
        label="Delivery"
        value={digest}
        onValue={(value: string) => set({ digest: value })}
        options={digests}
        hint="Urgent notifications are always sent immediately."
        at="/config/digest"
        problem={problem}
      />
      {digest === 'daily' && (
        <Zone
          label="Time zone of the digest"
          value={timezone}
          onValue={(value: string) => set({ timezone: value })}
          at="/config/timezone"
          problem={problem}
        />
      )}
      <CheckField label="Quiet hours" isOn={isQuiet} onValue={(isOn: boolean) => set({ isQuiet: isOn })} />
      {isQuiet && (
        <div class="row">
          <TextField
            label="From"
            type="time"
            value={from}
            onValue={(value: string) => set({ from: value })}
            at="/config/quietHours/from"
            problem={problem}
          />
          <TextField
            label="To"
            type="time"
            value={to}
            onValue={(value: string) => set({ to: value })}
            at="/config/quietHours/to"
            problem={problem}
          />
          <Zone
            label="Time zone"
            value={quietZone}
            onValue={(value: string) => set({ quietZone: value })}
            at="/config/quietHours/timezone"
            problem={problem}
          />
        </div>
      )}
      <CheckField
        label="Group anomalies of one day with the same cause in one message"
        isOn={fold}
        onValue={(isOn: boolean) => set({ fold: isOn })}
      />
    </>
  )
}

const Zone = (field: {
  label: string
  value: string
  onValue: (value: string) => void
  at: string
  problem: Problem | undefined
}) => <TextField {...field} offered={zones()} isCode />

const zones = (): readonly string[] => ['UTC', ...Intl.supportedValuesOf('timeZone')]
