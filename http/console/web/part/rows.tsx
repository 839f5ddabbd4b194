/** A list as rows of fields: rows are added and removed, and what the API refuses of one stands in it. */
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import type { Problem } from '../problem.ts'
import { WrongHere } from './form.tsx'

export interface RowsProps<Row> {
  label: string
  /** What one row is, in the words of its button: node group. */
  of: string
  rows: readonly Row[]
  onRows: (rows: Row[]) => void
  fresh: () => Row
  /** The fields of a row; `change` replaces some of its members. */
  show: (row: Row, at: number, change: (changes: Partial<Row>) => void) => ComponentChildren
  /** Where the API says the list stands, and what it said: of the list itself, its rows say their own. */
  at?: string | undefined
  problem?: Problem | undefined
  /** Rows that are always there. */
  least?: number | undefined
  hint?: ComponentChildren
}

export function Rows<Row extends object>(props: RowsProps<Row>) {
  const { label, of, rows, onRows, fresh, show, at, problem, least = 0, hint } = props
  const place = useRef<HTMLFieldSetElement>(null)
  // Once the rows are drawn: who uses the keyboard goes on where a row is, or was.
  const focus = (selector: string) => setTimeout(() => place.current?.querySelector<HTMLElement>(selector)?.focus())
  const add = () => {
    onRows([...rows, fresh()])
    focus(`[data-row="${rows.length}"] :is(input, select)`)
  }
  const remove = (row: number) => {
    onRows(rows.filter((_, n) => n !== row))
    focus(':scope > button')
  }
  const change = (row: number) => (changes: Partial<Row>) =>
    onRows(rows.map((one, n) => (n === row ? { ...one, ...changes } : one)))
  return (
    <fieldset class="rules" ref={place}>
      <legend>{label}</legend>
      {rows.map((row, n) => (
        <div class="rule" key={n} data-row={n} role="group" aria-label={`${of} ${n + 1}`}>
          <div class="row">{show(row, n, change(n))}</div>
          {rows.length > least && (
            <button type="button" class="quiet" aria-label={`Remove ${of} ${n + 1}`} onClick={() => remove(n)}>
              Remove
            </button>
          )}
        </div>
      ))}
      {hint && <p class="hint">{hint}</p>}
      <WrongHere problem={problem} at={at} />
      <button type="button" onClick={add}>
        Add {of}
      </button>
    </fieldset>
  )
}
