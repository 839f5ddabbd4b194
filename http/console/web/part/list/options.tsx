/** How a list is shown: which columns, how high its rows are, and what is shown as a file. */
import { useState } from 'preact/hooks'
import { keyOfColumn, type Column } from './column.tsx'
import { CheckField } from '../form.tsx'
import type { ListChoices } from './choices.ts'

interface OptionsProps<R> {
  title: string
  columns: readonly Column<R>[]
  choices: ListChoices
  set: (changes: Partial<ListChoices>) => void
  onCsv: () => void
}

export function ListOptions<R>({ title, columns, choices: { hidden, isDense }, set, onCsv }: OptionsProps<R>) {
  const [isOpen, setOpen] = useState(false)
  // The first column says what a row is.
  const optional = columns.slice(1).filter(({ isAction }) => !isAction)
  const put = (key: string, isShown: boolean) =>
    set({ hidden: isShown ? hidden.filter((one) => one !== key) : [...hidden, key] })
  return (
    <details
      class="list-options"
      onToggle={(event: Event) => setOpen((event.currentTarget as HTMLDetailsElement).open)}
    >
      <summary aria-label={`Columns and CSV: ${title}`}>Columns</summary>
      {isOpen && (
        <div class="list-options-body">
          {optional.map((column) => {
            const key = keyOfColumn(column)
            return (
              <CheckField
                key={key}
                label={column.title}
                isOn={!hidden.includes(key)}
                onValue={(isOn: boolean) => put(key, isOn)}
              />
            )
          })}
          <hr />
          <CheckField label="Compact rows" isOn={isDense} onValue={(isOn: boolean) => set({ isDense: isOn })} />
          <button type="button" onClick={onCsv}>
            Download CSV
          </button>
        </div>
      )}
    </details>
  )
}
