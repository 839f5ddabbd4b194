/** What something would cost by list prices, item by item. */
import type { Reply } from '../../api.ts'
import { usd } from '../../figure.ts'
import { useRequest } from '../../report.ts'
import { ProblemMessage } from '../../part/report-content.tsx'
import type { Column } from '../../part/list/column.tsx'
import { Table } from '../../part/table.tsx'
import type { ProvisioningJob } from './labels.ts'

export type Estimate = Reply<'POST /provisioning-jobs/estimate'>
type Item = Estimate['items'][number]

const columns: Column<Item>[] = [
  { title: 'Item', text: ({ name }) => name },
  {
    title: 'Units',
    count: ({ units }) => units,
    show: ({ units, maxUnits }) => (units === maxUnits ? units : `${units} to ${maxUnits}`),
  },
  { title: 'Per hour', usd: ({ hourlyUSD }) => hourlyUSD },
  { title: '730 hours', usd: ({ monthlyUSD }) => monthlyUSD },
  { title: 'Price from', text: ({ price }) => (price ? `${price.source}, ${price.effectiveOn}` : '') },
]

export const monthText = ({ monthlyUSD, maxMonthlyUSD }: Estimate): string =>
  monthlyUSD === maxMonthlyUSD ? `${usd(monthlyUSD)} a month` : `${usd(monthlyUSD)} to ${usd(maxMonthlyUSD)} a month`

export const EstimateTable = ({ estimate }: { estimate: Estimate }) => (
  <>
    <p>
      <strong>{monthText(estimate)}</strong>{' '}
      <span class="faint">730 hours, on-demand list prices, excluding discounts and taxes</span>
    </p>
    {estimate.items.length > 0 && (
      <Table caption="Estimated cost" columns={columns} rows={estimate.items} keyOf={({ name }: Item) => name} />
    )}
    {estimate.unknown.length > 0 && <p class="faint">Not included (counted as 0): {estimate.unknown.join('; ')}.</p>}
  </>
)

/** Of what is there already or was asked for: asked at a press, for it may be refused by now. */
export function PriceOf({ job: { spaceID, kind, config } }: { job: ProvisioningJob }) {
  const doing = useRequest('POST /provisioning-jobs/estimate')
  const ask = () => void doing.run({ body: { spaceID, kind, config } })
  return (
    <>
      {!doing.done && (
        <p class="bar">
          <button type="button" disabled={doing.isBusy} onClick={ask}>
            Estimate cost
          </button>
        </p>
      )}
      {doing.problem && <ProblemMessage problem={doing.problem} />}
      {doing.done && <EstimateTable estimate={doing.done} />}
    </>
  )
}
