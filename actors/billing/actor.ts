import { openMax } from '#actors/account/bill/bills.ts'
import { defineActor } from '#engine/actor/actor.ts'
import { t, type Static } from '#engine/value/schema.ts'
import type { Effect, Turn } from '#engine/actor/turn.ts'
import {
  billingExportTold,
  billingMonthSynced,
  billingSynced,
  billingSyncFailed,
  billingSyncRequested,
} from '#streams/billing/sync.ts'
import { warningsMax } from '#streams/billing/warning.ts'
import { providers, type Provider } from '#streams/names.ts'
import { addMonths, firstOf, monthOf } from '#engine/value/day.ts'
import { firstMonth, newestDay, oldestMonth } from './days.ts'
import { BillingSync } from './entity.ts'

/** Reads a month of history, or else the months since that of the day `from`, by the account's connector; carried out by `sync.ts`. */
export const syncBilling = {
  name: 'sync-billing',
  schema: t.Object({
    cloudAccountId: t.String(),
    provider: t.Enum(providers),
    runId: t.String(),
    check: t.Boolean(),
    month: t.Optional(t.String()),
    from: t.Optional(t.String()),
  }),
} satisfies Effect
export type SyncInput = Static<typeof syncBilling.schema>

type Data<S extends { schema: Parameters<typeof t.Array>[0] }> = Static<S['schema']>

/** The bills of one cloud account: first its history, newest month first, then night by night what is new and what is late. */
export const billingSyncActor = defineActor({
  kind: 'billing-sync',
  entity: BillingSync,
  address: { orgId: 'orgId', place: 'cloudAccountId', key: 'cloudAccountId' },
  initial: () => ({
    provider: '',
    status: 'pending' as const,
    runId: '',
    isCheck: false,
    waitingRunId: '',
    lastSyncedAt: null,
    through: '',
    nextMonth: '',
    monthsBackfilled: 0,
    message: null,
    told: [],
    warnings: [],
  }),
  reactions: (on) => [
    on(billingSyncRequested, (data) => data.cloudAccountId, requestSync),
    on(billingMonthSynced, (data) => data.cloudAccountId, monthSynced),
    on(billingSynced, (data) => data.cloudAccountId, completeSync),
    on(
      billingSyncFailed,
      (data) => data.cloudAccountId,
      (sync, { runId, message }, turn) => {
        if (sync.runId !== runId) return
        sync.status = 'failed'
        sync.message = message
        end(sync, turn)
      },
    ),
    on(billingExportTold, (data) => data.cloudAccountId, noteExport),
  ],
})

/** A run under way is not doubled; but one that was not to check anything does not stand in for one that is. */
function requestSync(
  sync: BillingSync,
  { provider, runId, check, history = false }: Data<typeof billingSyncRequested>,
  turn: Turn,
): void {
  sync.provider = provider
  // A run under way reads what is elsewhere now: nothing is taken of it any more.
  if (history) Object.assign(sync, { through: '', warnings: [] })
  if (sync.runId === '' || history) {
    begin(sync, runId, check, turn)
  } else if (check && !sync.isCheck && sync.waitingRunId === '') {
    sync.waitingRunId = runId
  }
  turn.reply({ runId: sync.waitingRunId || sync.runId })
}

function begin(sync: BillingSync, runId: string, check: boolean, turn: Turn): void {
  if (sync.through === '') sync.nextMonth = monthOf(newestDay(turn.now))
  sync.status = sync.nextMonth === '' ? 'syncing' : 'backfilling'
  sync.runId = runId
  sync.isCheck = check
  sync.message = null
  step(sync, check, turn)
}

/** Asks for the next thing to be read. */
function step(sync: BillingSync, check: boolean, turn: Turn): void {
  const { orgId, place: cloudAccountId } = turn.address
  const { runId, nextMonth, through } = sync
  const part = nextMonth === '' ? { from: firstOf(firstMonth(through, newestDay(turn.now))) } : { month: nextMonth }
  turn.call(syncBilling, `billing/${orgId}/${cloudAccountId}/${runId}/${nextMonth || 'newest'}`, {
    cloudAccountId,
    provider: sync.provider as Provider,
    runId,
    check,
    ...part,
  })
}

/** History ends behind the thirteenth month, or where the provider has no more of it. */
function monthSynced(sync: BillingSync, data: Data<typeof billingMonthSynced>, turn: Turn): void {
  const { runId, month, lines } = data
  if (sync.runId !== runId || sync.nextMonth !== month) return
  noteWarnings(sync, data)
  sync.message = data.message ?? sync.message
  if (sync.through === '') {
    sync.through = data.through
    sync.monthsBackfilled = 0
  }
  const isBefore = lines === 0 && sync.monthsBackfilled > 0
  if (lines > 0) sync.monthsBackfilled++
  sync.nextMonth = isBefore || month <= oldestMonth(sync.through) ? '' : addMonths(month, -1)
  // A history that was interrupted for days has left these out.
  const isBehind = sync.through < newestDay(turn.now)
  if (sync.nextMonth !== '' || isBehind) step(sync, false, turn)
  else succeed(sync, data.at, turn)
}

function completeSync(sync: BillingSync, data: Data<typeof billingSynced>, turn: Turn): void {
  if (sync.runId !== data.runId || sync.nextMonth !== '') return
  noteWarnings(sync, data)
  sync.message = data.message ?? sync.message
  if (sync.through < data.through) sync.through = data.through
  if (sync.status === 'syncing' && !sync.isCheck) sync.monthsBackfilled = 0
  succeed(sync, data.at, turn)
}

/** Those of a billing period stay until it is read again; the newest billing periods come first. */
function noteWarnings(sync: BillingSync, { periods = [], warnings = [] }: Data<typeof billingSynced>): void {
  const others = sync.warnings.filter(({ period }) => !periods.includes(period))
  sync.warnings = [...warnings, ...others]
    .toSorted((a, b) => (a.period === b.period ? 0 : a.period > b.period ? -1 : 1))
    .slice(0, warningsMax)
}

function succeed(sync: BillingSync, at: string, turn: Turn): void {
  sync.status = 'ok'
  sync.lastSyncedAt = new Date(at)
  end(sync, turn)
}

function end(sync: BillingSync, turn: Turn): void {
  const { waitingRunId } = sync
  sync.runId = ''
  sync.isCheck = false
  sync.waitingRunId = ''
  if (waitingRunId !== '') begin(sync, waitingRunId, true, turn)
}

function noteExport(sync: BillingSync, { exportId, state, message }: Data<typeof billingExportTold>): void {
  const others = sync.told.filter((one) => one.exportId !== exportId)
  sync.told = state === 'replaced' || state === 'removed' ? others : [...others, { exportId, message }].slice(-openMax)
}
