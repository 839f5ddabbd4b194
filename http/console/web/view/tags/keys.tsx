/** Tag keys by what they cover, of dollars and of resources, and what has no tag at all. */
import { Fragment } from 'preact'
import { alike } from '../../similar-names.ts'
import type { Reply } from '../../api.ts'
import { count, pluralize, percent } from '../../figure.ts'
import { change, hrefOf, param, withParams } from '../../router.ts'
import { useReport, type Report } from '../../report.ts'
import { Amount, Change } from '../../part/amount.tsx'
import { Copies } from '../../part/copy.tsx'
import { Meter } from '../../part/meter.tsx'
import { Next, ToBills } from '../../part/next-step.tsx'
import { Panel } from '../../part/panel.tsx'
import { CostBasis, PeriodBar } from '../../part/period.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { Pages, Table } from '../../part/table.tsx'
import { compareAsked, costsAsked, keyReceipt } from './query.ts'

export type TagKeyPage = Extract<Reply<'GET /reports/tags'>, { items: { coverage: unknown }[] }>
type Key = TagKeyPage['items'][number]

const pageSize = 100

export function CompareBar() {
  const pick = (event: Event) => change({ compare: (event.target as HTMLSelectElement).value || null, page: null })
  return (
    <div class="bar">
      <PeriodBar takes={['cost']} />
      <label>
        Compare with{' '}
        <select onChange={pick}>
          <option value="">previous period</option>
          <option value="year" selected={compareAsked() === 'year'}>
            same period last year
          </option>
        </select>
      </label>
    </div>
  )
}

export function Keys() {
  const page = Number(param('page') ?? 1)
  const report = useReport('GET /reports/tags', {
    query: { ...costsAsked(), compare: compareAsked(), page, limit: pageSize },
    on: ['costs.changed', 'inventory.'],
  })
  const untagged = useReport('GET /reports/tags', {
    query: { ...costsAsked(), unit: 'pairs', limit: 1 },
    on: ['costs.changed', 'inventory.'],
  })
  return (
    <>
      <CompareBar />
      <ReportContent report={untagged} rows={2}>
        {(data: Reply<'GET /reports/tags'>) =>
          'untaggedCount' in data && (
            <section class="tiles" aria-label="Untagged">
              <article class="tile">
                <h2>Untagged costs</h2>
                <span class="big">
                  <Amount
                    usd={data.untaggedCostUsd}
                    receipt={{ ...costsAsked(), untagged: true }}
                    label="Untagged costs"
                  />
                </span>
                <span class="small">
                  of <Amount usd={data.totalCostUsd} receipt={costsAsked()} label="All costs" />; including costs
                  without a resource
                </span>
                <span class="small">
                  <CostBasis meta={untagged.meta} />
                </span>
              </article>
              <article class="tile">
                <h2>Untagged resources</h2>
                <span class="big">{count(data.untaggedCount)}</span>
                <span class="small">
                  <a href={hrefOf('tags', { tab: 'suggestions' })}>Suggestions for them</a>
                </span>
              </article>
            </section>
          )
        }
      </ReportContent>
      <Panel title="Keys" about={<CostBasis meta={report.meta} />} tools={<Copies report={report} />}>
        <ReportContent report={report as Report<TagKeyPage>} rows={8}>
          {(data: TagKeyPage) =>
            data.items.length === 0 ? (
              <Empty title="No tagged costs in this period.">
                <p>
                  Tag resources in the cloud, or choose another period.{' '}
                  <Next needs="service.update" what="Accepting suggestions">
                    <a href={hrefOf('tags', { tab: 'suggestions' })}>Accept suggestions</a>.
                  </Next>{' '}
                  If there are no bills: <ToBills />
                </p>
              </Empty>
            ) : (
              <>
                <Rows items={data.items} />
                <Pages page={page} limit={pageSize} total={data.total} onPage={(to: number) => change({ page: to })} />
              </>
            )
          }
        </ReportContent>
      </Panel>
    </>
  )
}

const keyHref = (key: string): string => hrefOf('tags', withParams({ key, page: null, tab: null }))

function Rows({ items }: { items: readonly Key[] }) {
  const groups = alike(items.map(({ tagKey }) => tagKey))
  const others = (key: string) => groups.find((some) => some.includes(key))?.filter((one) => one !== key) ?? []
  const columns = [
    {
      key: 'key',
      title: 'Key',
      by: ({ tagKey }: Key) => tagKey,
      show: ({ tagKey }: Key) => (
        <>
          <a class="clip" dir="auto" title={tagKey} href={keyHref(tagKey)}>
            {tagKey}
          </a>
          {others(tagKey).length > 0 && (
            <span class="faint">
              probably the same as{' '}
              {others(tagKey).map((one, at) => (
                <Fragment key={one}>
                  {at > 0 && ', '}
                  <a href={keyHref(one)}>{one}</a>
                </Fragment>
              ))}
            </span>
          )}
        </>
      ),
    },
    {
      key: 'dollars',
      title: 'Cost coverage',
      by: ({ percentOfTotal }: Key) => percentOfTotal ?? 0,
      show: ({ tagKey, percentOfTotal }: Key) =>
        percentOfTotal !== undefined && (
          <Meter value={percentOfTotal} label={`Share of costs covered by ${tagKey}`}>
            {percent(percentOfTotal)}
          </Meter>
        ),
    },
    {
      key: 'cost',
      title: 'Cost',
      isFigure: true,
      by: ({ costUSD }: Key) => costUSD,
      show: ({ tagKey, costUSD }: Key) => <Amount usd={costUSD} receipt={keyReceipt(tagKey)} label={tagKey} />,
    },
    {
      key: 'change',
      title: 'Change',
      isFigure: true,
      by: ({ deltaUSD }: Key) => deltaUSD ?? 0,
      show: ({ deltaUSD, deltaPercent }: Key) => <Change usd={deltaUSD} percent={deltaPercent} />,
    },
    {
      key: 'resources',
      title: 'Resource coverage',
      by: ({ coverage }: Key) => coverage.tagged,
      show: ({ tagKey, coverage: { tagged, untagged } }: Key) => (
        <Meter value={tagged} max={tagged + untagged} label={`Resources with ${tagKey}`}>
          {count(tagged)} <span class="faint">of {pluralize(tagged + untagged, 'resource')}</span>
        </Meter>
      ),
    },
  ]
  return <Table caption="Tag keys" columns={columns} rows={items} keyOf={({ tagKey }: Key) => tagKey} />
}
