/** What made the month differ from the one before: the largest rises and falls, with their causes. */
import type { Query } from '../../address.ts'
import type { Meta, Reply } from '../../api.ts'
import { pluralize, usdChange } from '../../figure.ts'
import { Amount, Change } from '../../part/amount.tsx'
import { Copies } from '../../part/copy.tsx'
import { Panel } from '../../part/panel.tsx'
import { CostBasis } from '../../part/period.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { hrefOf } from '../../router.ts'
import { useReport } from '../../report.ts'

type Drivers = Reply<'GET /reports/drivers'>
type Driver = Drivers['dimensions'][number]['rises'][number]

/** Rises and falls shown together. */
const shownMax = 10

export function CostChanges({ from }: { from: string }) {
  // Without `to` both sides end with the last settled day.
  const report = useReport('GET /reports/drivers', {
    query: { from, limit: shownMax },
    on: ['costs.changed', 'anomaly.'],
  })
  return (
    <Panel title="What changed" about={<CostBasis meta={report.meta} />} tools={<Copies report={report} />}>
      <ReportContent report={report} rows={8}>
        {(data: Drivers) => <Largest data={data} meta={report.meta} />}
      </ReportContent>
    </Panel>
  )
}

function Largest({ data, meta }: { data: Drivers; meta: Meta | undefined }) {
  if (!meta?.compared) return <Empty title="No day of this month is settled yet." />
  const period = { from: meta.from, to: meta.to }
  const services = data.dimensions.find(({ dimension }) => dimension === 'service_name')
  const largest = [...(services?.rises ?? []), ...(services?.falls ?? [])]
    .toSorted((a, b) => Math.abs(b.deltaUSD) - Math.abs(a.deltaUSD))
    .slice(0, shownMax)
  if (largest.length === 0) return <Empty title="Nothing changed compared with the same days of the month before." />
  const [recurring, others] = [largest.filter(isRecurring), largest.filter((one) => !isRecurring(one))]
  return (
    <>
      <ChangeList changes={others} period={period} />
      {recurring.length > 0 && (
        <details class="recurring">
          <summary>{pluralize(recurring.length, 'recurring change')}: charges that come every week or month</summary>
          <ChangeList changes={recurring} period={period} />
        </details>
      )}
      <p class="faint">By service, compared with the same days of the month before; the largest first.</p>
    </>
  )
}

const isRecurring = ({ anomaly }: Driver): boolean => anomaly?.recurring ?? false

const ChangeList = ({ changes, period }: { changes: readonly Driver[]; period: Query }) => (
  <ul class="list">
    {changes.map((one) => (
      <li key={one.key}>
        <a
          class="clip wide"
          dir="auto"
          title={one.label}
          href={hrefOf('costs', { ...period, compare: 'previous', 'filter[service_name]': one.key })}
        >
          {one.label}
        </a>
        <span class="end">
          <Change usd={one.deltaUSD} percent={one.deltaPercent} />
        </span>
        <span class="faint">
          {one.anomaly ? (
            <a href={hrefOf('anomalies', { anomaly: one.anomaly.id, include_suppressed: true })}>
              {one.anomaly.rootCause}
            </a>
          ) : (
            causeOf(one)
          )}
          ; now <Amount usd={one.costUSD} receipt={{ ...period, 'filter[service_name]': one.key }} label={one.label} />
        </span>
      </li>
    ))}
  </ul>
)

/** In words: what of it is use, and what price. */
function causeOf({ usageUSD, priceUSD, otherUSD, state }: Driver): string {
  if (state === 'new') return 'new'
  if (state === 'gone') return 'no longer present'
  const parts = [
    ['usage', usageUSD],
    ['price', priceUSD],
    ['unmetered', otherUSD],
  ].filter((part): part is [string, number] => typeof part[1] === 'number' && Math.abs(part[1]) >= 0.005)
  if (parts.length === 0) return 'by less than a cent'
  return parts.map(([name, usd]) => `${name} ${usdChange(usd)}`).join(', ')
}
