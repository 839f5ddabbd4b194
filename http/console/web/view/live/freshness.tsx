/** How fresh everything is: costs and the newest bills of each account, and when its resources were discovered completely. */
import type { Reply } from '../../api.ts'
import { addDays, ago, dayText, timeText, today } from '../../day.ts'
import { pluralize } from '../../figure.ts'
import { useAccountName } from '../../part/account-name.ts'
import { Copies } from '../../part/copy.tsx'
import { Driver } from '../../part/driver.tsx'
import { ToBills } from '../../part/next-step.tsx'
import { Panel } from '../../part/panel.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { Table } from '../../part/table.tsx'
import { hrefOf } from '../../router.ts'
import { useReport } from '../../report.ts'
import { may } from '../../session.ts'

type Sync = Reply<'GET /billing/sync-status'>
type Account = Sync[number]
type Costs = Reply<'GET /reports/costs/series'>
type SyncTimes = Reply<'GET /resources/last-synced'>

/** Days in which the newest bills are looked for. */
const lookbackDays = 35

export function Freshness() {
  const period = { from: addDays(today(), -lookbackDays + 1), to: today() }
  const query = { ...period, group_by: 'cloud_account_id', granularity: 'daily', top: 50 }
  const costs = useReport('GET /reports/costs/series', { query, on: ['costs.changed'] })
  const bills = useReport('GET /billing/sync-status', { on: ['costs.changed', 'bill.'] })
  const inventory = useReport('GET /resources/last-synced', { on: ['inventory.', 'refresh.'], when: may('space.view') })
  const refresh = useReport('GET /resources/refresh/status', { on: ['refresh.'], when: may('space.view') })
  const { data: running } = refresh
  const nameOf = useAccountName()
  return (
    <Panel
      title="Data freshness"
      tools={
        <>
          <Copies report={costs} of="costs" />
          <Copies report={bills} of="accounts" />
        </>
      }
    >
      <ReportContent report={costs} rows={1}>
        {() => <Sums meta={costs.meta} />}
      </ReportContent>
      {running && (
        <p>
          Discovery: {running.status}
          {running.status === 'running' ? `, ${pluralize(running.discovered, 'resource')} so far` : ''}.
        </p>
      )}
      <ReportContent report={bills} rows={4}>
        {(accounts: Sync) =>
          accounts.length === 0 ? (
            <Empty title="No accounts connected.">
              <p>
                <ToBills />
              </p>
            </Empty>
          ) : (
            <Table
              caption="Freshness by account"
              columns={columnsOf(nameOf, costs.data, inventory.data ?? [])}
              rows={accounts}
              keyOf={({ cloudAccountID }: Account) => cloudAccountID}
            />
          )
        }
      </ReportContent>
    </Panel>
  )
}

function Sums({ meta }: { meta: { costsUpdatedAt?: string | null; costsThrough?: string | null } | undefined }) {
  const { costsUpdatedAt, costsThrough } = meta ?? {}
  if (!costsUpdatedAt) return <p>No costs for the last {lookbackDays} days yet.</p>
  return (
    <p>
      Costs of the last {lookbackDays} days last changed{' '}
      <strong title={timeText(costsUpdatedAt)}>{ago(costsUpdatedAt)}</strong>; the latest day with bills is{' '}
      {costsThrough ? dayText(costsThrough) : 'not known yet'}.
    </p>
  )
}

const when = (time: string | null | undefined, none: string) =>
  time ? (
    <span class="nowrap" title={timeText(time)}>
      {ago(time)}
    </span>
  ) : (
    <span class="faint">{none}</span>
  )

function columnsOf(nameOf: (id: string) => string, costs: Costs | undefined, synced: SyncTimes) {
  const labelOf = (id: string) => costs?.series.find(({ key }) => key['cloud_account_id'] === id)?.label ?? nameOf(id)
  return [
    {
      key: 'account',
      title: 'Account',
      show: ({ cloudAccountID: id, provider, driver }: Account) => (
        <>
          <a href={hrefOf('costs', { 'filter[cloud_account_id]': id })}>
            <span class="clip wide" dir="auto" title={id}>
              {labelOf(id)}
            </span>
          </a>
          <span class="faint">
            {provider} <Driver driver={driver} />
          </span>
        </>
      ),
    },
    {
      key: 'day',
      title: 'Latest day with costs',
      show: ({ cloudAccountID: id }: Account) => {
        const day = costs && newestDay(costs, id)
        return day ? dayText(day) : <span class="faint">none in {lookbackDays} days</span>
      },
    },
    {
      key: 'bills',
      title: 'Bills',
      show: ({ status, message }: Account) => (
        <>
          <span
            class={`badge ${status === 'ok' ? 'good' : status === 'failed' || status === 'stale' ? 'warning' : ''}`}
          >
            {status === 'stale' ? 'late' : status}
          </span>
          {message && (
            <span class="sub" dir="auto">
              {message}
            </span>
          )}
        </>
      ),
    },
    { key: 'read', title: 'Bills last read', show: ({ lastSyncedAt }: Account) => when(lastSyncedAt, 'never') },
    {
      key: 'inventory',
      title: 'Last full inventory',
      show: ({ cloudAccountID: id }: Account) =>
        when(synced.find(({ cloudAccountID }) => cloudAccountID === id)?.lastSyncedAt, 'never'),
    },
  ]
}

/** Of days without any cost nobody knows whether they are billed. */
function newestDay({ periods, series }: Costs, account: string): string | undefined {
  const values = series.find(({ key }) => key['cloud_account_id'] === account)?.values ?? []
  return periods[values.findLastIndex((value) => value !== 0)]
}
