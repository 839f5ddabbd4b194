/** What becomes of an account once it is connected, as it happens: its discovery and its bills. */
import type { Reply } from '../../api.ts'
import { ago, timeText } from '../../day.ts'
import { pluralize } from '../../figure.ts'
import { hrefOf } from '../../router.ts'
import { useReport } from '../../report.ts'
import { may } from '../../session.ts'
import { BillsOf } from './bill-status.tsx'

type Account = Reply<'GET /cloud-accounts/:cloudAccountID'>
type Refresh = Reply<'GET /resources/refresh/status'>

export function AccountProgress({ account, isNew }: { account: Account; isNew: boolean }) {
  const refresh = useReport('GET /resources/refresh/status', { on: ['refresh.'] })
  const sync = useReport('GET /billing/sync-status', { on: ['bill.', 'costs.changed'], when: may('service.view') })
  const title = isNew ? 'What happens next' : 'Data from this account'
  if (account.driver === 'none')
    return (
      <>
        <h3>{title}</h3>
        <p>
          Its cloud API is not called. <a href={hrefOf('sources', { tab: 'bills' })}>Upload a bill</a>, or let a
          producer publish: <code>npm run -s tidemark -- producer create</code>.
        </p>
      </>
    )
  const bills = sync.data?.find(({ cloudAccountID }) => cloudAccountID === account.id)
  return (
    <>
      <h3>{title}</h3>
      <dl class="pairs" aria-label={title} aria-live="polite">
        <div>
          <dt>Discovery</dt>
          <dd>
            <DiscoveryStatus account={account} refresh={refresh.data} />
          </dd>
        </div>
        {may('service.view') && (
          <div>
            <dt>Bills</dt>
            <dd>
              <BillsOf sync={bills} />
            </dd>
          </div>
        )}
      </dl>
    </>
  )
}

function DiscoveryStatus({ account, refresh }: { account: Account; refresh: Refresh | undefined }) {
  const { id, lastSyncedAt, status } = account
  const isRunning = refresh !== undefined && ['queued', 'running', 'canceling'].includes(refresh.status)
  const running = isRunning && <>running: {pluralize(refresh.discovered, 'resource')} so far</>
  if (lastSyncedAt === null)
    return (
      running || (
        <span class="faint">{status === 'error' ? 'waiting until the account is fixed' : 'none finished yet'}</span>
      )
    )
  return (
    <>
      <a href={hrefOf('inventory', { cloud_account_id: id })}>Its resources</a> were last discovered{' '}
      <span title={timeText(lastSyncedAt)}>{ago(lastSyncedAt)}</span>
      {running && <>; {running}</>}
    </>
  )
}
