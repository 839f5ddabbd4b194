/** The filters of saved views, to be used for what is shown now. */
import { useState } from 'preact/hooks'
import { chipsOf, type Chip } from '../filter.ts'
import { useReport } from '../report.ts'

export function SavedFilters({ onChips }: { onChips: (chips: readonly Chip[]) => void }) {
  const [isNear, setNear] = useState(false)
  const { data } = useReport('GET /saved-views', { when: isNear })
  const filtered = (data ?? []).flatMap(({ id, name, query }) => {
    const chips = chipsOf(new URLSearchParams(query))
    return chips.length > 0 ? [{ id, name, chips }] : []
  })
  const near = () => setNear(true)
  const choose = (event: Event) => {
    const select = event.target as HTMLSelectElement
    const found = filtered.find(({ id }) => id === select.value)
    select.value = ''
    if (found) onChips(found.chips)
  }
  return (
    <select aria-label="Use saved filters" onPointerEnter={near} onFocus={near} onChange={choose}>
      <option value="">Saved filters</option>
      {filtered.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
      {isNear && data && filtered.length === 0 && <option disabled>No saved view has filters</option>}
    </select>
  )
}
