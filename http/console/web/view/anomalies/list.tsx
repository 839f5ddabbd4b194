/** What is unusual: a row a cause, with what it cost above what is usual and why. */
import type { Reply } from '../../api.ts'
import { dayText } from '../../day.ts'
import { pluralize, percentChange, usdChange } from '../../figure.ts'
import { Amount } from '../../part/amount.tsx'
import { Pages } from '../../part/table.tsx'
import { change, hrefOf, param, withParams } from '../../router.ts'
import { markOpening } from './focus-on-open.ts'
import { pageSize, type AnomaliesQuery } from './query.ts'
import { expectedText, receiptOf, severityName, statusOf, typeName, type Anomaly } from './labels.ts'

type List = Reply<'GET /reports/anomalies'>

export interface ListProps {
  data: List
  asked: AnomaliesQuery
  cost: string | undefined
}

export function List({ data: { items, total }, asked: { page, isFolded }, cost }: ListProps) {
  const what = isFolded ? pluralize(total, 'cause', 'causes') : pluralize(total, 'row')
  return (
    <>
      <p class="faint" role="status">
        {what}
        {isFolded ? ', each with all its rows' : ''}.
      </p>
      <ul class="list stories">
        {items.map((one) => (
          <Story key={one.id} one={one} cost={cost} />
        ))}
      </ul>
      <Pages
        page={page}
        limit={pageSize}
        total={total}
        onPage={(to: number) => change({ page: to === 1 ? null : to })}
      />
    </>
  )
}

export const Severity = ({ severity }: { severity: string }) => (
  <span class={`badge ${severity}`}>{severityName(severity)}</span>
)

export const Status = ({ review }: { review: Anomaly['review'] }) => (
  <span class={`badge ${review ? 'good' : ''}`}>{statusOf(review)}</span>
)

function Story({ one, cost }: { one: Anomaly; cost: string | undefined }) {
  const { id, label, date, severity, review, anomalyType, excessUsd, deviationPercent, rootCause, folded = [] } = one
  const isOpen = param('anomaly') === id
  const expected = expectedText(one)
  return (
    <li class={`${isOpen ? 'open' : ''} ${expected ? 'faint' : ''}`}>
      <a
        class="what clip"
        dir="auto"
        title={label}
        href={hrefOf('anomalies', withParams({ anomaly: id }))}
        aria-current={isOpen ? 'true' : undefined}
        onClick={markOpening}
      >
        {label}
      </a>
      <span class="end">
        <strong class="figure">{usdChange(excessUsd)}</strong>{' '}
        <span class="faint figure">{percentChange(deviationPercent)}</span>
      </span>
      <span class="line">
        <Severity severity={severity} /> <Status review={review} />{' '}
        {expected && (
          <>
            <span class="badge">{expected}</span>{' '}
          </>
        )}
        <span class="faint">
          {typeName(anomalyType)} · {dayText(date)}
          {folded.length > 0 ? ` · ${pluralize(folded.length, 'more row')}` : ''}
        </span>
      </span>
      <span class="cause" title={rootCause} dir="auto">
        {rootCause}
      </span>
      <span class="faint line">
        cost <Amount usd={one.actualCostUsd} receipt={receiptOf(one, cost)} label={label} />, expected{' '}
        <Amount usd={one.expectedCostUsd} />
      </span>
    </li>
  )
}
