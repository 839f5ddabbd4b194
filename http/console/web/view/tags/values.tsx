/** The values of one key, and those of them that are likely one, side by side. */
import { alike } from '../../similar-names.ts'
import type { Reply } from '../../api.ts'
import { pluralize } from '../../figure.ts'
import { hrefOf, withParams } from '../../router.ts'
import { useReport } from '../../report.ts'
import { Clip } from '../../part/clip.tsx'
import { Amount, Change } from '../../part/amount.tsx'
import { Head } from '../../part/head.tsx'
import type { Column } from '../../part/list/column.tsx'
import { ListView } from '../../part/list/list-view.tsx'
import { Panel } from '../../part/panel.tsx'
import { CostBasis } from '../../part/period.tsx'
import { spellings } from '../allocation/guess-team-tag.ts'
import { compareAsked, costsAsked, valueReceipt } from './query.ts'
import { CompareBar } from './keys.tsx'

type TagValues = Reply<'GET /reports/tags/:tagKey'>
type Value = TagValues[number]

export function Values({ tagKey }: { tagKey: string }) {
  const report = useReport('GET /reports/tags/:tagKey', {
    params: { tagKey },
    query: { ...costsAsked(), compare: compareAsked() },
    on: ['costs.changed', 'inventory.'],
  })
  return (
    <>
      <Head title="Tags" of={{ name: tagKey, href: hrefOf('tags', withParams({ key: null })) }} />
      <CompareBar />
      {report.data && <Alike tagKey={tagKey} values={report.data} />}
      <ListView
        title={report.data ? pluralize(report.data.length, 'value') : 'Values'}
        noun="tag values"
        caption={`Values of ${tagKey}`}
        about={<CostBasis meta={report.meta} />}
        report={report}
        columns={columnsOf(tagKey)}
        keyOf={({ tagValue }) => tagValue}
        bones={8}
        empty={{
          title: 'No costs with this key in this period.',
          children: (
            <p>
              Choose another period or <a href={hrefOf('tags')}>another key</a>.
            </p>
          ),
        }}
      />
    </>
  )
}

const ValueName = ({ value }: { value: string }) =>
  value === '' ? <span class="faint">(empty)</span> : <Clip text={value} size="wide" />

const columnsOf = (tagKey: string): Column<Value>[] => [
  { title: 'Value', text: ({ tagValue }) => tagValue, show: ({ tagValue }) => <ValueName value={tagValue} /> },
  {
    title: 'Cost',
    usd: ({ costUSD }) => costUSD,
    show: ({ tagValue, costUSD }) => <Amount usd={costUSD} receipt={valueReceipt(tagKey, tagValue)} label={tagValue} />,
  },
  {
    title: 'Change',
    usd: ({ deltaUSD }) => deltaUSD,
    show: ({ deltaUSD, deltaPercent }) => <Change usd={deltaUSD} percent={deltaPercent} />,
  },
  { title: 'Resources', count: ({ resourceCount }) => resourceCount },
]

function Alike({ tagKey, values }: { tagKey: string; values: TagValues }) {
  const groups = alike(values.map(({ tagValue }) => tagValue))
  if (groups.length === 0) return null
  const valueOf = new Map(values.map((one) => [one.tagValue, one]))
  const aliases = Object.entries(spellings(groups)).map(([value, first]) => `${value} = ${first}`)
  return (
    <Panel title="Probable duplicates" about="differing in case, separators or one letter">
      <div class="alike">
        {groups.map((names) => (
          <ul class="side" key={names[0]}>
            {names.map((name) => {
              const value = valueOf.get(name)
              return (
                <li key={name}>
                  <ValueName value={name} />
                  <Amount usd={value?.costUSD} receipt={valueReceipt(tagKey, name)} label={name} />
                  <span class="faint">{pluralize(value?.resourceCount ?? 0, 'resource')}</span>
                </li>
              )
            })}
          </ul>
        ))}
      </div>
      <p>
        Fix them in the cloud, or{' '}
        <a href={hrefOf('allocation', { new: 'allocation', key: tagKey, alias: aliases })}>
          create a rule that treats them as one team
        </a>
        . You can preview its effect first.
      </p>
    </Panel>
  )
}
