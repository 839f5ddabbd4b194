/** Where nothing is found: the month that has bills, or the filter that leaves nothing, each with the way to it. */
import type { Reply } from '../../api.ts'
import { addDays, monthText, rangeText, today } from '../../day.ts'
import { usd } from '../../figure.ts'
import { queryOf, without, wordsOf, type Chip } from '../../filter.ts'
import { monthOf } from '../../part/period.tsx'
import { useNames } from '../../filter-bar/value-name.ts'
import { ToBills } from '../../part/next-step.tsx'
import { Empty } from '../../part/report-content.tsx'
import { useReport } from '../../report.ts'
import { hrefWith, type CostsQuery } from './query.ts'

type History = Reply<'GET /reports/cost-history'>

/** Days looked back for bills. */
const lookedBack = 399

export const EmptyState = ({ now }: { now: CostsQuery }) =>
  now.chips.length === 0 ? <NoBills now={now} /> : <NoMatches now={now} />

function NoBills({ now }: { now: CostsQuery }) {
  const { cost, asOf } = now.of
  const query = { from: addDays(today(), -lookedBack), to: today(), granularity: 'monthly', cost, asOf }
  const { data } = useReport('GET /reports/cost-history', { query, on: ['costs.changed'] })
  if (!data) return null
  const newest = (data as History).items.findLast(({ costUSD }) => costUSD !== 0)?.period
  const title = `No costs from ${rangeText(now.period.from, now.period.to)}`
  if (newest === undefined)
    return (
      <Empty title={`${title}, and none in the last 13 months.`}>
        <p>
          <ToBills then="; figures then appear automatically." /> You can choose older days above.
        </p>
      </Empty>
    )
  return (
    <Empty title={`${title}; the latest bills are for ${monthText(newest)}.`}>
      <p>
        <a href={hrefWith(now.chips, { range: null, granularity: null, ...monthOf(newest) })}>
          Show {monthText(newest)}
        </a>
      </p>
    </Empty>
  )
}

/** Filters whose removal is looked at. */
const lookedAt = 8

function NoMatches({ now }: { now: CostsQuery }) {
  const { from, to } = now.period
  return (
    <Empty title={`No costs from ${rangeText(from, to)} match all of these filters.`}>
      <ul class="list">
        {now.chips.slice(0, lookedAt).map((chip) => (
          <WithoutFilter key={`${chip.name} ${chip.value}`} chip={chip} now={now} />
        ))}
      </ul>
      <p>
        <a href={hrefWith([])}>Remove all filters</a>
      </p>
    </Empty>
  )
}

/** What would be there without one of them. */
function WithoutFilter({ chip, now }: { chip: Chip; now: CostsQuery }) {
  const left = without(now.chips, chip)
  const { cost, asOf } = now.of
  const { data } = useReport('GET /reports/costs/series', {
    query: { ...now.period, cost, asOf, ...queryOf(left), granularity: 'monthly' },
  })
  const { title, value } = wordsOf(chip)
  const name = useNames([chip], now.period).get(chip.value) ?? value
  return (
    <li>
      <a href={hrefWith(left)}>
        Without {title}:{' '}
        <span class="clip wide" dir="auto" title={value}>
          {name}
        </span>
      </a>{' '}
      {data && <span class="faint">{usd(data.total.costUSD)}</span>}
    </li>
  )
}
