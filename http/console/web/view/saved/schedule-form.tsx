/** Makes or changes when a saved view or a dashboard is mailed, and to whom. */
import { curlOf } from '../../address.ts'
import { ask } from '../../api.ts'
import { diffFields, useEditing } from '../../editing.ts'
import { useRequest } from '../../report.ts'
import { session } from '../../session.ts'
import { Copy } from '../../part/copy.tsx'
import { CheckField, ChoiceField, FormProblem, TextField } from '../../part/form.tsx'
import { ConcurrentEdits } from '../../part/concurrent-edits.tsx'
import { paramsOf, requestsOf, type MailSubject } from './mail-subject.ts'
import { weekdays, whenText, type Schedule } from './schedule-text.ts'

const fields = ['/every', '/weekday', '/day', '/hour', '/timezone', '/recipients']

const fresh = () => ({
  every: 'week' as 'week' | 'month',
  weekday: 1,
  day: 1,
  hour: 8,
  timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  recipients: session.value!.user.email,
  isOn: true,
})
type Draft = ReturnType<typeof fresh>

function startDraft(schedule: Schedule | undefined): Draft {
  if (!schedule) return fresh()
  const { every, weekday, day, hour, timezone, isOn, recipients } = schedule
  return { every, weekday, day, hour, timezone, isOn, recipients: recipients.map(({ email }) => email).join('\n') }
}

const bodyOf = ({ recipients, weekday, day, every, ...rest }: Draft) => ({
  every,
  ...(every === 'week' ? { weekday } : { day }),
  ...rest,
  recipients: recipients.split(/[\s,;]+/).filter((one) => one !== ''),
})

/** Of one that there is: what differs from `base`. */
const bodyNow = (draft: Draft, base: Draft | undefined): object =>
  base ? diffFields(bodyOf(base), bodyOf(draft)) : bodyOf(draft)

const listNumbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => String(from + at))

export interface ScheduleFormProps {
  of: MailSubject
  /** Undefined: one is made. */
  schedule: Schedule | undefined
  onClose: () => void
  onDone: () => void
}

export function ScheduleForm({ of, schedule, onClose, onDone }: ScheduleFormProps) {
  const { list, make, edit } = requestsOf(of)
  const look = async () =>
    (await ask(list, { params: paramsOf(of) })).data.find(({ id }: Schedule) => id === schedule!.id)
  const editing = useEditing({ thing: schedule, begun: startDraft, look })
  const { draft, set, before, settle } = editing
  const making = useRequest(make)
  const changing = useRequest(edit)
  const { problem, isBusy } = schedule ? changing : making
  const body = bodyNow(draft, before)
  const isSame = Object.keys(body).length === 0
  const params = { ...paramsOf(of), ...(schedule && { scheduleID: schedule.id }) }
  const submit = (event: Event) => {
    event.preventDefault()
    void settle(() => void (schedule ? changing : making).run({ params, body }, onDone))
  }
  return (
    <form class="form" onSubmit={submit} noValidate aria-label={schedule ? 'Edit schedule' : 'New schedule'}>
      <When draft={draft} set={set} problem={problem} />
      <TextField
        label="Recipients, one address per line"
        rows={3}
        isCode
        value={draft.recipients}
        onValue={(recipients: string) => set({ recipients })}
        at="/recipients"
        problem={problem}
        hint={
          session.value!.me.isAdmin
            ? 'Non-members you add here can see these figures too.'
            : 'Addresses of members. Owners and admins can add others.'
        }
      />
      <CheckField label="Enabled" isOn={draft.isOn} onValue={(isOn: boolean) => set({ isOn })} />
      <p class="faint">
        {draft.isOn ? `${whenText(draft)}: one email to each address` : 'Nothing is sent while it is disabled'}, with
        what {!schedule || schedule.isMine ? 'you' : 'its creator'} can see at that moment. You can disable it at any
        time; sent emails cannot be recalled.
      </p>
      <ConcurrentEdits editing={editing} labels={{ isOn: 'Enabled', recipients: 'Recipients' }} />
      <FormProblem problem={problem} fields={fields} />
      <p class="bar">
        <button type="submit" class="main" disabled={isBusy || editing.isLooking || isSame}>
          {schedule ? 'Save' : 'Create schedule'}
        </button>{' '}
        <button type="button" onClick={onClose}>
          Cancel
        </button>{' '}
        <Copy label="Copy as curl" text={curlOf(schedule ? edit : make, params, {}, body)} />
      </p>
    </form>
  )
}

interface WhenProps {
  draft: Draft
  set: (changes: Partial<Draft>) => void
  problem: Parameters<typeof FormProblem>[0]['problem']
}

const cadences = [
  { value: 'week', title: 'week' },
  { value: 'month', title: 'month' },
]
const ofWeek = weekdays.map((title, at) => ({ value: String(at + 1), title }))
const ofMonth = listNumbers(1, 28).map((value) => ({ value, title: value }))
const hours = listNumbers(0, 23).map((value) => ({ value, title: `${value.padStart(2, '0')}:00` }))

function When({ draft, set, problem }: WhenProps) {
  const { every, weekday, day, hour, timezone } = draft
  return (
    <>
      <ChoiceField
        label="Every"
        value={every}
        onValue={(value: string) => set({ every: value as Draft['every'] })}
        options={cadences}
        at="/every"
        problem={problem}
      />
      {every === 'week' ? (
        <ChoiceField
          label="On"
          value={String(weekday)}
          onValue={(value: string) => set({ weekday: Number(value) })}
          options={ofWeek}
          at="/weekday"
          problem={problem}
        />
      ) : (
        <ChoiceField
          label="On day"
          value={String(day)}
          onValue={(value: string) => set({ day: Number(value) })}
          options={ofMonth}
          at="/day"
          problem={problem}
        />
      )}
      <ChoiceField
        label="At"
        value={String(hour)}
        onValue={(value: string) => set({ hour: Number(value) })}
        options={hours}
        at="/hour"
        problem={problem}
      />
      <TextField
        label="Time zone"
        value={timezone}
        onValue={(value: string) => set({ timezone: value.trim() })}
        at="/timezone"
        problem={problem}
        offered={zones()}
        isCode
        hint="Follows daylight saving time."
      />
    </>
  )
}

const zones = (): string[] => ['UTC', ...Intl.supportedValuesOf('timeZone')]
