/** Connected accounts: how they stand, how fresh they are, and what they may be asked to do now. */
import type { Reply } from '../../api.ts'
import { pluralize } from '../../figure.ts'
import { hrefOf, param } from '../../router.ts'
import { Act } from '../../part/act.tsx'
import { ConfirmButton } from '../../part/confirm-dialog.tsx'
import { Driver } from '../../part/driver.tsx'
import { Next } from '../../part/next-step.tsx'
import type { Column } from '../../part/list/column.tsx'
import { ListView } from '../../part/list/list-view.tsx'
import { ProblemMessage } from '../../part/report-content.tsx'
import { useRequest, useReport } from '../../report.ts'
import { close } from './connect-query.ts'
import { BilledBy, useBillings } from './billed-by.tsx'
import { BillsOf } from './bill-status.tsx'
import { openCheck } from './permissions.tsx'
import { AccountStatus } from './account-status.tsx'

type Account = Reply<'GET /cloud-accounts'>['items'][number]

const pageSize = 50
const filters = [{ name: 'search', title: 'Search' }]

export function Accounts() {
  const report = useReport('GET /cloud-accounts', {
    query: { page: param('page') ?? 1, limit: pageSize, search: param('search') },
    on: ['bill.', 'refresh.', 'inventory.', 'costs.changed'],
  })
  const sync = useReport('GET /billing/sync-status', { on: ['bill.', 'refresh.', 'costs.changed'] })
  const bills = new Map((sync.data ?? []).map((one) => [one.cloudAccountID, one]))
  const billingOf = useBillings(report.data?.items ?? [])
  const columns: Column<Account>[] = [
    {
      title: 'Account',
      text: ({ name }) => name,
      sub: ({ provider, externalID, driver }) => (
        <>
          {provider} {externalID} <Driver driver={driver} />
        </>
      ),
    },
    { title: 'Status', by: ({ status }) => status, show: (one) => <AccountStatus account={one} /> },
    {
      title: 'Bills',
      by: ({ id }) => bills.get(id)?.lastSyncedAt ?? '',
      show: ({ id }) => <BillsOf sync={bills.get(id)} />,
    },
    { title: 'Billed by', show: (one) => <BilledBy id={one.id} billing={billingOf(one)} /> },
    { title: 'Inventory', ago: ({ lastSyncedAt }) => lastSyncedAt, none: 'not yet' },
    { title: 'Costs', isAction: true, show: ({ id }) => <a href={hrefOf('costs', { cloud_account_id: id })}>Show</a> },
    {
      title: 'Actions',
      isAction: true,
      show: (one) => (
        <>
          <Act
            needs="space.update"
            isSmall
            label={`Check permissions of ${one.name}`}
            onClick={() => openCheck(one.id, { connect: null, step: null })}
          >
            Check permissions
          </Act>{' '}
          <Disconnect account={one} />
        </>
      ),
    },
  ]
  return (
    <ListView
      title="Connected accounts"
      noun="accounts"
      report={report}
      columns={columns}
      filters={filters}
      pageSize={pageSize}
      intro={
        <p class="bar">
          <Refresh />
        </p>
      }
      empty={{
        title: 'No accounts connected yet.',
        children: (
          <p>
            <Next needs={['space.create', 'space.update']} what="Connecting one or uploading a bill">
              Connect one above, <a href={hrefOf('sources', { tab: 'bills' })}>upload a bill</a>, or let a producer
              publish: <code>npm run -s tidemark -- producer create</code>.
            </Next>
          </p>
        ),
      }}
    />
  )
}

function Refresh() {
  const doing = useRequest('POST /resources/refresh')
  const status = useReport('GET /resources/refresh/status', { on: ['refresh.'] })
  const running = ['queued', 'running', 'canceling'].includes(status.data?.status ?? '')
  return (
    <>
      <Act needs="space.update" disabled={doing.isBusy || running} onClick={() => void doing.run({ body: {} })}>
        Discover all now
      </Act>
      {running && (
        <span role="status" class="faint">
          discovering: {pluralize(status.data!.discovered, 'resource')} so far
        </span>
      )}
      {doing.problem && <ProblemMessage problem={doing.problem} />}
    </>
  )
}

const Disconnect = ({ account: { id, name, provider, externalID } }: { account: Account }) => (
  <ConfirmButton
    operation="DELETE /cloud-accounts/:cloudAccountID"
    params={{ cloudAccountID: id }}
    needs="space.delete"
    isDanger
    label="Disconnect"
    of={name}
    title="Disconnect this account?"
    action="Disconnect"
    // What goes on while it is disconnected is told before the answer comes: nothing is asked of what goes.
    onSend={() => param('check') === id && close()}
  >
    <p>
      <strong dir="auto">{name}</strong> ({provider} {externalID}) is no longer queried for inventory, metrics or bills.
      Its existing costs are kept and its credentials are deleted. You can connect it again.
    </p>
  </ConfirmButton>
)
