import { CloudAccount } from '#actors/account/entity.ts'
import { BillingSync, syncStatuses } from '#actors/billing/entity.ts'
import { standingText } from '#actors/billing/open-export-text.ts'
import { billsLeftOut } from '#analytics/cost/overlap/questions.ts'
import { addDays, dayOf } from '#engine/value/day.ts'
import { formatDecimal as rounded } from '#engine/value/decimal.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { Driver, driverOf } from '#http/account/driver.ts'
import { actorReply } from '#http/edge/request/decode.ts'
import { orNull, Timestamp, timestamp } from '#http/edge/parameter/field.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import type { Services } from '#http/edge/services.ts'
import { billingSyncRequested } from '#streams/billing/sync.ts'
import type { BillWarning } from '#streams/billing/warning.ts'
import { isProvider } from '#streams/names.ts'

const Warning = t.Object(
  {
    period: t.String({ description: 'billing period, YYYY-MM' }),
    code: t.String({ description: 'stable; the same codes as for uploads' }),
    reason: t.String({ description: 'message of the first one' }),
    count: t.Integer({ description: 'rows; files if the warning is about whole files' }),
    rows: t.Array(
      t.Object({
        file: t.String(),
        line: t.Optional(
          t.Integer({ description: 'line in the file, starting at 1; for Parquet, the row; omitted for whole files' }),
        ),
        element: t.Optional(t.Integer({ description: "index in the file's JSON array, starting at 1" })),
      }),
      { description: 'the first five' },
    ),
  },
  { title: 'BillWarning' },
)

const BillingSyncEntry = t.Object(
  {
    cloudAccountID: t.String(),
    provider: t.String({ description: 'aws, gcp or azure; empty until some data of the account names the provider' }),
    driver: Driver,
    lastSyncedAt: orNull(Timestamp),
    status: t.Enum([...syncStatuses, 'stale'], { description: 'stale: ok, but more than 36 hours ago' }),
    monthsBackfilled: t.Optional(
      t.Integer({ minimum: 1, description: 'months of history received, until the first nightly run after it' }),
    ),
    message: t.Optional(
      t.String({
        description:
          'why the last sync failed, or which rows of the bill were rejected; then why each delivered bill was not accepted: it is incomplete, or it is less than half of ' +
          'the bill it would replace (confirm it, or set acceptShrink in billingExport); then costs of the last 90 days that are ' +
          'not counted because they also appear in the bill of another account',
      }),
    ),
    warnings: t.Optional(
      t.Array(Warning, {
        description:
          'warnings about the bills, as last read: newest billing period first, at most 100; omitted if there are none',
      }),
    ),
  },
  {
    title: 'BillingSyncEntry',
    examples: [
      {
        cloudAccountID: 'acct-1',
        provider: 'aws',
        driver: 'real',
        lastSyncedAt: '2026-01-15T10:00:00.000Z',
        status: 'ok',
        warnings: [
          {
            period: '2026-01',
            code: 'tags_left_out',
            reason: 'The tags cannot be read.',
            count: 12,
            rows: [{ file: 'daily/20260101-20260201/daily-1.csv.gz', line: 7 }],
          },
        ],
      },
    ],
  },
)
type BillingSyncEntry = Static<typeof BillingSyncEntry>

/** Milliseconds after a success until the status is stale (decision G-90). */
const freshMs = 36 * 3_600_000

const initialSync = {
  status: 'pending',
  lastSyncedAt: null,
  monthsBackfilled: 0,
  message: null,
  told: [],
  warnings: [],
} as const

const shownWarning = ({ message: reason, first, ...warning }: BillWarning): Static<typeof Warning> => ({
  ...warning,
  reason,
  rows: first.map(({ file, row, element }) => ({
    file,
    ...(row !== undefined && { line: row }),
    ...(element !== undefined && { element }),
  })),
})

/**
 * Status of an account's bills at `now`. `sync` is undefined if it was never synced. `twice`: what another bill repeats
 * of it.
 */
export function shownSync(
  account: CloudAccount,
  sync: BillingSync | undefined,
  now: Date,
  twice = '',
): Omit<BillingSyncEntry, 'driver'> {
  const { id, provider, bills } = account
  const { status, lastSyncedAt, monthsBackfilled, message, told, warnings } = sync ?? initialSync
  const said = [...(message ? [message] : []), ...standingText(told, bills), ...(twice ? [twice] : [])].join(' ')
  const isStale = status === 'ok' && now.getTime() - (lastSyncedAt?.getTime() ?? 0) > freshMs
  return {
    cloudAccountID: id,
    provider,
    lastSyncedAt: timestamp(lastSyncedAt),
    status: isStale ? 'stale' : status,
    ...(monthsBackfilled > 0 && { monthsBackfilled }),
    ...(said !== '' && { message: said }),
    ...(warnings.length > 0 && { warnings: warnings.map(shownWarning) }),
  }
}

/** Days for which the status mentions what another bill repeats. */
const overlapDays = 90

/** By account. If the sums cannot be read, the rest of the status is still shown. */
async function leftOutTexts(
  accounts: readonly CloudAccount[],
  analytics: Services['analytics'],
  now: Date,
): Promise<Map<string, string>> {
  const to = dayOf(now)
  const rows = await analytics(billsLeftOut, { from: addDays(to, -overlapDays), to }).catch(() => [])
  const names = new Map(accounts.map(({ id, name }) => [id, name]))
  return new Map(
    rows.map(({ cloud_account_id, first_month, last_month, counted, left_out_usd }) => {
      const months = first_month === last_month ? first_month : `${first_month} to ${last_month}`
      const others = counted.map((id) => names.get(id) ?? id).join(', ')
      return [
        cloud_account_id,
        `${months}: ${rounded(String(left_out_usd), 2)} USD also appear in the bill of ${others} and count only there.`,
      ]
    }),
  )
}

const syncsOf = (em: Services['em'], orgId: string): Promise<BillingSync[]> => em.find(BillingSync, { orgId })

/** The accounts whose costs the caller may see, by name. */
function accountsOf(em: Services['em'], { orgId, reportScope }: Caller): Promise<CloudAccount[]> {
  const within = reportScope.all ? {} : { id: { $in: [...reportScope.cloudAccountIDs] } }
  return em.find(
    CloudAccount,
    { orgId, status: { $ne: 'deleted' }, ...within },
    { orderBy: { name: 'asc', id: 'asc' } },
  )
}

const readReply = actorReply(t.Object({ runId: t.String() }))

/**
 * Requests a run with a check for every account. An account with a run in progress keeps it, so requests at the same
 * time get the same id.
 * @throws Fault `transient` if an account did not answer in time; the others have started all the same
 */
async function verify({ orgId }: Caller, { em, ask, newId }: Services): Promise<string> {
  const runs = await syncsOf(em, orgId)
  const running = runs.map((run) => run.waitingRunId || (run.isCheck ? run.runId : '')).find((id) => id !== '')
  if (running !== undefined) return running
  const accounts = await em.find(
    CloudAccount,
    { orgId, status: { $nin: ['disabled', 'deleted'] } },
    { orderBy: { id: 'asc' } },
  )
  const runId = newId()
  const asked = await Promise.allSettled(
    accounts.flatMap(({ id: cloudAccountId, provider }) =>
      isProvider(provider) ? [ask(billingSyncRequested, { cloudAccountId, provider, runId, check: true })] : [],
    ),
  )
  const replies = asked.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason
    return readReply(outcome.value).runId
  })
  return replies[0] ?? runId
}

const routeBase = { tags: ['Billing'] } as const

export const billing: readonly Route[] = [
  route({
    ...routeBase,
    method: 'GET',
    path: '/billing/sync-status',
    summary: 'List the bill sync status of each cloud account, sorted by name',
    description:
      'Shows the last sync of each account, the number of months read, and the error if it failed. A role that is limited to some accounts gets only those. Does not query the cloud.',
    permission: 'service.view',
    reply: t.Array(BillingSyncEntry),
    handle: async ({ caller }, { em, now, cloudOf, analytics }) => {
      const accounts = await accountsOf(em, caller)
      const twice = await leftOutTexts(accounts, analytics, now())
      const syncs = new Map((await syncsOf(em, caller.orgId)).map((sync) => [sync.cloudAccountId, sync]))
      return accounts.map((account) => ({
        ...shownSync(account, syncs.get(account.id), now(), twice.get(account.id)),
        driver: driverOf(account, cloudOf),
      }))
    },
  }),

  route({
    ...routeBase,
    method: 'POST',
    path: '/billing/verify',
    summary: 'Check the billing exports of all cloud accounts and sync them now',
    description:
      'Checks that each export is reachable, that its lines can be parsed (schema) and that there is an export from the last ' +
      'three days (sample), then syncs. The status of each account shows the result. If a sync is already running, it is ' +
      'returned instead of starting a second one.',
    permission: 'service.update',
    status: 202,
    reply: t.Object({ jobID: t.String(), status: t.Literal('queued') }),
    example: { jobID: '4e9e6679-7425-80de-944b-e07fc1f90ae7', status: 'queued' },
    handle: async ({ caller }, services) => ({ jobID: await verify(caller, services), status: 'queued' as const }),
  }),
]
