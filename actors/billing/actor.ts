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

/**
 * Reads a month of history, or the months since that of the day `from`, with the account's connector; implemented in
 * `sync.ts`.
 */
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

/** The bills of one cloud account: first its history, newest month first, then each night new and late lines. */
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

/**
 * A run in progress is not duplicated. But if it does not check the export, a request with a check waits for it to end.
 */
function requestSync(
  sync: BillingSync,
  { provider, runId, check, history = false }: Data<typeof billingSyncRequested>,
  turn: Turn,
): void {
  sync.provider = provider
  // The history is read from elsewhere now: results of the run in progress are ignored.
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

/** Requests the next part to be read. */
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

/** The history ends after the thirteenth month, or when the provider has no older months. */
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
  // If reading the history was interrupted for days, these days are still missing.
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

/** Warnings of a billing period stay until it is read again. Sorted newest billing period first. */
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
