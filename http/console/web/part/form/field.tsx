/** Fields of a form, described: where each is in the request, what it is called, and what may be in it. */
import type { ComponentChildren } from 'preact'
import type { Problem } from '../../problem.ts'
import { zones } from '../../zone.ts'
import { CheckField, ChecksField, ChoiceField, TextField, type TextFieldProps } from '../form.tsx'

export interface Option {
  value: string
  title: string
}

interface Described<D> {
  /** The member of the draft. */
  name: keyof D & string
  label: string
  /** Where the API says this field is in the request: /spec/priority. Left out: its name. */
  at?: string
  help?: ComponentChildren
  /** What may be in it, in words: 1 to 100. */
  bounds?: string
  /** Other members that change with it. */
  also?: (value: string) => Partial<D>
}

interface TextOf<D>
  extends Described<D>, Pick<TextFieldProps, 'rows' | 'maxLength' | 'placeholder' | 'offered' | 'autoComplete'> {
  kind?: 'text' | 'email' | 'password' | 'date' | 'time' | 'datetime-local' | 'number' | 'code' | 'zone' | undefined
  unit?: string
  isRequired?: boolean
  /** Neither kept nor copied; passwords never are. */
  isSecret?: boolean
}

interface ChoiceOf<D> extends Described<D> {
  kind: 'choice'
  options: readonly Option[]
}

interface ChecksOf<D> extends Described<D> {
  kind: 'checks'
  options: readonly Option[]
}

interface CheckOf<D> extends Described<D> {
  kind: 'check'
}

/** Fields side by side. */
interface RowOf<D> {
  row: readonly FormField<D>[]
}

/** What no description covers; `at` are the places whose errors it shows itself. */
interface OwnOf {
  at?: string | readonly string[]
  show: (problem: Problem | undefined) => ComponentChildren
}

export type FormField<D> =
  | TextOf<D>
  | ChoiceOf<D>
  | ChecksOf<D>
  | CheckOf<D>
  | RowOf<D>
  | OwnOf
  | false
  | undefined
  | null
  | ''

const flat = <D,>(
  fields: readonly FormField<D>[],
): readonly Exclude<FormField<D>, RowOf<D> | false | undefined | null | ''>[] =>
  fields.flatMap((one) => (!one ? [] : 'row' in one ? flat(one.row) : [one]))

/** Places of the request whose errors the fields show. */
export const placesOf = <D,>(fields: readonly FormField<D>[]): string[] =>
  flat(fields).flatMap((one) => ('show' in one ? [one.at ?? []].flat() : [one.at ?? `/${one.name}`]))

export const labelsOf = <D,>(fields: readonly FormField<D>[]): Record<string, string> =>
  Object.fromEntries(flat(fields).flatMap((one) => ('show' in one ? [] : [[one.name, one.label]])))

const isSecret = (one: object): one is { name: string } =>
  ('kind' in one && one.kind === 'password') || ('isSecret' in one && one.isSecret === true)

/** Members that are not kept: passwords and secret addresses. */
export const secretsOf = <D,>(fields: readonly FormField<D>[]): Set<string> =>
  new Set(flat(fields).flatMap((one) => (isSecret(one) ? [one.name] : [])))

interface FieldsProps<D> {
  fields: readonly FormField<D>[]
  draft: D
  set: (changes: Partial<D>) => void
  problem: Problem | undefined
}

export const Fields = <D extends object>({ fields, ...rest }: FieldsProps<D>) => (
  <>
    {fields.map((field, at) =>
      !field ? null : 'row' in field ? (
        <div class="row" key={at}>
          <Fields fields={field.row} {...rest} />
        </div>
      ) : 'show' in field ? (
        <Own key={at} field={field} problem={rest.problem} />
      ) : (
        <One key={field.name} field={field} {...rest} />
      ),
    )}
  </>
)

const Own = ({ field, problem }: { field: OwnOf; problem: Problem | undefined }) => <>{field.show(problem)}</>

function One<D extends object>({
  field,
  draft,
  set,
  problem,
}: Omit<FieldsProps<D>, 'fields'> & { field: TextOf<D> | ChoiceOf<D> | ChecksOf<D> | CheckOf<D> }) {
  const { name, label, at = `/${name}`, help, bounds, also } = field
  const value = draft[name] as unknown
  const put = (next: unknown) => set({ [name]: next, ...also?.(String(next)) } as Partial<D>)
  const hint = bounds ? (
    <>
      {bounds}
      {help && <> · {help}</>}
    </>
  ) : (
    help
  )
  const shared = { label, at, problem, hint }
  if (field.kind === 'choice')
    return <ChoiceField {...shared} value={String(value)} onValue={put} options={field.options} />
  if (field.kind === 'checks')
    return <ChecksField {...shared} chosen={value as string[]} onValue={put} options={field.options} />
  if (field.kind === 'check') return <CheckField label={label} isOn={value === true} onValue={put} />
  return <TextField {...shared} {...textProps(field)} value={String(value)} onValue={put} />
}

type TextKind = NonNullable<TextOf<object>['kind']>

/** What each kind of text makes of the field. */
const kinds: Readonly<Partial<Record<TextKind, Partial<TextFieldProps>>>> = {
  number: { type: 'text', inputMode: 'decimal', width: 'short' },
  code: { type: 'text', isCode: true },
  zone: { type: 'text', isCode: true, width: 'medium' },
  date: { type: 'date', width: 'short' },
  time: { type: 'time', width: 'short' },
}

function textProps<D>({ kind = 'text', isRequired, offered, maxLength, autoComplete, ...given }: TextOf<D>) {
  const { rows, unit, placeholder } = given
  const choices = kind === 'zone' ? zones() : offered
  return {
    ...(kinds[kind] ?? { type: kind as 'text' }),
    rows,
    unit,
    placeholder,
    required: isRequired,
    ...(choices && { offered: choices }),
    ...(maxLength !== undefined && { maxLength }),
    ...(autoComplete !== undefined && { autoComplete }),
  }
}
