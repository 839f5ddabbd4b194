/** The values of one key, and those of them that are likely one, side by side. */
import { alike } from '../../similar-names.ts'
import type { Reply } from '../../api.ts'
import { count, pluralize } from '../../figure.ts'
import { hrefOf, withParams } from '../../router.ts'
import { useReport } from '../../report.ts'
import { Amount, Change } from '../../part/amount.tsx'
import { Copies } from '../../part/copy.tsx'
import { Panel } from '../../part/panel.tsx'
import { CostBasis } from '../../part/period.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { Table } from '../../part/table.tsx'
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
      <div class="view-head">
        <h1>
          <a href={hrefOf('tags', withParams({ key: null }))}>Tags</a> /{' '}
          <span class="clip wide" dir="auto" title={tagKey}>
            {tagKey}
          </span>
        </h1>
        <span class="tools">
          <Copies report={report} />
        </span>
      </div>
      <CompareBar />
      <ReportContent report={report} rows={8}>
        {(data: TagValues) =>
          data.length === 0 ? (
            <Empty title="No costs with this key in this period.">
              <p>
                Choose another period or <a href={hrefOf('tags')}>another key</a>.
              </p>
            </Empty>
          ) : (
            <>
              <Alike tagKey={tagKey} values={data} />
              <Panel title={pluralize(data.length, 'value')} about={<CostBasis meta={report.meta} />}>
                <Table
                  caption={`Values of ${tagKey}`}
                  columns={columnsOf(tagKey)}
                  rows={data}
                  keyOf={({ tagValue }: Value) => tagValue}
                />
              </Panel>
            </>
          )
        }
      </ReportContent>
    </>
  )
}

const ValueName = ({ value }: { value: string }) =>
  value === '' ? (
    <span class="faint">(empty)</span>
  ) : (
    <span class="clip wide" dir="auto" title={value}>
      {value}
    </span>
  )

const columnsOf = (tagKey: string) => [
  {
    key: 'value',
    title: 'Value',
    by: ({ tagValue }: Value) => tagValue,
    show: ({ tagValue }: Value) => <ValueName value={tagValue} />,
  },
  {
    key: 'cost',
    title: 'Cost',
    isFigure: true,
    by: ({ costUSD }: Value) => costUSD,
    show: ({ tagValue, costUSD }: Value) => (
      <Amount usd={costUSD} receipt={valueReceipt(tagKey, tagValue)} label={tagValue} />
    ),
  },
  {
    key: 'change',
    title: 'Change',
    isFigure: true,
    by: ({ deltaUSD }: Value) => deltaUSD ?? 0,
    show: ({ deltaUSD, deltaPercent }: Value) => <Change usd={deltaUSD} percent={deltaPercent} />,
  },
  {
    key: 'resources',
    title: 'Resources',
    isFigure: true,
    by: ({ resourceCount }: Value) => resourceCount,
    show: ({ resourceCount }: Value) => count(resourceCount),
  },
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
