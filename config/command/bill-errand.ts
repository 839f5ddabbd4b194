/** What a run of `ingest billing` sends: a bill, or a part of it, which may replace one that stands; or lines beside it. */
import { statSync } from 'node:fs'
import type { Event } from '#engine/publisher.ts'
import { billingExportEnded, billingLine, periodsMax } from '#streams/billing.ts'
import type { FormatName } from '#streams/billing/format.ts'
import { LineIds } from '#streams/billing/line-id.ts'
import { openBillingFile, type Reading } from '#streams/billing/reader.ts'
import { Tally } from '#streams/billing/tally.ts'
import type { Provider } from '#streams/names.ts'
import {
  chosenExport,
  endsOf,
  exportLine,
  Sent,
  type BillExport,
  type Part,
  type PeriodSent,
} from '#actors/account/bill-export.ts'
import { isAhead } from '#actors/account/bills.ts'
import { verdictOf, type Verdict } from '#actors/account/verdict.ts'
import { seenAt, toldRefused, toldUnread, toldVerdict } from '#config/bill-outcome.ts'
import { billsOf, type Kept } from '#config/bills.ts'
import { UsageError } from '#config/command/command.ts'
import { toldRepeats, watchRepeats, type RepeatWatch } from '#config/command/repeated-bill.ts'
import type { Errand, Target } from '#config/command/ingest.ts'

/** What was asked for. */
export interface Given {
  format: FormatName | 'auto'
  rates: Record<string, string>
  provider: Provider | undefined
  exported: Date | undefined
  files: readonly string[]
  isLone: boolean
  part: Part | undefined
  isNew: boolean
  isConfirmed: boolean
  /** The same command with `--yes`. */
  again: string
}

const readOptions = ({ format, rates, provider }: Given, accountId: string) => ({
  format,
  accountId,
  rates,
  ids: new LineIds(),
  ...(provider && { provider }),
})

/** Lines that are no bill: each for itself. */
export function addition(given: Given, target: Target): Errand<Reading> {
  const { org: orgId, account, send, isRead, isRunning } = target
  const tally = new Tally()
  const sent = new Sent()
  const options = readOptions(given, account)
  return {
    open: (file) => openBillingFile(file, { ...options, exportedAt: given.exported ?? statSync(file).mtime }),
    async take(file, unit, reading) {
      tally.add(file, unit, reading)
      if ('refused' in reading) return
      const { line, cost, isNew } = reading
      sent.add(cost.x_Day.slice(0, 7), cost.x_Day, isNew)
      await send({ subject: billingLine, orgId, data: line } as unknown as Event)
    },
    outcome: () => tally.report(),
    async end() {
      const unread = sent.size > 0 && !(await isRead()) ? [toldUnread(isRunning)] : []
      return { lines: [...unread, ...seenAt(sent.periods(), target.instance.url)] }
    },
  }
}

/** A bill, or a part of one: its lines, and behind them its end, which lets it replace what stands. */
export async function delivery(given: Given, target: Target): Promise<Errand<Reading>> {
  const { org: orgId, account, send } = target
  const one = await exportOf(given, target)
  const watch = await watchRepeats(target, given.isConfirmed)
  const tally = new Tally()
  const sent = new Sent()
  const options = { ...readOptions(given, account), byPeriod: true, exportedAt: new Date(one.at) }
  return {
    open: (file) => openBillingFile(file, options),
    async take(file, unit, reading) {
      tally.add(file, unit, reading)
      if ('refused' in reading) return
      sent.add(reading.period, reading.cost.x_Day, reading.isNew)
      if (one.part && sent.size > periodsMax) throw tooManyPeriods(file)
      await send({
        subject: billingLine,
        orgId,
        data: watch.note(reading, exportLine(reading, one)),
      } as unknown as Event)
    },
    outcome: () => tally.report(),
    end: () => finish(given, target, { one, watch, refused: tally.report().refused, periods: sent.periods() }),
    broken: 'No end was sent, so it replaces nothing: run the command again once the file is whole.',
  }
}

const tooManyPeriods = (file: string): UsageError =>
  new UsageError(
    `${file}: a part may be of ${periodsMax} billing periods, and here is one more. No end was sent, so nothing is replaced: make parts of fewer periods, or give all files in one command without --part.`,
  )

async function exportOf({ exported, files, part, isNew, isConfirmed }: Given, target: Target): Promise<BillExport> {
  const { clock, store } = target.instance.connections
  const nowMs = clock.now()
  const at = exported ?? new Date(Math.max(...files.map((file) => statSync(file).mtimeMs)))
  if (isAhead(at, nowMs))
    throw new UsageError(`The bill would be of ${at.toISOString()}, more than a day from now: say --exported-at.`)
  if (part && !(await target.isCaughtUp()))
    throw new Error('What was sent before is still being read, and it may hold other parts: try again, or give --wait.')
  const { bills } = await billsOf(store.pool, target.org, target.account)
  const one = chosenExport(bills.open, { part, isNew, confirmed: isConfirmed, at, nowMs })
  if (exported && one.at !== at.toISOString())
    throw new UsageError(`The other parts were exported at ${one.at}: leave --exported-at out, or give --new.`)
  return one
}

type Ending = Awaited<ReturnType<NonNullable<Errand<Reading>['end']>>>

interface Delivered {
  one: BillExport
  watch: RepeatWatch
  refused: number
  periods: readonly PeriodSent[]
}

async function finish(given: Given, target: Target, delivered: Delivered): Promise<Ending> {
  const { one, watch, refused, periods } = delivered
  if (periods.length === 0) return { lines: ['nothing was sent, and no bill has changed'] }
  const isDoubtful = refused > 0 && !given.isConfirmed
  const isKnown = !isDoubtful || (await target.isCaughtUp())
  const before = await keptOf(target)
  const stands = periods.some(({ period }) => before.bills.shown[period]?.complete)
  const places = [...watch.remarks(periods), ...seenAt(periods, target.instance.url)]
  const repeats = await watch.found(periods)
  if (repeats.length > 0) {
    await target.isRead()
    const data = { ...dataOf(one, { ...unread(periods, before), state: 'held' }), repeats }
    return { data, lines: [...toldRepeats(repeats, target.account, given.again), ...places], code: 5 }
  }
  if (isDoubtful && (stands || !isKnown)) {
    const verdict = { ...unread(periods, before), state: 'held' as const }
    const lines = toldRefused(verdict.periods, refused, isKnown, given.again)
    await target.isRead()
    return { data: dataOf(one, verdict), lines: [...lines, ...places], code: 4 }
  }
  for (const data of endsOf(one, target.account, periods, given.isConfirmed))
    await target.sendLast({ subject: billingExportEnded, orgId: target.org, data } as unknown as Event)
  if (!(await target.isRead())) {
    const lines = [toldUnread(target.isRunning), ...places]
    return { data: dataOf(one, unread(periods, before)), lines }
  }
  const { bills: after, oldThrough } = await keptOf(target)
  const verdict = verdictOf(after, one)
  const lines = toldVerdict(verdict, one, periods, { before: before.bills, after, oldThrough }, given.again)
  return { data: dataOf(one, verdict), lines: [...lines, ...places], code: codeOf(verdict) }
}

/** Of what is not said by the rows alone. */
const codeOf = ({ state }: Verdict): number | undefined => (state === 'held' ? 4 : state === 'unknown' ? 1 : undefined)

const keptOf = ({ instance, org, account }: Target): Promise<Kept> =>
  billsOf(instance.connections.store.pool, org, account)

/** Before its end is read nobody knows what it comes to. */
function unread(periods: readonly PeriodSent[], { bills }: Kept): Verdict {
  const standing = periods.map(({ period }) => {
    const shown = bills.shown[period]
    return { period, before: shown?.complete ? shown.amount : null, after: null }
  })
  return { state: 'reading', periods: standing, missing: [] }
}

const dataOf = ({ id, at, part }: BillExport, { state, periods, missing }: Verdict) => ({
  exportId: id,
  exportedAt: at,
  state,
  periods,
  ...(part && { part: { ...part, missing } }),
})
