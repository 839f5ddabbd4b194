/** Fields of forms: what is typed is the caller's to keep, and what the API refuses stands at its field. */
import type { ComponentChildren, InputHTMLAttributes } from 'preact'
import { useId, useRef } from 'preact/hooks'
import type { InputError, Problem } from '../problem.ts'
import { ProblemMessage } from './report-content.tsx'

interface FieldProps {
  label: string
  /** Where the API says this field stands in what was sent: /spec/priority. */
  at?: string | undefined
  problem?: Problem | undefined
  hint?: ComponentChildren
}

export interface TextFieldProps extends FieldProps {
  value: string
  onValue: (value: string) => void
  type?: 'text' | 'password' | 'email' | 'date' | 'time' | 'datetime-local' | undefined
  /** More than one: a text of several lines. */
  rows?: number | undefined
  required?: boolean | undefined
  inputMode?: string | undefined
  maxLength?: number
  /** After the field: USD. */
  unit?: string | undefined
  /** By what is in it; left out: as wide as the form. */
  width?: 'short' | 'medium' | undefined
  placeholder?: string | undefined
  /** What may be typed, as far as it is known; others are taken too. */
  offered?: readonly string[] | undefined
  isCode?: boolean
  /** What a keeper of passwords knows it by. */
  autoComplete?: string
}

/** Most of the API go on from the name of what is wrong; some are sentences of their own. */
const saidOf = (subject: string, message: string): string =>
  /^\p{Lu}.*\.$/su.test(message) ? message : `${subject} ${message}.`

/** The field itself, one of its list, or what is within it. */
const subjectOf = (within: string): string =>
  within === '' ? 'It' : /^\d+$/.test(within) ? `Item ${Number(within) + 1}` : within

/** What was wrong with a value is said of that value alone, not of what is typed in its place. */
function useOf(problem: Problem | undefined, value: unknown): Problem | undefined {
  const of = useRef({ problem, value })
  if (of.current.problem !== problem) of.current = { problem, value }
  return of.current.value === value ? problem : undefined
}

/** Whether an error is of a field, or of something within it. */
const isAt = ({ name }: InputError, at: string): boolean => name === at || name.startsWith(`${at}/`)

function Wrong({ problem, at, id }: { problem: Problem | undefined; at: string | undefined; id: string }) {
  const found = at === undefined ? [] : (problem?.errors.filter((one) => isAt(one, at)) ?? [])
  if (found.length === 0) return null
  return (
    <span class="wrong" id={id} role="alert">
      {found.map(({ name, message }) => saidOf(subjectOf(name.slice(at!.length + 1)), message)).join(' ')}
    </span>
  )
}

/** Of a list itself: what is within it is said there. */
export function WrongHere({ problem, at }: Pick<FieldProps, 'problem' | 'at'>) {
  const found = problem?.errors.filter(({ name }) => name === at) ?? []
  if (found.length === 0) return null
  return (
    <span class="wrong" role="alert">
      {found.map(({ message }) => saidOf('It', message)).join(' ')}
    </span>
  )
}

const readInput = (event: Event): string => (event.target as HTMLInputElement).value

export function TextField({
  label,
  at,
  problem,
  hint,
  value,
  onValue,
  type = 'text',
  rows = 1,
  required,
  inputMode,
  maxLength,
  placeholder,
  offered,
  isCode,
  autoComplete,
  unit,
  width,
}: TextFieldProps) {
  const id = useId()
  const common = {
    id,
    value,
    required,
    maxLength,
    placeholder,
    autocomplete: autoComplete,
    dir: isCode ? undefined : ('auto' as const),
    spellcheck: isCode ? false : undefined,
    'aria-describedby': `${id}-hint ${id}-wrong`,
    onInput: (event: Event) => onValue(readInput(event)),
  }
  // Each type of input has attributes of its own, all of which take these.
  const input = {
    type,
    inputmode: inputMode,
    list: offered && `${id}-offered`,
    ...common,
  } as InputHTMLAttributes<HTMLInputElement>
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {rows > 1 ? <textarea rows={rows} {...common} /> : <Input {...input} unit={unit} width={width} />}
      {offered && (
        <datalist id={`${id}-offered`}>
          {offered.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
      {hint && (
        <span class="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      <Wrong problem={useOf(problem, value)} at={at} id={`${id}-wrong`} />
    </div>
  )
}

type InputProps = InputHTMLAttributes<HTMLInputElement> &
  Pick<TextFieldProps, 'unit'> & { width: TextFieldProps['width'] }

function Input({ unit, width, ...input }: InputProps) {
  const shown = <input {...input} class={width === 'medium' ? 'medium' : width && 'short'} />
  return unit === undefined ? (
    shown
  ) : (
    <span class="with-unit">
      {shown} <span class="faint">{unit}</span>
    </span>
  )
}

export interface ChoiceFieldProps<V extends string> extends FieldProps {
  value: V
  onValue: (value: V) => void
  options: readonly { value: V; title: string }[]
  required?: boolean
}

export function ChoiceField<V extends string>({
  label,
  at,
  problem,
  hint,
  value,
  onValue,
  options,
  required,
}: ChoiceFieldProps<V>) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        required={required}
        aria-describedby={`${id}-hint ${id}-wrong`}
        onChange={(event: Event) => onValue(readInput(event) as V)}
      >
        {options.map((one) => (
          <option key={one.value} value={one.value} selected={one.value === value}>
            {one.title}
          </option>
        ))}
      </select>
      {hint && (
        <span class="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      <Wrong problem={useOf(problem, value)} at={at} id={`${id}-wrong`} />
    </div>
  )
}

export interface CheckFieldProps {
  label: ComponentChildren
  isOn: boolean
  onValue: (isOn: boolean) => void
}

export const CheckField = ({ label, isOn, onValue }: CheckFieldProps) => (
  <label class="check">
    <input
      type="checkbox"
      checked={isOn}
      onChange={(event: Event) => onValue((event.target as HTMLInputElement).checked)}
    />
    <span>{label}</span>
  </label>
)

export interface ChecksFieldProps extends FieldProps {
  options: readonly { value: string; title: string }[]
  chosen: readonly string[]
  onValue: (chosen: string[]) => void
}

/** Several of many. */
export function ChecksField({ label, at, problem, hint, options, chosen, onValue }: ChecksFieldProps) {
  const id = useId()
  const set = (value: string, isOn: boolean) =>
    onValue(isOn ? [...chosen, value] : chosen.filter((one) => one !== value))
  return (
    <fieldset class="checks" aria-describedby={`${id}-wrong`}>
      <legend>{label}</legend>
      {options.map(({ value, title }) => (
        <CheckField
          key={value}
          label={
            <span class="clip wide" title={title}>
              {title}
            </span>
          }
          isOn={chosen.includes(value)}
          onValue={(isOn: boolean) => set(value, isOn)}
        />
      ))}
      {hint && <span class="hint">{hint}</span>}
      <Wrong problem={useOf(problem, chosen.join('\n'))} at={at} id={`${id}-wrong`} />
    </fieldset>
  )
}

/** Of a problem what no field says: all of it where none of its errors has a field. */
export function FormProblem({ problem, fields }: { problem: Problem | undefined; fields: readonly string[] }) {
  if (!problem) return null
  const isSaid = problem.errors.length > 0 && problem.errors.every((error) => fields.some((at) => isAt(error, at)))
  if (isSaid)
    return (
      <p class="note bad" role="status">
        Nothing was saved. Fix the highlighted {problem.errors.length === 1 ? 'field' : 'fields'}.
      </p>
    )
  return (
    <>
      <ProblemMessage problem={problem} />
      {problem.unsure && (
        <p class="bar">
          <button type="submit">Try again</button>
        </p>
      )}
    </>
  )
}
