/** How far the bills of an account have been read. */
import type { Reply } from '../../api.ts'
import { ago, monthText } from '../../day.ts'
import { count, pluralize } from '../../figure.ts'

type Sync = Reply<'GET /billing/sync-status'>

export function BillsOf({ sync }: { sync: Sync[number] | undefined }) {
  if (!sync) return <span class="faint">not fetched</span>
  const { status, lastSyncedAt, message, monthsBackfilled, warnings = [] } = sync
  const isWrong = status === 'failed' || status === 'stale'
  return (
    <>
      <span class={`badge ${isWrong ? 'warning' : status === 'ok' ? 'good' : ''}`}>
        {status === 'stale' ? 'late' : status}
      </span>
      <span class="sub faint">
        {lastSyncedAt === null ? 'never read' : `read ${ago(lastSyncedAt)}`}
        {monthsBackfilled ? `; ${pluralize(monthsBackfilled, 'month')}` : ''}
      </span>
      {message && <span class="sub">{message}</span>}
      {warnings.length > 0 && <Warnings warnings={warnings} />}
    </>
  )
}

type Warning = NonNullable<Sync[number]['warnings']>[number]

const placeOf = ({ file, line, element }: Warning['rows'][number]): string =>
  line !== undefined ? `${file} line ${line}` : element !== undefined ? `${file} element ${element}` : file

/** What is to be known of the bills that were read, the newest billing period first. */
const Warnings = ({ warnings }: { warnings: readonly Warning[] }) => (
  <details>
    <summary>{pluralize(warnings.length, 'warning')} about the bills</summary>
    <ul>
      {warnings.map(({ period, code, reason, count: times, rows }) => (
        <li key={`${period} ${code} ${reason}`}>
          {monthText(period)}: {reason}
          {times > 1 && ` (${count(times)})`}{' '}
          <span class="sub faint">
            {code}: {rows.map(placeOf).join(', ')}
          </span>
        </li>
      ))}
    </ul>
  </details>
)
