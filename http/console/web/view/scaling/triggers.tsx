/** Minimums by the clock. */
import type { Problem } from '../../problem.ts'
import { ownZone, zones } from '../../zone.ts'
import { ChoiceField, TextField } from '../../part/form.tsx'
import { Rows } from '../../part/rows.tsx'
import type { TriggerDraft } from './draft.ts'

const presets = [
  { value: 'business-hours', title: 'business-hours: scaled up on working days, 08:00 to 18:00' },
  { value: 'peak-hours', title: 'peak-hours: scaled up from start to end' },
  { value: 'weekend-scale-down', title: 'weekend-scale-down: scaled down on Saturday and Sunday' },
]

export interface TriggersProps {
  triggers: readonly TriggerDraft[]
  problem: Problem | undefined
  onTriggers: (triggers: TriggerDraft[]) => void
}

const fresh = (): TriggerDraft => ({
  preset: 'business-hours',
  timezone: ownZone(),
  days: '',
  start: '',
  end: '',
  minCapacity: '',
})

export const Triggers = ({ triggers, problem, onTriggers }: TriggersProps) => (
  <Rows
    label="Scheduled minimums"
    of="trigger"
    rows={triggers}
    onRows={onTriggers}
    fresh={fresh}
    at="/triggers"
    problem={problem}
    show={(one: TriggerDraft, at: number, change: (changes: Partial<TriggerDraft>) => void) => (
      <One at={at} one={one} problem={problem} onChange={change} />
    )}
  />
)

interface OneProps {
  at: number
  one: TriggerDraft
  problem: Problem | undefined
  onChange: (changes: Partial<TriggerDraft>) => void
}

function One({ at, one, problem, onChange }: OneProps) {
  const field = (name: keyof TriggerDraft, label: string, more: object = {}) => (
    <TextField
      label={label}
      value={one[name]}
      onValue={(value: string) => onChange({ [name]: value })}
      at={`/triggers/${at}/${name}`}
      problem={problem}
      isCode
      {...more}
    />
  )
  return (
    <>
      <ChoiceField
        label={`Trigger ${at + 1}`}
        value={one.preset}
        options={presets}
        onValue={(preset: string) => onChange({ preset })}
        at={`/triggers/${at}/preset`}
        problem={problem}
      />
      {field('timezone', 'Time zone', { offered: zones() })}
      {field('days', 'Days', { hint: 'for example mon tue; leave empty for the preset’s days' })}
      {field('start', 'From', { placeholder: 'HH:MM' })}
      {field('end', 'To', { placeholder: 'HH:MM' })}
      {field('minCapacity', 'Minimum units', { inputMode: 'numeric' })}
    </>
  )
}
