/** Tag keys by what they cover, of dollars and of resources, and what has no tag at all. */
import { Fragment } from 'preact'
import { alike } from '../../similar-names.ts'
import type { Reply } from '../../api.ts'
import { count, pluralize, percent } from '../../figure.ts'
import { change, hrefOf, param, withParams } from '../../router.ts'
import { useReport, type Report } from '../../report.ts'
import { Tile } from '../../part/tile.tsx'
import { Amount, Change } from '../../part/amount.tsx'
import type { Column } from '../../part/list/column.tsx'
import { ListView } from '../../part/list/list-view.tsx'
import { Meter } from '../../part/meter.tsx'
import { Next, ToBills } from '../../part/next-step.tsx'
import { CostBasis, PeriodBar } from '../../part/period.tsx'
import { ReportContent } from '../../part/report-content.tsx'
import { compareAsked, costsAsked, keyReceipt } from './query.ts'

type TagKeyPage = Extract<Reply<'GET /reports/tags'>, { items: { coverage: unknown }[] }>
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
            a year before
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
              <Tile
                title="Untagged resources"
                value={count(data.untaggedCount)}
                note={
                  data.untaggedCount > 0 && <a href={hrefOf('tags', { tab: 'suggestions' })}>Suggestions for them</a>
                }
              />
            </section>
          )
        }
      </ReportContent>
      <ListView
        title="Keys"
        noun="tag keys"
        caption="Tag keys"
        about={<CostBasis meta={report.meta} />}
        report={report as Report<TagKeyPage>}
        columns={columnsOf(report.data?.items ?? [])}
        keyOf={({ tagKey }) => tagKey}
        pageSize={pageSize}
        bones={8}
        empty={{
          title: 'No tagged costs in this period.',
          children: (
            <p>
              Tag resources in the cloud, or choose another period.{' '}
              <Next needs="service.update" what="Accepting suggestions">
                <a href={hrefOf('tags', { tab: 'suggestions' })}>Accept suggestions</a>.
              </Next>{' '}
              If there are no bills: <ToBills />
            </p>
          ),
        }}
      />
    </>
  )
}

const keyHref = (key: string): string => hrefOf('tags', withParams({ key, page: null, tab: null }))

function columnsOf(items: readonly { tagKey: string }[]): Column<Key>[] {
  const groups = alike(items.map(({ tagKey }) => tagKey))
  const others = (key: string) => groups.find((some) => some.includes(key))?.filter((one) => one !== key) ?? []
  return [
    {
      title: 'Key',
      text: ({ tagKey }) => tagKey,
      href: ({ tagKey }) => keyHref(tagKey),
      sub: ({ tagKey }) =>
        others(tagKey).length > 0 && (
          <>
            probably the same as{' '}
            {others(tagKey).map((one, at) => (
              <Fragment key={one}>
                {at > 0 && ', '}
                <a href={keyHref(one)}>{one}</a>
              </Fragment>
            ))}
          </>
        ),
    },
    {
      title: 'Cost coverage',
      percent: ({ percentOfTotal }) => percentOfTotal,
      isFigure: false,
      show: ({ tagKey, percentOfTotal }) =>
        percentOfTotal !== undefined && (
          <Meter value={percentOfTotal} label={`Share of costs covered by ${tagKey}`}>
            {percent(percentOfTotal)}
          </Meter>
        ),
    },
    {
      title: 'Cost',
      usd: ({ costUSD }) => costUSD,
      show: ({ tagKey, costUSD }) => <Amount usd={costUSD} receipt={keyReceipt(tagKey)} label={tagKey} />,
    },
    {
      title: 'Change',
      usd: ({ deltaUSD }) => deltaUSD,
      show: ({ deltaUSD, deltaPercent }) => <Change usd={deltaUSD} percent={deltaPercent} />,
    },
    {
      title: 'Resource coverage',
      count: ({ coverage }) => coverage.tagged,
      isFigure: false,
      show: ({ tagKey, coverage: { tagged, untagged } }) => (
        <Meter value={tagged} max={tagged + untagged} label={`Resources with ${tagKey}`}>
          {count(tagged)} <span class="faint">of {pluralize(tagged + untagged, 'resource')}</span>
        </Meter>
      ),
    },
  ]
}
