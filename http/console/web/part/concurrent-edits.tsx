/** What others changed of a thing while it was being changed here, field by field; of what both did, whose is to be. */
import { useEffect, useId, useRef } from 'preact/hooks'
import type { Editing, ConcurrentEdit as Change } from '../editing.ts'
import { valueText, wordsOf } from './value-text.ts'
import { ProblemMessage } from './report-content.tsx'

export interface ConcurrentEditsProps {
  editing: Pick<Editing<unknown, object>, 'meanwhile' | 'choose' | 'problem'>
  /** What fields are called in the form, where that is not the name. */
  labels?: Readonly<Record<string, string>>
}

export function ConcurrentEdits({ editing: { meanwhile, choose, problem }, labels = {} }: ConcurrentEditsProps) {
  const place = useRef<HTMLDivElement>(null)
  // It may stand out of sight of the button that was pressed.
  useEffect(() => place.current?.scrollIntoView({ block: 'nearest' }), [meanwhile.length])
  if (problem) return <ProblemMessage problem={problem} />
  if (meanwhile.length === 0) return null
  const isOpen = meanwhile.some(({ both }) => both && both.chosen === undefined)
  return (
    <div class="note meanwhile" role="alert" ref={place}>
      <p>
        Someone else changed this while you were editing. Your changes are not saved yet. Fields you did not edit show
        their current values.{' '}
        {isOpen
          ? 'Where both of you changed a field, choose which value to keep, then save.'
          : 'Save to apply your changes.'}
      </p>
      <ul>
        {meanwhile.map((one) => (
          <li key={one.name}>
            <One one={one} label={labels[one.name] ?? wordsOf(one.name)} choose={choose} />
          </li>
        ))}
      </ul>
    </div>
  )
}

const renderValue = (value: unknown) => <strong dir="auto">{textOf(value)}</strong>

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(textOf).join(', ')
  if (typeof value === 'object' && value !== null) return Object.values(value).map(textOf).join(' ')
  return valueText(value)
}

interface OneProps {
  one: Change
  label: string
  choose: (name: string, whose: 'mine' | 'theirs') => void
}

function One({ one: { name, before, theirs, both }, label, choose }: OneProps) {
  const group = useId()
  if (!both)
    return (
      <>
        {label}: was {renderValue(before)}, now {renderValue(theirs)}.
      </>
    )
  const choice = (whose: 'mine' | 'theirs', value: unknown) => (
    <label class="check">
      <input type="radio" name={group} checked={both.chosen === whose} onChange={() => choose(name, whose)} />
      <span>
        {whose === 'mine' ? 'Yours' : 'Theirs'}: {renderValue(value)}
      </span>
    </label>
  )
  return (
    <fieldset>
      <legend>
        {label}: was {renderValue(before)}, and both of you changed it.
      </legend>
      {choice('theirs', theirs)}
      {choice('mine', both.mine)}
    </fieldset>
  )
}

/** Why there is nothing to save. */
export const Same = ({ isSame }: { isSame: boolean }) => (isSame ? <span class="faint">No changes yet.</span> : null)
