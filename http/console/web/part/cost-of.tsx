/** What resources have cost in the last thirty days, as a sentence with its receipt: said before something is done to them. */
import { addDays, today } from '../day.ts'
import { useReport } from '../report.ts'
import { Amount } from './amount.tsx'
import { CostBasis } from './period.tsx'

/** Uids that fit into an address. */
const uidsMax = 40

export function CostOf({ uids, label = 'They' }: { uids: readonly string[]; label?: string }) {
  const query = {
    from: addDays(today(), -29),
    to: today(),
    'filter[resource_uid]': uids.slice(0, uidsMax),
  }
  const isAsked = uids.length > 0 && uids.length <= uidsMax
  const report = useReport('GET /reports/costs/series', {
    query: { ...query, granularity: 'monthly' },
    when: isAsked,
    on: ['costs.changed'],
  })
  if (!isAsked || !report.data) return null
  return (
    <p>
      {label} cost <Amount usd={report.data.total.costUSD} receipt={query} label={label} /> in the last 30 days, all
      hours included:{' '}
      <span class="faint">
        <CostBasis meta={report.meta} />
      </span>
    </p>
  )
}
