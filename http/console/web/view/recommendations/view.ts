/** What could be saved or put right, why it is believed, and what becomes of it. */
import { html } from '../../html.ts'
import type { Reply } from '../../api.ts'
import { Copies } from '../../part/copy.ts'
import { Next } from '../../part/next-step.ts'
import { Panel } from '../../part/panel.ts'
import { Empty, ReportContent } from '../../part/report-content.ts'
import { Tabs } from '../../part/tabs.ts'
import { change, hrefOf, param, withParams } from '../../router.ts'
import { useReport } from '../../report.ts'
import { readRecommendationsQuery as askedOf, type RecommendationsQuery, type Grouping } from './query.ts'
import { Bar } from './bar.ts'
import { RecommendationDetail } from './detail.ts'
import { List, Resources, Rules } from './list.ts'
import { Summary } from './summary.ts'

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
  return html`<div class="view-head"><h1>Recommendations</h1></div>
    <${Summary} asked=${asked} />
    <${Bar} />
    <${Tabs} label="Recommendations" tabs=${tabs} chosen=${asked.by} />
    <div class=${id === undefined ? '' : 'beside'}>
      <${lists[asked.by]} asked=${asked} />
      ${id !== undefined && html`<${RecommendationDetail} key=${id} id=${id} />`}
    </div>`
}

function Ones({ asked }: { asked: RecommendationsQuery }) {
  const report = useReport('GET /recommendations', { query: asked.query, on })
  return html`<${Panel} title="Recommendations" tools=${html`<${Copies} report=${report} sql=${asked.narrowed.length === 0 && asked.isOpen ? openSql : undefined} />`}>
    <${ReportContent} report=${report} rows=${8}>${(data: Reply<'GET /recommendations'>) => (data.items.length === 0 ? html`<${Nothing} asked=${asked} />` : html`<${List} data=${data} asked=${asked} />`)}<//>
  <//>`
}

/** The same in the view that analysts have. */
const openSql = `SELECT title, rule_id, severity, savings_usd, current_cost_usd
FROM recommendations
WHERE status = 'open'
ORDER BY savings_usd DESC`

function OfResources({ asked }: { asked: RecommendationsQuery }) {
  const report = useReport('GET /recommendations/resources', { query: asked.query, on })
  return html`<${Panel} title="Resources" tools=${html`<${Copies} report=${report} />`}>
    <${ReportContent} report=${report} rows=${8}>${(data: Reply<'GET /recommendations/resources'>) => (data.items.length === 0 ? html`<${Nothing} asked=${asked} />` : html`<${Resources} data=${data} asked=${asked} />`)}<//>
  <//>`
}

function OfRules({ asked }: { asked: RecommendationsQuery }) {
  const report = useReport('GET /recommendations/rules', { query: asked.query, on })
  return html`<${Panel} title="Rules" tools=${html`<${Copies} report=${report} />`}>
    <${ReportContent} report=${report} rows=${8}>${(data: Reply<'GET /recommendations/rules'>) => (data.items.length === 0 ? html`<${Nothing} asked=${asked} />` : html`<${Rules} data=${data} asked=${asked} />`)}<//>
  <//>`
}

function Nothing({ asked }: { asked: RecommendationsQuery }) {
  if (asked.page > 1)
    return html`<${Empty} title="This page does not exist."><p><button type="button" onClick=${() => change({ page: null })}>Go to first page</button></p><//>`
  if (asked.narrowed.length > 0)
    return html`<${Empty} title="No recommendations match these filters."><p><button type="button" onClick=${() => change(Object.fromEntries(asked.narrowed.map((name) => [name, null])))}>Remove all filters</button></p><//>`
  if (!asked.isOpen)
    return html`<${Empty} title="No recommendations with this status."><p><a href=${hrefOf('recommendations')}>Show open recommendations</a></p><//>`
  return html`<${Empty} title="No recommendations.">
    <p>Rules evaluate resources when they are discovered, and their usage and bills once a day. Missing data never produces a recommendation. The next evaluation is at 04:45 UTC. <${Next} needs="space.create" what="Connecting an account"><a href=${hrefOf('sources')}>Connect an account</a> to evaluate its resources.<//></p>
  <//>`
}
