/** A field of a config: a value, or rows of values. */
import type { Problem } from '../../problem.ts'
import { CheckField, ChoiceField, TextField } from '../../part/form.tsx'
import { Rows } from '../../part/rows.tsx'
import {
  freshRow,
  rowsOf,
  type ConfigDraft,
  type Field,
  type ListField,
  type PlainField,
  type RowDraft,
} from './fields.ts'

interface OneFieldProps {
  field: Field
  draft: ConfigDraft
  /** Where the API says it stands. */
  at: string
  problem: Problem | undefined
  onChange: (changes: ConfigDraft) => void
}

export function OneField({ field, draft, at, problem, onChange }: OneFieldProps) {
  if (field.type === 'list') return <List {...{ field, draft, at, problem, onChange }} />
  const value = (draft[field.name] as string | undefined) ?? field.first
  return (
    <Value
      field={field}
      value={value}
      at={at}
      problem={problem}
      onValue={(now: string) => onChange({ [field.name]: now })}
    />
  )
}

interface ListProps extends Omit<OneFieldProps, 'field'> {
  field: ListField
}

function List({ field, draft, at, problem, onChange }: ListProps) {
  const show = (row: RowDraft, n: number, change: (changes: RowDraft) => void) =>
    field.columns.map((column) => (
      <Value
        key={column.name}
        field={column}
        value={row[column.name] ?? ''}
        at={column.name === '' ? `${at}/${n}` : `${at}/${n}/${column.name}`}
        problem={problem}
        onValue={(now: string) => change({ [column.name]: now })}
      />
    ))
  return (
    <Rows
      label={field.label}
      of={field.of}
      rows={rowsOf(field, draft)}
      onRows={(rows: RowDraft[]) => onChange({ [field.name]: rows })}
      fresh={() => freshRow(field)}
      show={show}
      at={at}
      problem={problem}
      least={field.least}
      hint={field.hint}
    />
  )
}

interface ValueProps {
  field: PlainField
  value: string
  at: string
  problem: Problem | undefined
  onValue: (value: string) => void
}

function Value({ field: { label, type, choices = [], hint }, value, at, problem, onValue }: ValueProps) {
  const common = { label, at, problem, value, onValue, hint }
  if (type === 'boolean')
    return (
      <CheckField
        label={
          hint ? (
            <>
              {label} <span class="faint">{hint}</span>
            </>
          ) : (
            label
          )
        }
        isOn={value === 'true'}
        onValue={(isOn: boolean) => onValue(String(isOn))}
      />
    )
  if (type === 'choice') return <ChoiceField {...common} options={choices.map((one) => ({ value: one, title: one }))} />
  return <TextField {...common} inputMode={type === 'number' ? 'numeric' : undefined} isCode />
}
