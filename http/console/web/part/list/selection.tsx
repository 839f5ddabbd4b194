/** Choosing rows of a list, and what is then done with all of them. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { count } from '../../figure.ts'

export interface Selection<R> {
  isChosen: (row: R) => boolean
  put: (rows: readonly R[], isOn: boolean) => void
  nameOf: (row: R) => string
  canChoose: (row: R) => boolean
}

export function useSelection<R>({
  keyOf,
  nameOf,
  canChoose,
}: Pick<Selection<R>, 'nameOf' | 'canChoose'> & { keyOf: (row: R) => string }) {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set())
  const selection: Selection<R> = {
    isChosen: (row) => keys.has(keyOf(row)),
    put: (rows, isOn) => {
      const some = new Set(rows.map(keyOf))
      setKeys(new Set(isOn ? [...keys, ...some] : [...keys].filter((key) => !some.has(key))))
    },
    nameOf,
    canChoose,
  }
  return { selection, clear: () => setKeys(new Set<string>()) }
}

const isOn = (event: Event): boolean => (event.target as HTMLInputElement).checked

export function SelectAll<R>({
  selection: { isChosen, put, canChoose },
  rows: all,
}: {
  selection: Selection<R>
  rows: readonly R[]
}) {
  const rows = all.filter(canChoose)
  const chosen = rows.filter(isChosen).length
  return (
    <th scope="col" role="columnheader" class="select">
      <input
        type="checkbox"
        aria-label="Select all rows"
        checked={chosen > 0 && chosen === rows.length}
        ref={(box) => {
          if (box) box.indeterminate = chosen > 0 && chosen < rows.length
        }}
        onChange={(event: Event) => put(rows, isOn(event))}
      />
    </th>
  )
}

export const SelectRow = <R,>({
  selection: { isChosen, put, nameOf, canChoose },
  row,
}: {
  selection: Selection<R>
  row: R
}) => (
  <td role="cell" class="select">
    {canChoose(row) && (
      <input
        type="checkbox"
        aria-label={`Select ${nameOf(row)}`}
        checked={isChosen(row)}
        onChange={(event: Event) => put([row], isOn(event))}
      />
    )}
  </td>
)

/** What may be done with the chosen rows; how many they are is also announced. */
export const BulkBar = ({
  chosen,
  clear,
  children,
}: {
  chosen: number
  clear: () => void
  children: ComponentChildren
}) => (
  <div class={chosen > 0 ? 'bar bulk' : 'unseen'} role="group" aria-label="Selected rows">
    <span aria-live="polite">{chosen > 0 ? `${count(chosen)} selected` : ''}</span>
    {chosen > 0 && (
      <>
        {children}
        <button type="button" class="quiet" onClick={clear}>
          Clear selection
        </button>
      </>
    )}
  </div>
)
