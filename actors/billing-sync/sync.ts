/** Carries out one step of a sync: reads days of a bill by the connector and publishes their lines in the account's own lane. */
import { load, type DiscoverTools } from '#actors/refresh/discover.ts'
import type { EffectCall, EffectWork } from '#engine/effect.ts'
import type { Event } from '#engine/publisher.ts'
import { billingDayClosed, billingLine, type BillingLine } from '#streams/billing.ts'
import { billingMonthSynced, billingSynced, billingSyncFailed } from '#streams/billing-sync.ts'
import type { CloudAccount } from '#streams/cloud/connector.ts'
import { syncBilling, type SyncInput } from './actor.ts'
import { checkExport } from './check.ts'
import { addDays, firstOf, lastOf, newestDay } from './days.ts'

export interface SyncTools extends DiscoverTools {
  now: () => Date
}

/** Bounds of one message: a server takes a megabyte. */
const linesMax = 500
const bytesMax = 600_000

export function syncWork(tools: SyncTools): EffectWork {
  return {
    name: syncBilling.name,
    triesMax: 3,
    pauseMs: 1000,
    run: (input, call) => sync(tools, input as SyncInput, call),
    failed: (input, call, fault) => fail(tools, input as SyncInput, call, fault.message),
  }
}

/** Both included. */
interface Days {
  from: string
  to: string
}

async function sync(tools: SyncTools, input: SyncInput, call: EffectCall): Promise<void> {
  const account = await load(tools, input, call.orgId)
  if (account === undefined) return fail(tools, input, call, 'The account is disabled.')
  const now = tools.now()
  const newest = newestDay(now)
  if (input.check) {
    await checkExport({ reads: tools.reads, connector: tools.connector(input.provider), now, newest }, account)
  }
  const days = daysOf(input, newest)
  const lines = await publishDays(tools, account, days, call)
  const { cloudAccountId, runId, month } = input
  const done = { cloudAccountId, runId, through: days.to, lines, at: tools.now().toISOString() }
  const event = { orgId: call.orgId, id: `${call.key}/done/${call.attempt}` }
  if (month === undefined) await tools.publisher.publish({ ...event, subject: billingSynced, data: done })
  else await tools.publisher.publish({ ...event, subject: billingMonthSynced, data: { ...done, month } })
}

/** Only days that are over. */
function daysOf({ month, from }: SyncInput, newest: string): Days {
  if (month === undefined) return { from: from ?? newest, to: newest }
  const last = lastOf(month)
  return { from: firstOf(month), to: last < newest ? last : newest }
}

/**
 * Publishes the lines of the days, then that the days are finished. Where there is no line at all the account is fed by
 * producers of its own, who say that themselves. How many lines there were.
 */
async function publishDays(
  tools: SyncTools,
  account: CloudAccount,
  { from, to }: Days,
  call: EffectCall,
): Promise<number> {
  let lines = 0
  const send = (events: Event[]) =>
    tools.publisher.publishTogether(`${call.key}/${call.attempt}/${lines}`, events as [Event, ...Event[]])
  for await (const page of tools.connector(account.provider).bill(account, from, to)) {
    for (const events of messagesOf(page, account)) {
      await send(events)
      lines += events.length
    }
    call.signal.throwIfAborted()
  }
  if (lines > 0) await send(closedDays(from, to).map((date) => eventOf(billingDayClosed, account, { date })))
  return lines
}

/** The lines as messages within bounds. */
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

const eventOf = (subject: unknown, { orgId, id }: CloudAccount, data: object): Event =>
  ({ subject, orgId, data: { ...data, cloudAccountId: id } }) as unknown as Event

function closedDays(from: string, to: string): string[] {
  const days: string[] = []
  for (let day = from; day <= to; day = addDays(day, 1)) days.push(day)
  return days
}

async function fail(tools: SyncTools, input: SyncInput, call: EffectCall, message: string): Promise<void> {
  const { cloudAccountId, runId } = input
  await tools.publisher.publish({
    subject: billingSyncFailed,
    orgId: call.orgId,
    data: { cloudAccountId, runId, message: message.slice(0, 2000), at: tools.now().toISOString() },
    id: `${call.key}/failed/${call.attempt}`,
  })
}
