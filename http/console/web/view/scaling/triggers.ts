/** Minimums by the clock. */
import { html } from '../../html.ts'
import type { Problem } from '../../problem.ts'
import { ownZone, zones } from '../../zone.ts'
import { ChoiceField, TextField } from '../../part/form.ts'
import type { TriggerDraft } from './draft.ts'

const presets = [
  { value: 'business-hours', title: 'business-hours: raised on working days, 08:00 to 18:00' },
  { value: 'peak-hours', title: 'peak-hours: raised from start to end' },
  { value: 'weekend-scale-down', title: 'weekend-scale-down: lowered on Saturday and Sunday' },
]

export interface TriggersProps {
  triggers: readonly TriggerDraft[]
  problem: Problem | undefined
  onTriggers: (triggers: TriggerDraft[]) => void
}

export function Triggers({ triggers, problem, onTriggers }: TriggersProps) {
  const add = () =>
    onTriggers([
      ...triggers,
      { preset: 'business-hours', timezone: ownZone(), days: '', start: '', end: '', minCapacity: '' },
    ])
  return html`<fieldset class="rules"><legend>By the clock</legend>
    ${triggers.map((one, at) => html`<${One} key=${at} at=${at} one=${one} problem=${problem} onChange=${(changes: Partial<TriggerDraft>) => onTriggers(triggers.map((other, n) => (n === at ? { ...other, ...changes } : other)))} onRemove=${() => onTriggers(triggers.filter((_, n) => n !== at))} />`)}
    <button type="button" onClick=${add}>${triggers.length === 0 ? 'Add a minimum by the clock' : 'One more'}</button>
  </fieldset>`
}

interface OneProps {
  at: number
  one: TriggerDraft
  problem: Problem | undefined
  onChange: (changes: Partial<TriggerDraft>) => void
  onRemove: () => void
}

function One({ at, one, problem, onChange, onRemove }: OneProps) {
  const field = (name: keyof TriggerDraft, label: string, more: object = {}) =>
    html`<${TextField} label=${label} value=${one[name]} onValue=${(value: string) => onChange({ [name]: value })} at=${`/triggers/${at}/${name}`} problem=${problem} isCode ...${more} />`
  return html`<div class="row">
    <${ChoiceField} label=${`Trigger ${at + 1}`} value=${one.preset} options=${presets} onValue=${(preset: string) => onChange({ preset })} at=${`/triggers/${at}/preset`} problem=${problem} />
    ${field('timezone', 'Time zone', { offered: zones() })}${field('days', 'Days', { hint: 'mon tue; those of the preset unless given' })}
    ${field('start', 'From', { placeholder: 'HH:MM' })}${field('end', 'To', { placeholder: 'HH:MM' })}${field('minCapacity', 'Units at least', { inputMode: 'numeric' })}
    <button type="button" class="quiet" aria-label=${`Remove trigger ${at + 1}`} onClick=${onRemove}>Remove</button>
  </div>`
}
