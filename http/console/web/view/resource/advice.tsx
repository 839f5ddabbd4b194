/** What could be saved on it, and what was. */
import type { Reply } from '../../api.ts'
import { dayText } from '../../day.ts'
import { usd } from '../../figure.ts'
import { ReportPanel } from '../../part/report-panel.tsx'
import { Empty } from '../../part/report-content.tsx'
import { Table } from '../../part/table.tsx'
import { hrefOf } from '../../router.ts'
import { useReport } from '../../report.ts'
import { may } from '../../session.ts'
import type { ResourceDetail } from './resource.ts'

type RecommendationPage = Reply<'GET /recommendations'>
type Recommendation = RecommendationPage['items'][number]
type ClaimPage = Reply<'GET /reports/savings/claims'>
type Claim = ClaimPage['items'][number]

export function Advice({ resource: { uid, cloudAccountID } }: { resource: ResourceDetail }) {
  const query = { resource_uid: uid, cloud_account_id: cloudAccountID, limit: 20 }
  const when = may('service.view')
  const advised = useReport('GET /recommendations', { query, on: ['inventory.'], when })
  const claimed = useReport('GET /reports/savings/claims', { query, on: ['costs.changed', 'inventory.'], when })
  if (!when) return null
  return (
    <>
      <ReportPanel title="Recommendations" report={advised} rows={2}>
        {({ items }: RecommendationPage) =>
          items.length === 0 ? (
            <Empty title="No recommendations for this resource.">
              <p>It is evaluated again at each discovery.</p>
            </Empty>
          ) : (
            <ul class="list">
              {items.map((one) => (
                <RecommendationItem key={one.id} one={one} />
              ))}
            </ul>
          )
        }
      </ReportPanel>
      <ReportPanel title="Savings on this resource" report={claimed} rows={2}>
        {({ items }: ClaimPage) =>
          items.length === 0 ? (
            <Empty title="No savings on this resource in the last 46 days.">
              <p>Stops, schedules and applied recommendations are counted here.</p>
            </Empty>
          ) : (
            <>
              <Table caption="Savings on this resource" columns={columns} rows={items} keyOf={({ id }: Claim) => id} />
              <p class="faint">
                Verified by the bill, observed on the running resource, estimated by the recommendation: three measures
                of the same savings, so do not add them up.
              </p>
            </>
          )
        }
      </ReportPanel>
    </>
  )
}

const RecommendationItem = ({ one: { id, title, severity, status, savingsUsd } }: { one: Recommendation }) => (
  <li>
    <span class="grow" dir="auto">
      <a href={hrefOf('recommendations', { rec: id })}>{title}</a>
    </span>
    <span class="end">
      <span class="figure">{usd(savingsUsd)}</span> <span class="faint">a month</span>
    </span>
    <span class="line">
      <span class={`badge ${severity === 'critical' ? 'critical' : ''}`}>{severity}</span>{' '}
      <span class="faint">{status}</span>
    </span>
  </li>
)

const columns = [
  {
    key: 'source',
    title: 'Source',
    show: ({ id, source, from, until, status }: Claim) => (
      <>
        <a href={hrefOf('savings', { claim: id })}>{source}</a>
        <span class="faint">
          since {dayText(from.slice(0, 10))}
          {until ? ` until ${dayText(until.slice(0, 10))}` : `, ${status}`}
        </span>
      </>
    ),
  },
  { key: 'verified', title: 'Verified', isFigure: true, show: ({ verifiedUSD }: Claim) => usd(verifiedUSD) },
  { key: 'observed', title: 'Observed', isFigure: true, show: ({ observedUSD }: Claim) => usd(observedUSD) },
  { key: 'estimated', title: 'Estimated', isFigure: true, show: ({ estimatedUSD }: Claim) => usd(estimatedUSD) },
]
