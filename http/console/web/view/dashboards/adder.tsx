/** Puts a saved view on a dashboard. */
import { useState } from 'preact/hooks'
import { titles, type SavedViews } from '../../part/saved-views.tsx'
import { hrefOf } from '../../router.ts'

interface AdderProps {
  /** Those that are not on it yet. */
  offered: SavedViews
  isFull: boolean
  onAdd: (id: string) => void
}

export function Adder({ offered, isFull, onAdd }: AdderProps) {
  const [chosen, choose] = useState('')
  if (isFull) return <p class="faint">The dashboard is full.</p>
  if (offered.length === 0)
    return (
      <p class="faint">
        To add more, open a view such as the <a href={hrefOf('costs')}>Explorer</a> and choose Save view.
      </p>
    )
  const id = offered.some((one) => one.id === chosen) ? chosen : ''
  return (
    <p class="bar">
      <label>
        Add a saved view{' '}
        <select value={id} onChange={(event) => choose((event.target as HTMLSelectElement).value)}>
          <option value="">Choose one</option>
          {offered.map((one) => (
            <option key={one.id} value={one.id}>
              {one.name} ({titles.get(one.view) ?? one.view})
            </option>
          ))}
        </select>
      </label>
      <button type="button" disabled={id === ''} onClick={() => onAdd(id)}>
        Add
      </button>
    </p>
  )
}
