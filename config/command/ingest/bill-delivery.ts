/** What a run of `ingest billing` sends: a bill, or a part of it, which may replace one that stands; or lines beside it. */
import { firstOf, lastOf } from '#engine/value/day.ts'
import { contentOf, duplicateOf } from '#streams/billing/file/duplicate.ts'
import { billingExportEnded, billingLine, periodsMax } from '#streams/billing/messages.ts'
import type { DayOrder } from '#streams/billing/row/day-order.ts'
import type { FormatName } from '#streams/billing/format/format.ts'
import { LineIds } from '#streams/billing/line/line-id.ts'
import { openBillingFile, surveyOf, type OpenedBill } from '#streams/billing/reader.ts'
import { lineOf } from '#streams/billing/row/own-part.ts'
import type { Reading } from '#streams/billing/row/reading.ts'
import { Tally } from '#streams/billing/row/tally.ts'
import type { CostProvider } from '#streams/names.ts'
import {
  chosenExport,
  endsOf,
  exportLine,
  SentPeriods,
  type ExportIdentity,
  type ExportPart,
  type PeriodSent,
} from '#actors/account/export/bill-export.ts'
import { compareExports, isAhead, type OpenExport } from '#actors/account/bill/bills.ts'
import { layerIds } from '#actors/account/export/layers.ts'
import { daysLost as daysLostOf, shownDays, type DayChoice } from '#actors/account/export/own-days.ts'
import { countBills } from '#analytics/billing/bill.ts'
import { LineStore } from '#actors/billing/line-store.ts'
import { linePorts } from '#config/wiring/line-ports.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { verdictOf, type Verdict } from '#actors/account/export/verdict.ts'
import {
  seenAt,
  toldLost,
  toldOwnDays,
  toldRefused,
  toldSumming,
  toldUnread,
  toldVerdict,
} from '#config/state/bill-outcome.ts'
import { billsOf, type AccountBills } from '#config/state/bills.ts'
import { UsageError } from '#config/command/line/command.ts'
import { toldRepeats, watchRepeats, type RepeatWatch } from './repeated-bill.ts'
import { byRow, type IngestJob, type Target } from './ingest.ts'
import type { Input, Inputs } from './inputs.ts'

type GivenInputs = Pick<Inputs, 'files' | 'warnings'>

/** What was asked for. */
export interface BillOptions {
  format: FormatName | 'auto'
  rates: Record<string, string>
  provider: CostProvider | undefined
  /** How dates such as `05/02/2026` are meant. */
  dates: DayOrder | undefined
  exported: Date | undefined
  isLone: boolean
  part: ExportPart | undefined
  isNew: boolean
  isConfirmed: boolean
  /** Where days would be lost: whether it replaces its own days alone. */
  days: DayChoice | undefined
  /** The same command, and with `--yes`. */
  command: string
  again: string
}

/** What all files say together is found out before any is read. */
async function readOptions(
  { format, rates, provider, dates }: BillOptions,
  accountId: string,
  files: readonly Input[],
) {
  const options = {
    format,
    accountId,
    rates,
    ids: new LineIds(),
    ...(provider && { provider }),
    ...(dates && { dates }),
  }
  const survey = await surveyOf(
    files.filter(({ isLasting }) => isLasting),
    format,
  )
  return ({ isLasting }: Input) => ({ ...options, ...(isLasting && { survey }) })
}

/** Lines that are no bill: each for itself. */
export async function addition(
  given: BillOptions,
  target: Target,
  files: readonly Input[],
): Promise<IngestJob<OpenedBill>> {
  const { org: orgId, account, send, isRead, isRunning } = target
  const tally = new Tally()
  const sent = new SentPeriods()
  const optionsOf = await readOptions(given, account, files)
  return {
    open: async (file) =>
      openBillingFile(await file.open(), { ...optionsOf(file), exportedAt: given.exported ?? file.at }),
    read: byRow<Reading>(async (file, unit, reading) => {
      tally.add(file, unit, reading)
      if ('refused' in reading) return
      const { line, cost, isNew } = reading
      sent.add(cost.x_Day.slice(0, 7), cost, isNew)
      await send({ subject: billingLine, orgId, data: line })
    }),
    outcome: () => tally.report(),
    async end() {
      const unread = sent.size > 0 && !(await isRead()) ? [toldUnread(isRunning)] : []
      return { lines: [...unread, ...seenAt(sent.periods(), target.instance.url)] }
    },
  }
}

/** A bill, or a part of one: its lines, and behind them its end, which lets it replace what stands. */
export async function delivery(
  given: BillOptions,
  target: Target,
  inputs: GivenInputs,
): Promise<IngestJob<OpenedBill>> {
  const { account } = target
  const one = await exportOf(given, target, inputs)
  const watch = await watchRepeats(target, given.isConfirmed)
  const tally = new Tally()
  const sent = new SentPeriods()
  const optionsOf = await readOptions(given, account, inputs.files)
  const more = { byPeriod: true, exportedAt: new Date(one.at) }
  const bill = { one, watch, tally, sent }
  const stored = one.part ? undefined : storing(target, bill)
  return {
    open: async (file) => openBillingFile(await file.open(), { ...optionsOf(file), ...more }),
    read: stored ? stored.read : sending(target, bill),
    outcome: () => tally.report(),
    async end() {
      await stored?.end()
      return finish(given, target, { one, watch, refused: tally.report().refused, periods: sent.periods() })
    },
    broken: 'Nothing was replaced, because the export is incomplete. Run the command again once the file is complete.',
  }
}

/** A bill that is being read. */
interface BillInWork {
  one: ExportIdentity
  watch: RepeatWatch
  tally: Tally
  sent: SentPeriods
}

type ReadBill = IngestJob<OpenedBill>['read']

/** Parts of a bill are sent line by line: another run may send the same part of the same export. */
const sending = ({ org: orgId, send }: Target, { one, watch, tally, sent }: BillInWork): ReadBill =>
  byRow<Reading>(async (file, unit, reading) => {
    tally.add(file, unit, reading)
    if ('refused' in reading) return
    sent.add(reading.period, reading.cost, reading.isNew)
    if (sent.size > periodsMax) throw tooManyPeriods(file)
    watch.note(reading.period, reading.cost)
    const line = exportLine(reading, one)
    await send({ subject: billingLine, orgId, data: watch.isWatching ? { ...line, hiddenUntilEnd: true } : line })
  })

function storing(
  target: Target,
  { one, watch, tally, sent }: BillInWork,
): { read: ReadBill; end: () => Promise<void> } {
  const { org: orgId, account: cloudAccountId, instance, sendLast } = target
  const bill = { ...one, orgId, cloudAccountId, hiddenUntilEnd: watch.isWatching }
  const lines = new LineStore(linePorts(instance.connections, orgId, sendLast), bill)
  return {
    read: (file, opened, step) =>
      opened.into({
        begin: (own) => lines.begin(own),
        takeSame(template, own) {
          tally.addSame(own)
          const line = lineOf(template, own)
          sent.add(own.period, line, own.isNew)
          watch.note(own.period, line)
          lines.takeSame(template, own)
        },
        take(reading) {
          tally.add(file, opened.unit, reading)
          if ('refused' in reading) return
          sent.add(reading.period, reading.cost, reading.isNew)
          watch.note(reading.period, reading.cost)
          lines.take(reading)
        },
        pause() {
          step()
          return lines.pause()
        },
      }),
    end: () => lines.flush(),
  }
}

const tooManyPeriods = (file: string): UsageError =>
  new UsageError(
    `${file}: a part can cover at most ${periodsMax} billing periods, and this one covers more. Nothing was replaced, because the export is incomplete. Split the bill into parts with fewer periods, or pass all files in one command without --part.`,
  )

async function exportOf(
  { exported, part, isNew, isConfirmed }: BillOptions,
  target: Target,
  inputs: GivenInputs,
): Promise<ExportIdentity> {
  const { clock, store } = target.instance.connections
  const nowMs = clock.now()
  const at = exported ?? new Date(Math.max(...inputs.files.map(({ at: written }) => written.getTime())))
  if (isAhead(at, nowMs))
    throw new UsageError(
      `The export time ${at.toISOString()} is more than a day in the future. Set it with --exported-at.`,
    )
  if (part && !(await target.isCaughtUp()))
    throw new Error(
      'Earlier lines are still being processed and may contain other parts. Try again later, or use --wait.',
    )
  const { bills } = await billsOf(store.pool, target.org, target.account)
  const one = chosenExport(bills.open, { part, isNew, confirmed: isConfirmed, at, nowMs })
  if (exported && one.at !== at.toISOString())
    throw new UsageError(
      `The other parts were exported at ${one.at}. Omit --exported-at, or use --new to start another bill.`,
    )
  if (!part) return one
  const contents = await leaveOutSent(
    inputs,
    part,
    bills.open.find(({ id }) => id === one.id),
  )
  return { ...one, contents }
}

/** A file whose content another part has already brought is left out. What the files that remain contain. */
async function leaveOutSent({ files, warnings }: GivenInputs, part: ExportPart, open?: OpenExport): Promise<string[]> {
  const contents: string[] = []
  for (const file of files.filter(({ isLasting }) => isLasting)) {
    const content = await contentOf(file)
    if (content === undefined) continue
    const other = open?.parts?.contents?.[content] ?? part.index
    if (other === part.index) {
      contents.push(content)
      continue
    }
    warnings.push({ file: file.name, ...duplicateOf(`a file of part ${other}`) })
    files.splice(files.indexOf(file), 1)
  }
  return contents
}

type Ending = Awaited<ReturnType<NonNullable<IngestJob['end']>>>

interface DeliveredBill {
  one: ExportIdentity
  watch: RepeatWatch
  refused: number
  periods: readonly PeriodSent[]
}

async function finish(given: BillOptions, target: Target, delivered: DeliveredBill): Promise<Ending> {
  if (delivered.periods.length > 0) return finishSent(given, target, delivered)
  const periods = ofEmptyPart(delivered, (await keptOf(target)).bills)
  if (periods.length === 0) return { lines: ['nothing was sent and no bill was changed'] }
  const ended = await finishSent(given, target, { ...delivered, periods })
  return { ...ended, code: ended.code ?? 0 }
}

/** A part without a line ends too where another part has said of which billing periods the bill is. */
function ofEmptyPart({ one, refused }: DeliveredBill, { open }: AccountBills['bills']): PeriodSent[] {
  const known = open.find(({ id }) => id === one.id)
  const [period] = Object.keys(known?.periods ?? {})
  if (!one.part || !period || refused > 0) return []
  return [{ period, lines: 0, from: firstOf(period), to: lastOf(period), ...(known?.someDays && { someDays: true }) }]
}

async function finishSent(given: BillOptions, target: Target, delivered: DeliveredBill): Promise<Ending> {
  const { one, watch, periods } = delivered
  const isKnown = !isDoubtful(given, delivered) || (await target.isCaughtUp())
  const before = await keptOf(target)
  const places = [...watch.remarks(periods), ...seenAt(periods, target.instance.url)]
  const lost = await lostDays(given, target, delivered, before.bills)
  const held = await whyHeld(given, target, delivered, { before, isKnown, lost })
  if (held) {
    await target.isRead()
    const data = { ...dataOf(one, { ...unread(periods, before), state: 'held' }), ...held.data }
    return { data, lines: [...held.lines, ...places], code: held.code }
  }
  const someDays = isOfOwnDays(given, delivered)
  for (const data of endsOf(one, target.account, periods, { confirmed: given.isConfirmed, someDays }))
    await target.sendLast({ subject: billingExportEnded, orgId: target.org, data })
  if (!(await target.isRead())) {
    const lines = [toldUnread(target.isRunning), ...places]
    return { data: dataOf(one, unread(periods, before)), lines }
  }
  const { bills: after, oldThrough } = await keptOf(target)
  const verdict = verdictOf(after, one)
  const told = toldVerdict(verdict, one, periods, { before: before.bills, after, oldThrough }, given.again)
  const lines = verdict.state === 'held' && lost.length > 0 ? [...told, ...toldOwnDays(lost, given.command)] : told
  if (verdict.state === 'replaced' && !(await target.isShown()))
    return { data: dataOf(one, { ...verdict, state: 'summing' }), lines: [...lines, toldSumming, ...places] }
  return { data: dataOf(one, verdict), lines: [...lines, ...places], code: codeOf(verdict) }
}

/** Rows were refused, and nobody has said that it may be taken without them. */
const isDoubtful = ({ isConfirmed }: BillOptions, { refused }: DeliveredBill): boolean => refused > 0 && !isConfirmed

const isOfOwnDays = ({ days }: BillOptions, { periods }: DeliveredBill): boolean =>
  days === 'own' || (days === undefined && periods.some((sent) => sent.someDays))

interface HoldReason {
  data?: object
  lines: readonly string[]
  code: number
}

/** Why nothing of it may count before somebody says so; undefined where nothing speaks against it. */
async function whyHeld(
  given: BillOptions,
  target: Target,
  delivered: DeliveredBill,
  { before, isKnown, lost }: { before: AccountBills; isKnown: boolean; lost: readonly string[] },
): Promise<HoldReason | undefined> {
  const { one, watch, refused, periods } = delivered
  const repeats = await watch.found(periods)
  if (repeats.length > 0)
    return { data: { repeats }, lines: toldRepeats(repeats, target.account, given.again), code: 5 }
  const stands = periods.some(({ period }) => before.bills.shown[period]?.complete)
  if (isDoubtful(given, delivered) && (stands || !isKnown))
    return { lines: toldRefused(unread(periods, before).periods, refused, isKnown, given.again), code: 4 }
  // The account holds it itself, and says of how much it is.
  const shrinks = periods.some(({ period, lines }) => {
    const shown = before.bills.shown[period]
    return shown?.complete && compareExports(one, shown) > 0 && lines * 2 < shown.amount.lines
  })
  if (lost.length === 0 || shrinks) return undefined
  return { data: { daysLost: lost }, lines: toldLost(lost, given.command), code: 4 }
}

/** Days that show lines now, and would show none: of whole bills that this one is newer than. None where somebody has decided. */
async function lostDays(
  given: BillOptions,
  { instance, org, account }: Target,
  delivered: DeliveredBill,
  { shown }: AccountBills['bills'],
): Promise<string[]> {
  const { one, periods } = delivered
  if (one.part || given.days !== undefined || given.isConfirmed || isOfOwnDays(given, delivered)) return []
  const live = periods.filter(({ period }) => shown[period]?.complete && compareExports(one, shown[period]) > 0)
  const wanted = live.flatMap(({ period }) => layerIds(shown[period]!).map((exportId) => ({ period, exportId })))
  if (wanted.length === 0) return []
  const stored = await countBills(instance.product().get(tokens.reads), org, account, wanted)
  return live.flatMap((sent) => {
    const own = stored.filter(({ period }) => period === sent.period)
    return daysLostOf(shownDays(shown[sent.period]!, own), sent)
  })
}

/** Of what is not said by the rows alone. */
const codeOf = ({ state }: Verdict): number | undefined => (state === 'held' ? 4 : state === 'unknown' ? 1 : undefined)

const keptOf = ({ instance, org, account }: Target): Promise<AccountBills> =>
  billsOf(instance.connections.store.pool, org, account)

/** Before its end is read nobody knows what it comes to. */
function unread(periods: readonly PeriodSent[], { bills }: AccountBills): Verdict {
  const standing = periods.map(({ period }) => {
    const shown = bills.shown[period]
    return { period, before: shown?.complete ? shown.amount : null, after: null }
  })
  return { state: 'reading', periods: standing, missing: [] }
}

/** `summing`: it replaces what stood, and its days are still being added up. */
type Outcome = Omit<Verdict, 'state'> & { state: Verdict['state'] | 'summing' }

const dataOf = ({ id, at, part }: ExportIdentity, { state, periods, missing }: Outcome) => ({
  exportId: id,
  exportedAt: at,
  state,
  periods,
  ...(part && { part: { ...part, missing } }),
})
