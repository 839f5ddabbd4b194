/** What could be saved or put right, why it is believed, and what becomes of it. */
import type { Reply } from '../../api.ts'
import { Copies } from '../../part/copy.tsx'
import { Next } from '../../part/next-step.tsx'
import { Panel } from '../../part/panel.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { Tabs } from '../../part/tabs.tsx'
import { change, hrefOf, param, withParams } from '../../router.ts'
import { useReport } from '../../report.ts'
import { readRecommendationsQuery as askedOf, type RecommendationsQuery, type Grouping } from './query.ts'
import { Bar } from './bar.tsx'
import { RecommendationDetail } from './detail.tsx'
import { List, Resources, Rules } from './list.tsx'
import { Summary } from './summary.tsx'

const titles: Readonly<Record<Grouping, string>> = {
  recommendation: 'All',
  resource: 'By resource',
  rule: 'By rule',
}

const lists = { recommendation: Ones, resource: OfResources, rule: OfRules }
const on = ['recommendation.', 'inventory.']

export function View() {
  const asked = askedOf()
  const id = param('rec')
  const tabs = Object.entries(titles).map(([name, title]) => ({
    name,
    title,
    href: hrefOf('recommendations', withParams({ by: name === 'recommendation' ? null : name, page: null, rec: null })),
  }))
  const List = lists[asked.by]
  return (
    <>
      <div class="view-head">
        <h1>Recommendations</h1>
      </div>
      <Summary asked={asked} />
      <Bar />
      <Tabs label="Recommendations" tabs={tabs} chosen={asked.by} />
      <div class={id === undefined ? '' : 'beside'}>
        <List asked={asked} />
        {id !== undefined && <RecommendationDetail key={id} id={id} />}
      </div>
    </>
  )
}

function Ones({ asked }: { asked: RecommendationsQuery }) {
  const report = useReport('GET /recommendations', { query: asked.query, on })
  return (
    <Panel
      title="Recommendations"
      tools={<Copies report={report} sql={asked.narrowed.length === 0 && asked.isOpen ? openSql : undefined} />}
    >
      <ReportContent report={report} rows={8}>
        {(data: Reply<'GET /recommendations'>) =>
          data.items.length === 0 ? <Nothing asked={asked} /> : <List data={data} asked={asked} />
        }
      </ReportContent>
    </Panel>
  )
}

/** The same in the view that analysts have. */
const openSql = `SELECT title, rule_id, severity, savings_usd, current_cost_usd
FROM recommendations
WHERE status = 'open'
ORDER BY savings_usd DESC`

function OfResources({ asked }: { asked: RecommendationsQuery }) {
  const report = useReport('GET /recommendations/resources', { query: asked.query, on })
  return (
    <Panel title="Resources" tools={<Copies report={report} />}>
      <ReportContent report={report} rows={8}>
        {(data: Reply<'GET /recommendations/resources'>) =>
          data.items.length === 0 ? <Nothing asked={asked} /> : <Resources data={data} asked={asked} />
        }
      </ReportContent>
    </Panel>
  )
}

function OfRules({ asked }: { asked: RecommendationsQuery }) {
  const report = useReport('GET /recommendations/rules', { query: asked.query, on })
  return (
    <Panel title="Rules" tools={<Copies report={report} />}>
      <ReportContent report={report} rows={8}>
        {(data: Reply<'GET /recommendations/rules'>) =>
          data.items.length === 0 ? <Nothing asked={asked} /> : <Rules data={data} asked={asked} />
        }
      </ReportContent>
    </Panel>
  )
}

function Nothing({ asked }: { asked: RecommendationsQuery }) {
  if (asked.page > 1)
    return (
      <Empty title="This page does not exist.">
        <p>
          <button type="button" onClick={() => change({ page: null })}>
            Go to first page
          </button>
        </p>
      </Empty>
    )
  if (asked.narrowed.length > 0)
    return (
      <Empty title="No recommendations match these filters.">
        <p>
          <button type="button" onClick={() => change(Object.fromEntries(asked.narrowed.map((name) => [name, null])))}>
            Remove all filters
          </button>
        </p>
      </Empty>
    )
  if (!asked.isOpen)
    return (
      <Empty title="No recommendations with this status.">
        <p>
          <a href={hrefOf('recommendations')}>Show open recommendations</a>
        </p>
      </Empty>
    )
  return (
    <Empty title="No recommendations.">
      <p>
        Rules evaluate resources when they are discovered, and their usage and bills once a day. Missing data never
        produces a recommendation. The next evaluation is at 04:45 UTC.{' '}
        <Next needs="space.create" what="Connecting an account">
          <a href={hrefOf('sources')}>Connect an account</a> to evaluate its resources.
        </Next>
      </p>
    </Empty>
  )
}
