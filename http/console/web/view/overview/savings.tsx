/** What was saved: verified savings first, with the realization rate, then what was observed and estimated. */
import type { Reply } from '../../api.ts'
import { pluralize, share, usd } from '../../figure.ts'
import { Copies } from '../../part/copy.tsx'
import { Panel } from '../../part/panel.tsx'
import { CostBasis } from '../../part/period.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { Table } from '../../part/table.tsx'
import { useReport } from '../../report.ts'

type Savings = Reply<'GET /reports/savings'>
type Row = Savings['items'][number]

/** Verified savings are the headline: the strongest basis comes first. */
const columns = [
  { key: 'source', title: 'Source', show: ({ label }: Row) => label },
  { key: 'verified', title: 'Verified', isFigure: true, show: ({ verifiedUSD }: Row) => usd(verifiedUSD) },
  { key: 'observed', title: 'Observed', isFigure: true, show: ({ observedUSD }: Row) => usd(observedUSD) },
  { key: 'estimated', title: 'Estimated', isFigure: true, show: ({ estimatedUSD }: Row) => usd(estimatedUSD) },
  { key: 'rate', title: 'Realization rate', isFigure: true, show: ({ realisation }: Row) => rateText(realisation) },
  {
    key: 'open',
    title: 'Potential, 30 days',
    isFigure: true,
    show: ({ openEstimatedUSD }: Row) => usd(openEstimatedUSD),
  },
]

const rateText = (rate: number | null): string => (rate === null ? '–' : share(rate))

export function SavingsPanel() {
  const report = useReport('GET /reports/savings', { on: ['costs.changed'] })
  return (
    <Panel title="Savings" about={<CostBasis meta={report.meta} />} tools={<Copies report={report} />}>
      <ReportContent report={report} rows={4}>
        {(data: Savings) => <Bases {...data} />}
      </ReportContent>
    </Panel>
  )
}

function Bases({ items, totals }: Savings) {
  if (items.length === 0)
    return (
      <Empty title="No savings in this period, and no recommendations.">
        <p>Recommendations appear once the inventory of a connected account is available.</p>
      </Empty>
    )
  return (
    <>
      <p class="bar">
        <span class="big">{usd(totals.verifiedUSD)}</span>{' '}
        <span class="faint">verified by bills · realization rate {rateText(totals.realisation)}</span>
      </p>
      <Table
        caption="Savings by source"
        columns={columns}
        rows={items}
        keyOf={({ key }: Row) => key}
        foot={foot(totals)}
      />
      <p class="faint">
        Verified by bills, observed on running resources, estimated by recommendations: three measures of the same
        savings, so do not add them up. {pluralize(totals.unprovedDays, 'day')} of claims not verified.
      </p>
    </>
  )
}

const foot = ({ verifiedUSD, observedUSD, estimatedUSD, realisation, openEstimatedUSD }: Savings['totals']) => (
  <tr>
    <td>Total</td>
    {[usd(verifiedUSD), usd(observedUSD), usd(estimatedUSD), rateText(realisation), usd(openEstimatedUSD)].map(
      (text, at) => (
        <td class="figure" key={at}>
          {text}
        </td>
      ),
    )}
  </tr>
)
