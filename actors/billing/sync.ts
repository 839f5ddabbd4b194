/**
 * Runs one step of a sync: reads billing periods with the connector and publishes their lines to the account's own
 * lane.
 */
import { enabledAccount } from '#actors/account/connection/cloud.ts'
import { noticingRefusal } from '#actors/account/connection/refusal.ts'
import type { Tools } from '#actors/tools.ts'
import type { EffectCall, EffectWork } from '#engine/run/effect.ts'
import { uuidOf } from '#engine/value/id.ts'
import type { Event } from '#engine/run/publisher.ts'
import type { Subject } from '#engine/actor/subject.ts'
import { LineIds } from '#streams/billing/line/line-id.ts'
import type { LineSink } from '#streams/billing/reader.ts'
import { billingDayClosed, billingExportEnded, billingLine, type BillingLine } from '#streams/billing/messages.ts'
import { billingMonthSynced, billingSynced, billingSyncFailed } from '#streams/billing/sync.ts'
import { warningsMax, type BillWarning } from '#streams/billing/warning.ts'
import { checkRefusals } from '#streams/cloud/bill/fault.ts'
import { BillRefusals } from '#streams/cloud/bill/refusals.ts'
import type { CloudAccount } from '#streams/cloud/connector.ts'
import { lineDay } from '#streams/billing/line/cost-line.ts'
import { syncBilling, type SyncInput } from './actor.ts'
import { checkExport } from './check.ts'
import { days, firstOf, lastOf, monthOf, monthsBetween } from '#engine/value/day.ts'
import { newestDay } from './days.ts'
import { cutText } from '#streams/text.ts'
import { retries } from '#streams/retry.ts'

export type SyncTools = Pick<Tools, 'reads' | 'publisher' | 'lineStore' | 'cloudOf' | 'open' | 'now' | 'report'>

/** Maximum lines in one message: the server's limit is a megabyte. */
const linesMax = 500
const bytesMax = 600_000

export function syncWork(tools: SyncTools): EffectWork {
  return {
    name: syncBilling.name,
    pool: 'scan',
    retry: retries.billSync,
    run: (input, call) => {
      const { cloudAccountId } = input as SyncInput
      return noticingRefusal(tools, { ...call, cloudAccountId }, () => sync(tools, input as SyncInput, call))
    },
    failed: (input, call, fault) => fail(tools, input as SyncInput, call, fault.message),
  }
}

async function sync(tools: SyncTools, input: SyncInput, call: EffectCall): Promise<void> {
  const account = await enabledAccount(tools, input, call.orgId)
  if (account === undefined) return fail(tools, input, call, 'The account is disabled.')
  const now = tools.now()
  const newest = newestDay(now)
  if (input.check) {
    await checkExport({ reads: tools.reads, connector: tools.cloudOf(account), now, newest }, account)
  }
  const { cloudAccountId, runId, month } = input
  const periods = month === undefined ? monthsBetween(monthOf(input.from ?? newest), monthOf(newest)) : [month]
  let lines = 0
  const told: string[] = []
  const warnings: BillWarning[] = []
  for (const period of periods) {
    const refusals = new BillRefusals()
    lines += await publishBill(tools, account, { ...startReading(tools, input, period, newest, call), refusals }, call)
    if (refusals.told !== undefined) told.push(`${period}: ${refusals.told}`)
    warnings.unshift(...refusals.warnings.list(period))
  }
  logWarnings(tools, warnings, { orgId: call.orgId, cloudAccountId })
  const through = [lastOf(periods.at(-1) ?? monthOf(newest)), newest].toSorted()[0]!
  if (lines > 0) await closeDays(tools, account, [...days(firstOf(periods[0]!), through)], call)
  const message = told.length > 0 && { message: cutText(told.join(' '), 8192) }
  const noted = { periods, ...(warnings.length > 0 && { warnings: warnings.slice(0, warningsMax) }) }
  const done = { cloudAccountId, runId, through, lines, at: tools.now().toISOString(), ...message, ...noted }
  const event = { orgId: call.orgId, id: `${call.key}/done/${call.attempt}` }
  if (month === undefined) await tools.publisher.publish({ ...event, subject: billingSynced, data: done })
  else await tools.publisher.publish({ ...event, subject: billingMonthSynced, data: { ...done, month } })
}

function logWarnings({ report }: SyncTools, warnings: readonly BillWarning[], of: object): void {
  for (const warning of warnings.slice(0, warningsMax)) report.warn({ ...of, ...warning }, 'a bill has a warning')
}

/**
 * One reading of one billing period, as one export. If it fails, its end is not announced, and the next attempt is a
 * later export.
 */
interface Reading {
  period: string
  exportId: string
  exportedAt: string
  /** First and last day, both complete days and included. */
  from: string
  to: string
  refusals: BillRefusals
}

function startReading(
  tools: SyncTools,
  input: SyncInput,
  period: string,
  newest: string,
  { attempt }: EffectCall,
): Omit<Reading, 'refusals'> {
  const last = lastOf(period)
  return {
    period,
    exportId: exportIdOf(input, period, attempt),
    exportedAt: tools.now().toISOString(),
    from: firstOf(period),
    to: last < newest ? last : newest,
  }
}

/**
 * The export id of one reading of a billing period. If a run takes more than a day for the history, it reads the newest
 * month again as a recent one; that is another export.
 */
export function exportIdOf(
  { runId, month }: Pick<SyncInput, 'runId' | 'month'>,
  period: string,
  attempt: number,
): string {
  const part = `${period}-${month === undefined ? '' : 'h'}${attempt}`
  const id = `${runId}-${part}`
  return isExportId.test(id) ? id : `${uuidOf(runId)}-${part}`
}
const isExportId = /^[!-~]{1,64}$/

/**
 * Stores or publishes the lines of a billing period as one export, then its end, unless too many lines cannot be read: then
 * nothing is replaced. Without any line the account is fed by its own producers, who announce their exports themselves.
 * Returns the number of lines sent.
 */
async function publishBill(
  tools: SyncTools,
  account: CloudAccount,
  reading: Reading,
  call: EffectCall,
): Promise<number> {
  const { period, exportId, exportedAt, from, to, refusals } = reading
  const key = `${call.key}/${call.attempt}/${period}`
  const ids = new LineIds(1 << 10)
  let sent = 0
  let different = 0
  const store = tools.lineStore({ id: exportId, at: exportedAt, orgId: call.orgId, cloudAccountId: account.id })
  const sink: LineSink = {
    begin: (own) => store.begin(own),
    takeSame(template, own) {
      if (ids.isNew(own.day, own.id)) different++
      sent++
      own.period = period
      store.takeSame(template, own)
    },
    take({ cost }) {
      if (ids.isNew(cost.x_Day, cost.x_LineId)) different++
      sent++
      store.take({ cost, period })
    },
    pause() {
      call.signal.throwIfAborted()
      return store.pause()
    },
  }
  for await (const page of tools.cloudOf(account).bill(account, from, to, refusals, sink)) {
    const lines = page.map((line) => ({ ...line, exportId, exportedAt, billingPeriod: period }))
    for (const line of lines) if (ids.isNew(dayOf(line), line.lineId)) different++
    for (const events of messagesOf(lines, account)) {
      await tools.publisher.publishTogether(`${key}/${sent}`, events)
      sent += events.length
    }
    call.signal.throwIfAborted()
  }
  checkRefusals(refusals)
  await store.flush()
  if (sent === 0) return 0
  const end = { exportId, exportedAt, periods: [{ period, lines: different }], ...confirmation(account) }
  await tools.publisher.publish({ ...eventOf(billingExportEnded, account, end), id: `${key}/ended` })
  return sent
}

/** A line without a day counts as sent, so its bill can never be complete. */
function dayOf(line: BillingLine): string {
  try {
    return lineDay(line)
  } catch {
    return ''
  }
}

const confirmation = ({ billingExport }: CloudAccount) => billingExport?.acceptShrink === true && { confirmed: true }

/** Announces that days are closed. */
async function closeDays(tools: SyncTools, account: CloudAccount, days: string[], call: EffectCall): Promise<void> {
  const events = days.map((date) => eventOf(billingDayClosed, account, { date }))
  await tools.publisher.publishTogether(`${call.key}/${call.attempt}/closed`, events)
}

/** The lines as messages within the limits. */
function* messagesOf(page: readonly BillingLine[], account: CloudAccount): Generator<Event[]> {
  let events: Event[] = []
  let bytes = 0
  for (const line of page) {
    const size = Buffer.byteLength(JSON.stringify(line))
    if (events.length >= linesMax || (events.length > 0 && bytes + size > bytesMax)) {
      yield events
      events = []
      bytes = 0
    }
    events.push(eventOf(billingLine, account, line))
    bytes += size
  }
  if (events.length > 0) yield events
}

const eventOf = (subject: Subject, { orgId, id }: CloudAccount, data: object): Event => ({
  subject,
  orgId,
  data: { ...data, cloudAccountId: id },
})

async function fail(tools: SyncTools, input: SyncInput, call: EffectCall, message: string): Promise<void> {
  const { cloudAccountId, runId } = input
  await tools.publisher.publish({
    subject: billingSyncFailed,
    orgId: call.orgId,
    data: { cloudAccountId, runId, message: cutText(message, 2000), at: tools.now().toISOString() },
    id: `${call.key}/failed/${call.attempt}`,
  })
}
