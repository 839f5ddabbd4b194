/** The lists of recommendations, and of their sums by resource. */
import type { Reply } from '../../api.ts'
import { timeText } from '../../day.ts'
import { count, pluralize, usd } from '../../figure.ts'
import { keyOfColumn, type Column } from '../../part/list/column.tsx'
import { ListView } from '../../part/list/list-view.tsx'
import { Next } from '../../part/next-step.tsx'
import { hrefOf, param, withParams } from '../../router.ts'
import { useReport } from '../../report.ts'
import { markOpening } from '../anomalies/focus-on-open.ts'
import { DismissSelected } from './dismiss-selected.tsx'
import { pageSize, type RecommendationsQuery } from './query.ts'
import { categoryName, severityBadge, statusBadge, statusName, type Recommendation } from './labels.ts'

export interface ListProps {
  asked: RecommendationsQuery
}

export const on = ['recommendation.', 'inventory.']

export const Severity = ({ severity }: { severity: string }) => (
  <span class={`badge ${severityBadge(severity)}`}>{severity}</span>
)

export const Status = ({ one }: { one: Recommendation }) => (
  <span class={`badge ${statusBadge[one.status]}`}>{statusName(one.status)}</span>
)

/** The same in the view that analysts have. */
const openSql = `SELECT title, rule_id, severity, savings_usd, current_cost_usd
FROM recommendations
WHERE status = 'open'
ORDER BY savings_usd DESC`

export const none = ({ asked: { narrowed, isOpen } }: ListProps) => ({
  narrowedBy: narrowed,
  empty: isOpen ? nothingOpen : nothingInStatus,
})

const nothingInStatus = {
  title: 'No recommendations with this status.',
  children: (
    <p>
      <a href={hrefOf('recommendations')}>Show open recommendations</a>
    </p>
  ),
}

const nothingOpen = {
  title: 'No recommendations.',
  children: (
    <p>
      Rules evaluate resources when they are discovered, and their usage and bills once a day. Missing data never
      produces a recommendation. The next evaluation is at 04:45 UTC.{' '}
      <Next needs="space.create" what="Connecting an account">
        <a href={hrefOf('sources')}>Connect an account</a> to evaluate its resources.
      </Next>
    </p>
  ),
}

const columns: Column<Recommendation>[] = [
  {
    title: 'Recommendation',
    csv: ({ title }) => title,
    show: ({ id, title }) => (
      <a
        dir="auto"
        href={hrefOf('recommendations', withParams({ rec: id }))}
        aria-current={param('rec') === id ? 'true' : undefined}
        onClick={markOpening}
      >
        {title}
      </a>
    ),
    sub: (one) => noteOf(one) || categoryName(one.category),
  },
  {
    title: 'Savings, 30 days',
    usd: ({ savingsUsd }) => savingsUsd,
    sub: ({ currentCostUsd }) => `of ${usd(currentCostUsd)}`,
  },
  { title: 'Severity', text: ({ severity }) => severity, badge: ({ severity }) => severityBadge(severity) },
  { title: 'Status', text: ({ status }) => statusName(status), badge: ({ status }) => statusBadge[status] },
  {
    title: 'Resource',
    text: ({ resourceName, resourceUid }) => resourceName || resourceUid,
    hint: ({ resourceUid }) => resourceUid,
    sub: ({ cloudAccountName }) => cloudAccountName,
  },
  { title: 'Changed', ago: ({ updatedAt }) => updatedAt },
]

/** Beside an open one there is room for what it is and what it saves. */
const narrow = columns.filter((one) => ['Recommendation', 'Savings, 30 days', 'Severity'].includes(keyOfColumn(one)))

/** In the group of a rule. */
export const groupColumns = columns.filter((one) =>
  ['Recommendation', 'Savings, 30 days', 'Severity', 'Resource', 'Changed'].includes(keyOfColumn(one)),
)

export function Ones({ asked }: ListProps) {
  const report = useReport('GET /recommendations', { query: asked.query, on })
  const isBeside = param('rec') !== undefined
  return (
    <ListView
      {...none({ asked })}
      title="Recommendations"
      noun="recommendations"
      report={report}
      sql={asked.narrowed.length === 0 && asked.isOpen ? openSql : undefined}
      columns={isBeside ? narrow : columns}
      pageSize={pageSize}
      bones={8}
      bulk={
        asked.isOpen && !isBeside
          ? {
              nameOf: ({ title }) => title,
              actions: (rows, clear) => <DismissSelected rows={rows} onDone={clear} />,
            }
          : undefined
      }
      summary={({ total }: Reply<'GET /recommendations'>) =>
        total > 0 && (
          <p class="faint" role="status">
            {pluralize(total, 'recommendation')}. Savings are 30-day estimates; savings on the same resource add up.
          </p>
        )
      }
    />
  )
}

export function noteOf({ heldBackBy, staleSince, stillFires, snoozedUntil }: Recommendation): string {
  if (staleSince) return `No data since ${timeText(staleSince)}: it is excluded from all totals.`
  if (heldBackBy)
    return `Superseded by ${heldBackBy}, which is shown instead: it counts no savings while both are open.`
  if (stillFires) return 'It was marked done at least 14 days ago and is still found.'
  return snoozedUntil ? `Snoozed until ${timeText(snoozedUntil)}.` : ''
}

/** All the others that the address asks for stay. */
export const within = (narrowed: Record<string, string>) =>
  hrefOf('recommendations', withParams({ by: null, page: null, rec: null, ...narrowed }))

export const savings = {
  title: 'Potential savings, 30 days',
  usd: ({ totalSavingsUsd }: { totalSavingsUsd: number }) => totalSavingsUsd,
}

const resourceColumns: Column<Reply<'GET /recommendations/resources'>['items'][number]>[] = [
  {
    title: 'Resource',
    text: ({ resourceUid, resourceName }) => resourceName || resourceUid,
    hint: ({ resourceUid }) => resourceUid,
    href: ({ resourceUid }) => within({ resource_uid: resourceUid }),
    sub: ({ resourceType }) => resourceType,
  },
  { title: 'Account', text: ({ cloudAccountName }) => cloudAccountName, sub: ({ provider }) => provider },
  savings,
  {
    title: 'Open',
    count: ({ openCount }) => openCount,
    sub: ({ openCount, recommendationCount }) => recommendationCount > openCount && `of ${count(recommendationCount)}`,
  },
]

export function OfResources({ asked }: ListProps) {
  const report = useReport('GET /recommendations/resources', { query: asked.query, on })
  return (
    <ListView
      {...none({ asked })}
      title="Resources"
      noun="recommendations by resource"
      caption="Recommendations by resource"
      report={report}
      columns={resourceColumns}
      keyOf={({ cloudAccountId, resourceUid }) => `${cloudAccountId} ${resourceUid}`}
      pageSize={pageSize}
      bones={8}
    />
  )
}
