/** What could be saved or put right, why it is believed, and what becomes of it. */
import { Head } from '../../part/head.tsx'
import { Tabs } from '../../part/tabs.tsx'
import { hrefOf, param, withParams } from '../../router.ts'
import { readRecommendationsQuery as askedOf, type Grouping } from './query.ts'
import { Bar } from './bar.tsx'
import { RecommendationDetail } from './detail.tsx'
import { Ones, OfResources } from './list.tsx'
import { OfRules } from './rules.tsx'
import { Summary } from './summary.tsx'

const titles: Readonly<Record<Grouping, string>> = {
  recommendation: 'All',
  resource: 'By resource',
  rule: 'By rule',
}

const lists = { recommendation: Ones, resource: OfResources, rule: OfRules }

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
      <Head title="Recommendations" />
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
