/** Creates or changes a schedule. Its runs are requested from the API before it is saved. */
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { ask, type Reply } from '../../api.ts'
import type { InputError, Problem } from '../../problem.ts'
import { useRequest, useReport, type RequestState } from '../../report.ts'
import { ownZone } from '../../zone.ts'
import { CostOf } from '../../part/cost-of.tsx'
import { ChoiceField, TextField } from '../../part/form.tsx'
import { Form } from '../../part/form/form.tsx'
import type { FormField } from '../../part/form/field.tsx'
import { PickResource, type InventoryResource } from '../../part/pick-resource.tsx'
import { Rows } from '../../part/rows.tsx'
import { Conflicts } from './conflicts.tsx'
import { Runs } from './runs.tsx'
import { WeekHours } from './week-hours.tsx'
import { hoursOf, rulesText, type ScheduleRule } from './week.ts'
import { actionText, whatText, type ScheduleAction, type Schedule } from './labels.ts'

const fresh = () => ({
  name: '',
  description: '',
  timezone: ownZone(),
  rules: [
    { action: 'stop', cron: '0 20 * * 1-5' },
    { action: 'start', cron: '0 7 * * 1-5' },
  ] as ScheduleRule[],
  resourceUIDs: [] as string[],
  resourceGroupIDs: [] as string[],
  skipDates: '',
})

function startDraft(schedule: Schedule | undefined): Draft {
  if (!schedule) return fresh()
  const { name, description = '', timezone, rules, resourceUIDs, resourceGroupIDs, skipDates } = schedule
  return { name, description, timezone, rules, resourceUIDs, resourceGroupIDs, skipDates: skipDates.join(' ') }
}
type Draft = ReturnType<typeof fresh>

const datesOf = (text: string): string[] => text.split(/[\s,]+/).filter((one) => one !== '')

/** Of a name, characters. */
const nameMax = 100

/** What it is called without a name of its own: On weekdays 07:00 to 20:00. */
const sentenceOf = (rules: readonly ScheduleRule[]): string => rulesText(rules).join('; ').slice(0, nameMax)

const bodyOf = ({ name, description, skipDates, ...rest }: Draft, isNew: boolean) => ({
  ...rest,
  name: name.trim() || sentenceOf(rest.rules),
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

export function ScheduleForm({ schedule, onClose, onDone }: ScheduleFormProps) {
  const params = { scheduleID: schedule?.id ?? '' }
  const previewing = useRequest('POST /schedules/next-runs')
  const groups = useReport('GET /resource-groups', { query: { limit: 100 } }).data?.items ?? []
  const fields = (draft: Draft, set: (changes: Partial<Draft>) => void): FormField<Draft>[] => [
    { name: 'name', label: 'Name', help: `Leave empty to use “${sentenceOf(draft.rules)}”.` },
    { name: 'description', label: 'Description' },
    {
      name: 'timezone',
      label: 'Time zone',
      kind: 'zone',
      isRequired: true,
      help: 'Rules follow local time there, including daylight saving time.',
    },
    {
      at: '/rules',
      show: (problem) => (
        <>
          <WeekHours rules={draft.rules} onRules={(rules) => set({ rules })} />
          <Advanced isOpen={hoursOf(draft.rules) === undefined || problem?.errors.some(isOfRules) === true}>
            <Rules rules={draft.rules} problem={problem} onRules={(rules) => set({ rules })} />
          </Advanced>
        </>
      ),
    },
    {
      name: 'skipDates',
      label: 'Skip dates',
      kind: 'code',
      help: 'YYYY-MM-DD, separated by spaces: holidays in the time zone',
    },
    {
      at: '/resourceUIDs',
      show: () => (
        <PickResource
          label="Resources"
          chosen={draft.resourceUIDs}
          schedulable
          onPick={(_: InventoryResource | undefined, uid: string) =>
            set({ resourceUIDs: [...draft.resourceUIDs, uid] })
          }
          onRemove={(uid: string) => set({ resourceUIDs: draft.resourceUIDs.filter((one) => one !== uid) })}
        />
      ),
    },
    groups.length > 0 && {
      name: 'resourceGroupIDs',
      label: 'Resource groups (in tier order)',
      kind: 'checks',
      options: groups.map(({ id, name, members }) => ({ value: id, title: `${name} (${members.length})` })),
    },
  ]
  return (
    <Form
      noun="schedule"
      thing={schedule}
      begun={startDraft}
      look={async () => (await ask('GET /schedules/:scheduleID', { params })).data as Schedule}
      fields={fields}
      labels={{ resourceUIDs: 'Resources', resourceGroupIDs: 'Resource groups' }}
      body={bodyOf}
      create="POST /schedules"
      update="PATCH /schedules/:scheduleID"
      params={schedule && params}
      {...(schedule && {
        confirm: (draft: Draft) => ({
          title: 'Save this schedule?',
          action: 'Save changes',
          children: <Happens draft={draft} id={schedule.id} />,
        }),
      })}
      problem={previewing.problem}
      onClose={onClose}
      onDone={onDone}
    >
      {(draft) => (
        <>
          <Preview draft={draft} doing={previewing} />
          {!schedule && <Happens draft={draft} id={undefined} />}
        </>
      )}
    </Form>
  )
}

const Happens = ({ draft, id }: { draft: Draft; id: string | undefined }) => (
  <>
    <p>
      Its rules start and stop {whatText(draft)} in time zone <strong>{draft.timezone}</strong>. Nothing happens before
      the next run. Stopped resources have no hourly cost and are unavailable to users.
    </p>
    <CostOf uids={draft.resourceUIDs} label="Directly selected resources" />
    <Conflicts draft={draft} id={id} />
    <p>
      You can edit, pause or delete it at any time. To undo a stop, start the resource; deleting the schedule does not.
    </p>
  </>
)

const isOfRules = ({ name }: InputError): boolean => name.startsWith('/rules')

/** Once it is open it stays open: what is typed in it is seen. */
function Advanced({ isOpen, children }: { isOpen: boolean; children: ComponentChildren }) {
  const [wasOpen, setOpen] = useState(isOpen)
  useEffect(() => {
    if (isOpen) setOpen(true)
  }, [isOpen])
  return (
    <details class="advanced" open={wasOpen}>
      <summary>Advanced: rules as cron</summary>
      {children}
    </details>
  )
}

const actions = (['stop', 'start'] as const).map((value) => ({ value, title: actionText[value] }))

interface RulesProps {
  rules: ScheduleRule[]
  problem: Problem | undefined
  onRules: (rules: ScheduleRule[]) => void
}

const Rules = ({ rules, problem, onRules }: RulesProps) => (
  <Rows
    label="Rules"
    of="rule"
    rows={rules}
    onRows={onRules}
    fresh={(): ScheduleRule => ({ action: 'start', cron: '0 7 * * *' })}
    at="/rules"
    problem={problem}
    least={1}
    hint={
      <>
        minute, hour, day of month, month, day of week: <code>0 20 * * 1-5</code> is 20:00 from Monday to Friday
      </>
    }
    show={(rule, at, change) => (
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
    )}
  />
)

interface PreviewProps {
  draft: Draft
  doing: RequestState<Reply<'POST /schedules/next-runs'>>
}

/** Is of the rules as they were when it was requested. */
function Preview({ draft: { timezone, rules, skipDates }, doing }: PreviewProps) {
  const [asked, setAsked] = useState('')
  const body = { timezone, rules, skipDates: datesOf(skipDates), count: 10 }
  const request = () => {
    setAsked(JSON.stringify(body))
    void doing.run({ body })
  }
  const isOld = asked !== '' && asked !== JSON.stringify(body)
  const runs = doing.done
  return (
    <div class={isOld ? 'preview old' : 'preview'}>
      <p class="bar">
        <button type="button" disabled={doing.isBusy} onClick={request}>
          Preview runs
        </button>
        {isOld && <span class="note">The rules have changed since this preview. Preview the runs again.</span>}
      </p>
      {runs &&
        (runs.length === 0 ? (
          <p>It would never run.</p>
        ) : (
          <Runs runs={runs} zone={(JSON.parse(asked) as typeof body).timezone} title="Upcoming runs" />
        ))}
    </div>
  )
}
