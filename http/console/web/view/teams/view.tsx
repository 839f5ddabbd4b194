/** Whose is it? What each team costs, and what has no team; or all about one of them. */
import { change, param } from '../../router.ts'
import { PeriodBar } from '../../part/period.tsx'
import { compareAsked, periodFallback } from './query.ts'
import { List } from './list.tsx'
import { TeamDetail } from './detail.tsx'

const pick = (event: Event) => change({ compare: (event.target as HTMLSelectElement).value || null, page: null })

export function View() {
  const id = param('team')
  const bar = (
    <div class="bar">
      <PeriodBar fallback={periodFallback} takes={['cost']} />
      <label>
        Compare with{' '}
        <select onChange={pick}>
          <option value="">previous period</option>
          <option value="year" selected={compareAsked() === 'year'}>
            a year before
          </option>
        </select>
      </label>
    </div>
  )
  return id === undefined ? <List bar={bar} /> : <TeamDetail key={id} id={id} bar={bar} />
}
