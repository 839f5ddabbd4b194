/** The next step of who has no figures yet, or none of this month. */
import type { Reply } from '../../api.ts'
import { addDays, monthText, today } from '../../day.ts'
import { monthOf } from '../../part/period.tsx'
import { ToBills } from '../../part/next-step.tsx'
import { Empty } from '../../part/report-content.tsx'
import { hrefOf } from '../../router.ts'
import { useReport } from '../../report.ts'

type History = Reply<'GET /reports/cost-history'>

/** @param since the first day of the month that has figures at the latest: those of one that has just begun are still to come */
export function Start({ since }: { since: string }) {
  const query = { from: addDays(today(), -399), to: today(), granularity: 'monthly' }
  const { data } = useReport('GET /reports/cost-history', { query, on: ['costs.changed'] })
  if (!data) return null
  const newest = newestOf(data)
  if (newest === undefined)
    return (
      <Empty title="No bills for the last 13 months yet.">
        <p>
          <ToBills then="; figures then appear automatically." />
        </p>
      </Empty>
    )
  if (newest >= since.slice(0, 7)) return null
  return (
    <Empty title={`No bills for this month yet; the latest are for ${monthText(newest)}.`}>
      <p>
        <a href={hrefOf('costs', monthOf(newest))}>Show {monthText(newest)}</a>
      </p>
    </Empty>
  )
}

/** The newest month with costs. */
const newestOf = ({ items }: History): string | undefined => items.findLast(({ costUSD }) => costUSD !== 0)?.period
