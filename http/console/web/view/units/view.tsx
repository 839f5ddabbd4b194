/** What one order, user or request costs: the costs of a unit metric divided by its values. */
import { Act } from '../../part/act.tsx'
import { Copies } from '../../part/copy.tsx'
import { Next } from '../../part/next-step.tsx'
import { Panel } from '../../part/panel.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { Tabs } from '../../part/tabs.tsx'
import { change, hrefOf, param, withParams } from '../../router.ts'
import { useReport } from '../../report.ts'
import { Figures } from './figures.tsx'
import type { MetricPage, MetricRow } from './metric-row.ts'
import { MetricForm } from './metric-form.tsx'
import { ValueForm } from './value-form.tsx'

/** As many as the API lists at once. */
const limit = 100

export function View() {
  const report = useReport('GET /unit-metrics', { query: { limit } })
  const isNew = param('new') === 'metric'
  return (
    <>
      <div class="view-head">
        <h1>Unit economics</h1>
        <span class="tools">
          {!isNew && (
            <Act needs="service.create" class="main" onClick={() => change({ new: 'metric' })}>
              New metric
            </Act>
          )}
          <Copies report={report} />
        </span>
      </div>
      {isNew && (
        <MetricForm
          onClose={() => change({ new: null })}
          onDone={({ id }) => {
            report.again()
            change({ new: null, metric: id })
          }}
        />
      )}
      <ReportContent report={report} rows={6}>
        {({ items }: MetricPage) => (items.length === 0 ? <None /> : <Chosen metrics={items} />)}
      </ReportContent>
    </>
  )
}

const None = () => (
  <Empty title="No unit metrics yet.">
    <p>
      A unit metric counts what your business delivers, such as orders or active users. Costs are then shown per unit.{' '}
      <Next needs="service.create" what="Creating a metric">
        <a href={hrefOf('units', { new: 'metric' })}>Create the first metric</a>
      </Next>
    </p>
  </Empty>
)

function Chosen({ metrics }: { metrics: readonly MetricRow[] }) {
  const chosen = metrics.find(({ id }) => id === param('metric')) ?? metrics[0]!
  const tabs = metrics.map(({ id, name }) => ({
    name: id,
    title: name,
    href: hrefOf('units', withParams({ metric: id })),
  }))
  return (
    <>
      {metrics.length > 1 && <Tabs label="Unit metrics" tabs={tabs} chosen={chosen.id} />}
      <Figures metric={chosen} />
      <Panel title="Values" about={aboutOf(chosen)}>
        <ValueForm key={chosen.id} metric={chosen} />
      </Panel>
    </>
  )
}

const aggregations: Readonly<Record<string, string>> = {
  sum: 'added up',
  avg: 'averaged',
  max: 'highest value',
  last: 'last value',
}

const aboutOf = ({ key, aggregation, lastIngestedAt, pullFailure }: MetricRow): string =>
  [
    `key ${key}`,
    `values of a period: ${aggregations[aggregation] ?? aggregation}`,
    lastIngestedAt === null ? 'no values yet' : `latest received ${lastIngestedAt.slice(0, 10)}`,
    ...(pullFailure === null ? [] : [`last pull failed: ${pullFailure}`]),
  ].join(' · ')
