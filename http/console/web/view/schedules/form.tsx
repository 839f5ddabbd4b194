/** Makes or changes a schedule. When it would fire is asked of the API before it is saved. */
import { useState } from 'preact/hooks'
import { ask, type Reply } from '../../api.ts'
import { diffFields, useEditing } from '../../editing.ts'
import type { Problem } from '../../problem.ts'
import { useRequest, useReport, type RequestState } from '../../report.ts'
import { ownZone, zones } from '../../zone.ts'
import { Act } from '../../part/act.tsx'
import { CostOf } from '../../part/cost-of.tsx'
import { ChecksField, ChoiceField, FormProblem, TextField } from '../../part/form.tsx'
import { ConcurrentEdits, Same } from '../../part/concurrent-edits.tsx'
import { Panel } from '../../part/panel.tsx'
import { PickResource, type InventoryResource } from '../../part/pick-resource.tsx'
import { Rows } from '../../part/rows.tsx'
import { ConfirmDialog } from '../../part/confirm-dialog.tsx'
import { Runs } from './runs.tsx'
import { actionText, whatText, type ScheduleAction, type Schedule } from './labels.ts'

interface Rule {
  action: ScheduleAction
  cron: string
}

interface Draft {
  name: string
  description: string
  timezone: string
  rules: Rule[]
  resourceUIDs: string[]
  resourceGroupIDs: string[]
  skipDates: string
}

const fresh = (): Draft => ({
  name: '',
  description: '',
  timezone: ownZone(),
  rules: [
    { action: 'stop', cron: '0 20 * * 1-5' },
    { action: 'start', cron: '0 7 * * 1-5' },
  ],
  resourceUIDs: [],
  resourceGroupIDs: [],
  skipDates: '',
})

function startDraft(schedule: Schedule | undefined): Draft {
  if (!schedule) return fresh()
  const { name, description = '', timezone, rules, resourceUIDs, resourceGroupIDs, skipDates } = schedule
  return { name, description, timezone, rules, resourceUIDs, resourceGroupIDs, skipDates: skipDates.join(' ') }
}

const datesOf = (text: string): string[] => text.split(/[\s,]+/).filter((one) => one !== '')

const bodyOf = ({ description, skipDates, ...rest }: Draft, isNew: boolean) => ({
  ...rest,
  ...(isNew
    ? description.trim() !== '' && { description }
    : { description: description.trim() === '' ? null : description }),
  skipDates: datesOf(skipDates),
})

export interface ScheduleFormProps {
  schedule: Schedule | undefined
  onClose: () => void
  onDone: (saved: Schedule) => void
}

const labels = {
  description: 'Description',
  timezone: 'Time zone',
  skipDates: 'Skip dates',
  resourceUIDs: 'Resources',
  resourceGroupIDs: 'Resource groups',
}
const fields = ['/name', '/description', '/timezone', '/rules', '/resourceUIDs', '/resourceGroupIDs', '/skipDates']

export function ScheduleForm({ schedule, onClose, onDone }: ScheduleFormProps) {
  const look = async () =>
    (await ask('GET /schedules/:scheduleID', { params: { scheduleID: schedule!.id } })).data as Schedule
  const editing = useEditing({ thing: schedule, begun: startDraft, look })
  const { draft, set, base, settle } = editing
  const [isAsked, setAsked] = useState(false)
  const making = useRequest('POST /schedules')
  const changing = useRequest('PATCH /schedules/:scheduleID')
  const previewing = useRequest('POST /schedules/next-runs')
  const problem = (schedule ? changing : making).problem ?? previewing.problem
  const body = schedule ? diffFields(bodyOf(base, false), bodyOf(draft, false)) : bodyOf(draft, true)
  const isSame = Object.keys(body).length === 0
  const request = schedule
    ? {
        operation: 'PATCH /schedules/:scheduleID' as const,
        params: { scheduleID: schedule.id },
        doing: changing,
        title: 'Save this schedule?',
      }
    : { operation: 'POST /schedules' as const, doing: making, title: 'Create this schedule?' }
  const submit = (event: Event) => {
    event.preventDefault()
    void settle(() => setAsked(true))
  }
  return (
    <Panel title={schedule ? 'Edit schedule' : 'New schedule'}>
      <form class="form" onSubmit={submit} noValidate>
        <TextField
          label="Name"
          value={draft.name}
          onValue={(name: string) => set({ name })}
          at="/name"
          problem={problem}
          required
        />
        <TextField
          label="Description"
          value={draft.description}
          onValue={(description: string) => set({ description })}
          at="/description"
          problem={problem}
        />
        <TextField
          label="Time zone"
          value={draft.timezone}
          onValue={(timezone: string) => set({ timezone })}
          offered={zones()}
          at="/timezone"
          problem={problem}
          isCode
          required
          hint="Rules follow local time there, including daylight saving time."
        />
        <Rules rules={draft.rules} problem={problem} onRules={(rules: Rule[]) => set({ rules })} />
        <TextField
          label="Skip dates"
          value={draft.skipDates}
          onValue={(skipDates: string) => set({ skipDates })}
          at="/skipDates"
          problem={problem}
          isCode
          hint="YYYY-MM-DD, separated by spaces: holidays in the time zone"
        />
        <PickResource
          label="Resources"
          chosen={draft.resourceUIDs}
          schedulable
          onPick={(_: InventoryResource | undefined, uid: string) =>
            set({ resourceUIDs: [...draft.resourceUIDs, uid] })
          }
          onRemove={(uid: string) => set({ resourceUIDs: draft.resourceUIDs.filter((one) => one !== uid) })}
        />
        <Groups draft={draft} problem={problem} set={set} />
        <Preview draft={draft} doing={previewing} />
        <ConcurrentEdits editing={editing} labels={labels} />
        <FormProblem problem={problem} fields={fields} />
        <p class="bar">
          <Act type="submit" needs={schedule ? 'service.update' : 'service.create'} class="main" disabled={isSame}>
            {schedule ? 'Save…' : 'Create schedule…'}
          </Act>{' '}
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <Same isSame={isSame} />
        </p>
      </form>
      {isAsked && (
        <ConfirmDialog
          {...request}
          action={schedule ? 'Save changes' : 'Create'}
          body={body}
          settle={settle}
          closesOnProblem
          onDone={onDone}
          onClose={() => setAsked(false)}
        >
          <p>
            Its rules start and stop {whatText(draft)} in time zone <strong>{draft.timezone}</strong>. Nothing happens
            before the next run. Stopped resources have no hourly cost and are unavailable to users.
          </p>
          <CostOf uids={draft.resourceUIDs} label="Directly selected resources" />
          <p>
            You can edit, pause or delete it at any time. To undo a stop, start the resource; deleting the schedule does
            not.
          </p>
        </ConfirmDialog>
      )}
    </Panel>
  )
}

const actions = (['stop', 'start'] as const).map((value) => ({ value, title: actionText[value] }))

function Rules({
  rules,
  problem,
  onRules,
}: {
  rules: Rule[]
  problem: Problem | undefined
  onRules: (rules: Rule[]) => void
}) {
  const show = (rule: Rule, at: number, change: (changes: Partial<Rule>) => void) => (
    <>
      <ChoiceField
        label={`Rule ${at + 1}`}
        value={rule.action}
        options={actions}
        onValue={(action: ScheduleAction) => change({ action })}
        at={`/rules/${at}/action`}
        problem={problem}
      />
      <TextField
        label={`Cron, rule ${at + 1}`}
        value={rule.cron}
        onValue={(cron: string) => change({ cron })}
        at={`/rules/${at}/cron`}
        problem={problem}
        isCode
      />
    </>
  )
  const hint = (
    <>
      minute, hour, day of month, month, day of week: <code>0 20 * * 1-5</code> is 20:00 from Monday to Friday
    </>
  )
  const fresh = (): Rule => ({ action: 'start', cron: '0 7 * * *' })
  return (
    <Rows
      label="Rules"
      of="rule"
      rows={rules}
      onRows={onRules}
      fresh={fresh}
      show={show}
      at="/rules"
      problem={problem}
      least={1}
      hint={hint}
    />
  )
}

type Group = Reply<'GET /resource-groups'>['items'][number]

function Groups({
  draft,
  problem,
  set,
}: {
  draft: Draft
  problem: Problem | undefined
  set: (changes: Partial<Draft>) => void
}) {
  const report = useReport('GET /resource-groups', { query: { limit: 100 } })
  const options = (report.data?.items ?? []).map(({ id, name, members }: Group) => ({
    value: id,
    title: `${name} (${members.length})`,
  }))
  if (options.length === 0) return null
  return (
    <ChecksField
      label="Resource groups (in tier order)"
      options={options}
      chosen={draft.resourceGroupIDs}
      onValue={(resourceGroupIDs: string[]) => set({ resourceGroupIDs })}
      at="/resourceGroupIDs"
      problem={problem}
    />
  )
}

interface PreviewProps {
  draft: Draft
  doing: RequestState<Reply<'POST /schedules/next-runs'>>
}

/** Is of the rules as they were when it was asked for. */
function Preview({ draft: { timezone, rules, skipDates }, doing }: PreviewProps) {
  const [asked, setAsked] = useState('')
  const body = { timezone, rules, skipDates: datesOf(skipDates), count: 10 }
  const ask = () => {
    setAsked(JSON.stringify(body))
    void doing.run({ body })
  }
  const isOld = asked !== '' && asked !== JSON.stringify(body)
  return (
    <div class={isOld ? 'preview old' : 'preview'}>
      <p class="bar">
        <button type="button" disabled={doing.isBusy} onClick={ask}>
          Preview runs
        </button>
        {isOld && <span class="note">The rules have changed since this preview. Preview the runs again.</span>}
      </p>
      {doing.done &&
        (doing.done.length === 0 ? (
          <p>It would never run.</p>
        ) : (
          <Runs runs={doing.done} zone={(JSON.parse(asked) as typeof body).timezone} title="Upcoming runs" />
        ))}
    </div>
  )
}
