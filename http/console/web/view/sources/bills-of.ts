/** How far the bills of an account have been read. */
import { html } from '../../html.ts'
import type { Reply } from '../../api.ts'
import { ago } from '../../day.ts'
import { counted } from '../../figure.ts'

type Sync = Reply<'GET /billing/sync-status'>

export function BillsOf({ sync }: { sync: Sync[number] | undefined }) {
  if (!sync) return html`<span class="faint">not fetched</span>`
  const { status, lastSyncedAt, message, monthsBackfilled } = sync
  const isWrong = status === 'failed' || status === 'stale'
  return html`<span class=${`badge ${isWrong ? 'warning' : status === 'ok' ? 'good' : ''}`}>${status === 'stale' ? 'late' : status}</span>
    <span class="sub faint">${lastSyncedAt === null ? 'never read' : `read ${ago(lastSyncedAt)}`}${monthsBackfilled ? `; ${counted(monthsBackfilled, 'month')}` : ''}</span>${message && html`<span class="sub">${message}</span>`}`
}
