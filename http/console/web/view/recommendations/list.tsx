/** The three lists: recommendations, and what they come to by resource and by rule. */
import type { Reply } from '../../api.ts'
import { ago, timeText } from '../../day.ts'
import { count, pluralize, usd } from '../../figure.ts'
import { Pages, Table } from '../../part/table.tsx'
import { change, hrefOf, param, withParams } from '../../router.ts'
import { markOpening } from '../anomalies/focus-on-open.ts'
import { pageSize, type RecommendationsQuery } from './query.ts'
import { categoryName, severityBadge, statusBadge, statusName, type Recommendation } from './labels.ts'

const turn = (to: number) => change({ page: to === 1 ? null : to })

export const Severity = ({ severity }: { severity: string }) => (
  <span class={`badge ${severityBadge(severity)}`}>{severity}</span>
)

export const Status = ({ one }: { one: Recommendation }) => (
  <span class={`badge ${statusBadge[one.status]}`}>{statusName(one.status)}</span>
)

export function List({ data, asked }: { data: Reply<'GET /recommendations'>; asked: RecommendationsQuery }) {
  return (
    <>
      <p class="faint" role="status">
        {pluralize(data.total, 'recommendation')}. Savings are 30-day estimates; savings on the same resource add up.
      </p>
      <ul class="list stories roomy">
        {data.items.map((one) => (
          <Item key={one.id} one={one} />
        ))}
      </ul>
      <Pages page={asked.page} limit={pageSize} total={data.total} onPage={turn} />
    </>
  )
}

function Item({ one }: { one: Recommendation }) {
  const { id, title, savingsUsd, currentCostUsd, resourceName, resourceUid, cloudAccountName, category } = one
  const isOpen = param('rec') === id
  const name = resourceName || resourceUid
  return (
    <li class={isOpen ? 'open' : ''}>
      <a
        class="what clip"
        dir="auto"
        title={title}
        href={hrefOf('recommendations', withParams({ rec: id }))}
        aria-current={isOpen ? 'true' : undefined}
        onClick={markOpening}
      >
        {title}
      </a>
      <span class="end">
        <strong class="figure">{usd(savingsUsd)}</strong> <span class="faint figure">of {usd(currentCostUsd)}</span>
      </span>
      <span class="line">
        <Severity severity={one.severity} />{' '}
        {one.status !== 'open' && (
          <>
            <Status one={one} />{' '}
          </>
        )}
        <span class="faint">
          {categoryName(category)} ·{' '}
          <span class="clip tight" dir="auto" title={resourceUid}>
            {name}
          </span>{' '}
          ·{' '}
          <span class="clip tight" dir="auto" title={cloudAccountName}>
            {cloudAccountName}
          </span>{' '}
          ·{' '}
          <time class="nowrap" datetime={one.updatedAt} title={timeText(one.updatedAt)}>
            {ago(one.updatedAt)}
          </time>
        </span>
      </span>
      {noteOf(one) && <span class="faint line">{noteOf(one)}</span>}
    </li>
  )
}

export function noteOf({ heldBackBy, staleSince, stillFires, snoozedUntil }: Recommendation): string {
  if (staleSince) return `No data since ${timeText(staleSince)}: it is excluded from all totals.`
  if (heldBackBy)
    return `Superseded by ${heldBackBy}, which is shown instead: it counts no savings while both are open.`
  if (stillFires) return 'It was marked done at least 14 days ago and is still found.'
  return snoozedUntil ? `Snoozed until ${timeText(snoozedUntil)}.` : ''
}

type ByResource = Reply<'GET /recommendations/resources'>
type OfResource = ByResource['items'][number]

/** All the others that the address asks for stay. */
const within = (narrowed: Record<string, string>) =>
  hrefOf('recommendations', withParams({ by: null, page: null, rec: null, ...narrowed }))

export function Resources({ data, asked }: { data: ByResource; asked: RecommendationsQuery }) {
  return (
    <>
      <Table
        caption="Recommendations by resource"
        columns={resourceColumns}
        rows={data.items}
        keyOf={(row: OfResource) => `${row.cloudAccountId} ${row.resourceUid}`}
      />
      <Pages page={asked.page} limit={pageSize} total={data.total} onPage={turn} />
    </>
  )
}

const savings = {
  key: 'savings',
  title: 'Potential savings, 30 days',
  isFigure: true,
  show: ({ totalSavingsUsd }: { totalSavingsUsd: number }) => usd(totalSavingsUsd),
}

const resourceColumns = [
  {
    key: 'resource',
    title: 'Resource',
    show: ({ resourceUid, resourceName, resourceType }: OfResource) => (
      <>
        <a class="clip" dir="auto" title={resourceUid} href={within({ resource_uid: resourceUid })}>
          {resourceName || resourceUid}
        </a>
        <span class="faint">{resourceType}</span>
      </>
    ),
  },
  {
    key: 'account',
    title: 'Account',
    show: ({ cloudAccountName, provider }: OfResource) => (
      <>
        <span class="clip tight" dir="auto" title={cloudAccountName}>
          {cloudAccountName}
        </span>
        <span class="faint">{provider}</span>
      </>
    ),
  },
  savings,
  {
    key: 'open',
    title: 'Open',
    isFigure: true,
    show: ({ openCount, recommendationCount }: OfResource) => (
      <>
        {count(openCount)}
        {recommendationCount > openCount && <span class="faint">of {count(recommendationCount)}</span>}
      </>
    ),
  },
]

type ByRule = Reply<'GET /recommendations/rules'>
type OfRule = ByRule['items'][number]

export function Rules({ data, asked }: { data: ByRule; asked: RecommendationsQuery }) {
  return (
    <>
      <Table
        caption="Recommendations by rule"
        columns={ruleColumns}
        rows={data.items}
        keyOf={({ ruleId }: OfRule) => ruleId}
      />
      <Pages page={asked.page} limit={pageSize} total={data.total} onPage={turn} />
    </>
  )
}

const ruleColumns = [
  {
    key: 'rule',
    title: 'Rule',
    show: ({ ruleId, title }: OfRule) => (
      <>
        <a class="clip wide" title={title} href={within({ rule_id: ruleId })}>
          {title}
        </a>
        <span class="faint">{ruleId}</span>
      </>
    ),
  },
  {
    key: 'kind',
    title: 'Category',
    show: ({ category, severity }: OfRule) => (
      <>
        {categoryName(category)} <Severity severity={severity} />
      </>
    ),
  },
  savings,
  {
    key: 'open',
    title: 'Open',
    isFigure: true,
    show: ({ openCount, resourceCount }: OfRule) => (
      <>
        {count(openCount)}
        <span class="faint">{pluralize(resourceCount, 'resource')}</span>
      </>
    ),
  },
  {
    key: 'if',
    title: 'What-if',
    show: ({ ruleId }: OfRule) => (
      <a href={hrefOf('what-if', { kind: 'rule', rule: ruleId })} aria-label={`What-if for ${ruleId}`}>
        What-if…
      </a>
    ),
  },
]
