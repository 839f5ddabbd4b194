/** Connected accounts: how they stand, how fresh they are, and what they may be asked to do now. */
import { useState } from 'preact/hooks'
import type { Reply } from '../../api.ts'
import { ago, timeText } from '../../day.ts'
import { pluralize } from '../../figure.ts'
import { change, hrefOf, param } from '../../router.ts'
import { Act } from '../../part/act.tsx'
import { Confirm } from '../../part/confirm.tsx'
import { Copies } from '../../part/copy.tsx'
import { Driver } from '../../part/driver.tsx'
import { Next } from '../../part/next-step.tsx'
import { Panel } from '../../part/panel.tsx'
import { Empty, ProblemMessage, ReportContent } from '../../part/report-content.tsx'
import { Pages, Table } from '../../part/table.tsx'
import { useRequest, useReport } from '../../report.ts'
import { close } from './connect-query.ts'
import { BilledBy, useBillings } from './billed-by.tsx'
import { BillsOf } from './bill-status.tsx'
import { openCheck } from './permissions.tsx'
import { AccountStatus } from './account-status.tsx'

type Accounts = Reply<'GET /cloud-accounts'>
type Account = Accounts['items'][number]
type Sync = Reply<'GET /billing/sync-status'>

const pageSize = 50

export function Accounts() {
  const page = Number(param('page') ?? 1)
  const search = param('search')
  const report = useReport('GET /cloud-accounts', {
    query: { page, limit: pageSize, search },
    on: ['bill.', 'refresh.', 'inventory.', 'costs.changed'],
  })
  const sync = useReport('GET /billing/sync-status', { on: ['bill.', 'refresh.', 'costs.changed'] })
  const find = (event: Event) =>
    change({ search: (event.target as HTMLInputElement).value || null, page: null }, { replace: true })
  return (
    <Panel title="Connected accounts" tools={<Copies report={report} />}>
      <p class="bar">
        <label>
          Search <input type="search" data-search value={search ?? ''} onInput={find} />
        </label>{' '}
        <Refresh />
      </p>
      <ReportContent report={report} rows={5}>
        {(data: Accounts) =>
          data.total === 0 ? (
            <Empty title={search ? 'No accounts match the search.' : 'No accounts connected yet.'}>
              <p>
                <Next needs={['space.create', 'space.update']} what="Connecting one or uploading a bill">
                  Connect one above, <a href={hrefOf('sources', { tab: 'bills' })}>upload a bill</a>, or let a producer
                  publish: <code>npm run -s tidemark -- producer create</code>.
                </Next>
              </p>
            </Empty>
          ) : (
            <>
              <AccountTable data={data} sync={sync.data ?? []} />
              <Pages page={page} limit={pageSize} total={data.total} onPage={(to: number) => change({ page: to })} />
            </>
          )
        }
      </ReportContent>
    </Panel>
  )
}

function AccountTable({ data, sync }: { data: Accounts; sync: Sync }) {
  const [leaving, setLeaving] = useState<Account | undefined>()
  const bills = new Map(sync.map((one) => [one.cloudAccountID, one]))
  const billingOf = useBillings(data.items)
  const columns = [
    {
      key: 'name',
      title: 'Account',
      by: ({ name }: Account) => name.toLowerCase(),
      show: ({ name, externalID, provider, driver }: Account) => (
        <>
          <span class="clip wide" dir="auto" title={name}>
            {name}
          </span>
          <span class="sub faint">
            {provider} {externalID}
          </span>
          <Driver driver={driver} />
        </>
      ),
    },
    {
      key: 'status',
      title: 'Status',
      by: ({ status }: Account) => status,
      show: (one: Account) => <AccountStatus account={one} />,
    },
    {
      key: 'bills',
      title: 'Bills',
      by: ({ id }: Account) => bills.get(id)?.lastSyncedAt ?? '',
      show: ({ id }: Account) => <BillsOf sync={bills.get(id)} />,
    },
    {
      key: 'billed',
      title: 'Billed by',
      show: (one: Account) => <BilledBy id={one.id} billing={billingOf(one)} />,
    },
    {
      key: 'inventory',
      title: 'Inventory',
      by: ({ lastSyncedAt }: Account) => lastSyncedAt ?? '',
      show: ({ lastSyncedAt }: Account) =>
        lastSyncedAt === null ? (
          <span class="faint">not yet</span>
        ) : (
          <span title={timeText(lastSyncedAt)}>{ago(lastSyncedAt)}</span>
        ),
    },
    {
      key: 'costs',
      title: 'Costs',
      show: ({ id }: Account) => <a href={hrefOf('costs', { cloud_account_id: id })}>Show</a>,
    },
    {
      key: 'do',
      title: 'Actions',
      show: (one: Account) => (
        <>
          <Act
            needs="space.update"
            isSmall
            label={`Check permissions of ${one.name}`}
            onClick={() => openCheck(one.id, { connect: null, step: null })}
          >
            Check permissions
          </Act>{' '}
          <Act
            needs="space.delete"
            isSmall
            class="danger"
            label={`Disconnect ${one.name}`}
            onClick={() => setLeaving(one)}
          >
            Disconnect
          </Act>
        </>
      ),
    },
  ]
  return (
    <>
      <Table caption="Connected accounts" columns={columns} rows={data.items} keyOf={({ id }: Account) => id} />
      {leaving && <Leave account={leaving} onClose={() => setLeaving(undefined)} />}
    </>
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

function Leave({ account, onClose }: { account: Account; onClose: () => void }) {
  const doing = useRequest('DELETE /cloud-accounts/:cloudAccountID')
  const leave = () => {
    // What goes on while it is disconnected is told before the answer comes: nothing is asked of what goes.
    if (param('check') === account.id) close()
    void doing.run({ params: { cloudAccountID: account.id } }, onClose)
  }
  return (
    <Confirm
      title="Disconnect this account?"
      action="Disconnect"
      isDanger
      doing={doing}
      request={{ operation: 'DELETE /cloud-accounts/:cloudAccountID', params: { cloudAccountID: account.id } }}
      onConfirm={leave}
      onClose={onClose}
    >
      <p>
        <strong dir="auto">{account.name}</strong> ({account.provider} {account.externalID}) is no longer queried for
        inventory, metrics or bills. Its existing costs are kept and its credentials are deleted. You can connect it
        again.
      </p>
    </Confirm>
  )
}
