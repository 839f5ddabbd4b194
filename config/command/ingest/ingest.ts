/** What the commands that read files have in common: open all, read all, send, wait, say what came of it. */
import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { Fault } from '#engine/value/fault.ts'
import type { Event } from '#engine/run/publisher.ts'
import { Sender } from '#engine/run/sender.ts'
import { duplicateOf, duplicatesIn } from '#streams/billing/file/duplicate.ts'
import { notBill, notBillCodes } from '#streams/billing/file/member.ts'
import type { RowStream, RowUnit } from '#streams/billing/file/source.ts'
import type { RowPosition, Refusals } from '#streams/billing/row/tally.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { UsageError, type Result } from '#config/command/line/command.ts'
import { withOrganization } from '#config/command/line/engine.ts'
import { argumentList, requiredText, org, readAs, toggle, type FlagValues } from '#config/command/line/flag.ts'
import { Inputs, mustExist as mustBeThere, type Input, type InputWarning } from './inputs.ts'
import { havePassed, isSummed, laneEnds, waitUntilSettled } from '#config/state/wait-for-ingest.ts'
import type { Instance } from '#config/product/instance.ts'
import { Progress } from '#config/process/progress.ts'

/** What every command that reads files takes. */
export const ingestFlags = {
  files: readAs(
    argumentList(
      'FILE..',
      'Files, folders, or prefixes (s3://BUCKET/PREFIX, https://ACCOUNT.blob.core.windows.net/CONTAINER/DIRECTORY, gs://BUCKET/PREFIX): CSV, JSON or Parquet, plain, gzip or zip; export manifests determine which files are used',
    ),
    (files, _, usage) => {
      if (files.length === 0) throw new UsageError(`No file given. Usage: ${usage}`)
      for (const file of files) mustBeThere(file)
      return files
    },
  ),
  org,
  account: requiredText('ID', 'Cloud account ID'),
  wait: toggle('Wait until the rows are in reports'),
}

/** What the files came to. */
export interface IngestOutcome {
  rows: number
  accepted: number
  refused: number
  reasons: readonly Refusals[]
  /** What was left out of accepted rows. */
  warnings?: readonly Refusals[]
  /** Accepted rows of bills with an amount that is stored rounded. */
  rounded?: number
  billed?: Record<string, string>
  billedUsd?: string
}

/** Where what is read goes. */
export interface Target {
  instance: Instance
  org: string
  account: string
  send: (event: Event) => Promise<void>
  /** Whether an engine reads what is sent. */
  isRunning: boolean
  /** Sends a message behind all that was sent before. */
  sendLast: (event: Event) => Promise<void>
  /** Whether everything has been read that anybody had sent before this command; waits for it if somebody reads. */
  isCaughtUp: () => Promise<boolean>
  /** Whether all that this command has sent has been read; waits for it if somebody reads, with `--wait` also for the reports. */
  isRead: () => Promise<boolean>
  /** Whether reports show what has been read of the account; waits for it if an engine runs. */
  isShown: () => Promise<boolean>
}

/** One run over files of one kind. */
export interface IngestJob<O extends OpenFile = OpenFile> {
  open: (input: Input) => Promise<O>
  /** Counts and sends what is in the file. `step` is called now and then. */
  read: (file: string, opened: O, step: () => void) => Promise<void>
  outcome: () => IngestOutcome
  /** Ends what was sent; says so in data, in lines behind the counts, and by another exit code than theirs. */
  end?: () => Promise<{ data?: object; lines: readonly string[]; code?: number | undefined }>
  /** What a file that breaks half-way leads to. */
  broken?: string
}

export type OpenFile = Pick<RowStream<unknown>, 'close' | 'warnings'>

/** Every so many readings the progress line is renewed. */
const tellEvery = 1000

/** Reads a file row by row. */
export const byRow =
  <R>(take: (file: string, unit: RowUnit, reading: R) => Promise<void>) =>
  async (file: string, { rows, unit }: RowStream<R>, step: () => void): Promise<void> => {
    let readings = 0
    for await (const reading of rows) {
      await take(file, unit, reading)
      if (++readings % tellEvery === 0) step()
    }
  }

/** How long a command waits that is not formatOutcome to. */
const waitMs = 30_000

/**
 * Reads the files, publishes what they hold and reports; the same for every kind of file. With `mustRun` an engine runs meanwhile,
 * ours where there is no other.
 */
export async function ingest<O extends OpenFile>(
  { files, org: named, account, wait: isPatient }: FlagValues<typeof ingestFlags>,
  begin: (target: Target, inputs: Pick<Inputs, 'files' | 'warnings'>) => IngestJob<O> | Promise<IngestJob<O>>,
  mustRun = false,
): Promise<Result> {
  return withOrganization(named, async (instance, org) => {
    await using inputs = new Inputs()
    for (const file of files) await inputs.add(file, instance.settings)
    await leaveOutDuplicates(inputs)
    const isOurs = (isPatient || mustRun) && !instance.isRunning
    const product = instance.product()
    const run: Run = {
      sender: new Sender(product.get(tokens.publisher), randomUUID),
      progress: new Progress(),
      isPatient,
    }
    const to = { instance, org, account, isRunning: instance.isRunning || isOurs }
    const target: Target = { ...to, ...(await reach(to, run)) }
    if (isOurs) product.get(tokens.engine).start()
    try {
      return await carryOut(inputs, await begin(target, inputs), target, run)
    } finally {
      if (isOurs) await product.get(tokens.engine).drain()
      if (isOurs) await instance.connections.store.leave()
    }
  })
}

interface Run {
  sender: Sender
  progress: Progress
  /** Waits until everything is in the reports. */
  isPatient: boolean
}

async function carryOut<O extends OpenFile>(
  inputs: Inputs,
  errand: IngestJob<O>,
  target: Target,
  run: Run,
): Promise<Result> {
  const began = performance.now()
  const waiting = await openAll(inputs, errand.open)
  await readAll(waiting, errand, run.progress, inputs.warnings).finally(() => run.sender.end())
  const ended = await errand.end?.()
  if (!errand.end && run.isPatient) await target.isRead()
  const found = errand.outcome()
  run.progress.done(speed(found.rows, performance.now() - began))
  const { warnings: fileWarnings } = inputs
  const counts = { files: waiting.length, messages: run.sender.messages, waited: run.isPatient, fileWarnings }
  const text = [formatOutcome(found), ...fileWarnings.map(toldWarning), ...(ended?.lines ?? [])].join('\n')
  return { data: { ...found, ...counts, ...ended?.data }, text, code: ended?.code ?? codeOf(found) }
}

const toldWarning = ({ file, message }: InputWarning): string => `warning: ${file}: ${message}`

/** Files that have the content of another, packed or not, are left out; a single one is not looked at. */
async function leaveOutDuplicates({ files, warnings }: Inputs): Promise<void> {
  const lasting = files.filter(({ isLasting }) => isLasting)
  if (lasting.length < 2) return
  for (const [file, first] of await duplicatesIn(lasting)) {
    warnings.push({ file: file.name, ...duplicateOf(first.name) })
    files.splice(files.indexOf(file), 1)
  }
}

const speed = (rows: number, ms: number): string =>
  `${rows} rows in ${(ms / 1000).toFixed(1)} s, ${Math.round((1000 * rows) / Math.max(1, ms))} a second`

type To = Omit<Target, 'send' | 'sendLast' | 'isCaughtUp' | 'isRead' | 'isShown'>

/** Sends, and says how far what was sent has been read: nobody reads where no engine runs. */
async function reach(
  { instance: { connections }, org, account, isRunning }: To,
  { sender, progress, isPatient }: Run,
): Promise<Omit<Target, keyof To>> {
  const most = !isRunning ? 0 : isPatient ? Infinity : waitMs
  const before = await laneEnds(connections)
  return {
    send: (event) => sender.add(event),
    sendLast: (event) => sender.last(event),
    isCaughtUp: () => havePassed(connections, org, before, most),
    isShown: () => isSummed(connections, org, account, most),
    async isRead() {
      if (!(await havePassed(connections, org, sender.lanes, most))) return false
      if (isPatient && isRunning)
        await waitUntilSettled(connections, org, sender.lanes, (left) =>
          progress.step(`aggregating; ${left} days left`),
        )
      return true
    },
  }
}

/** As `--help` prints them. */
export const exitCodes = {
  'exit code 0': 'All rows accepted',
  'exit code 1': 'No row accepted, or the command failed',
  'exit code 2': 'Invalid usage',
  'exit code 3': 'Some rows rejected',
}

const codeOf = ({ accepted, refused }: IngestOutcome): number => (accepted === 0 ? 1 : refused > 0 ? 3 : 0)

interface Waiting<O> {
  file: string
  open: () => Promise<O>
}

/**
 * Opens every file, so that one that cannot be read stops the command before anything is sent. There may be more files than
 * may be open at once: those that can be opened again are closed until their turn.
 * @throws Fault naming each that cannot be read
 */
async function openAll<O extends OpenFile>(
  { files, warnings }: Inputs,
  open: IngestJob<O>['open'],
): Promise<Waiting<O>[]> {
  const waiting: Waiting<O>[] = []
  const faults: Fault[] = []
  for (const input of files) {
    const { name: file, isLasting, isDoubtful } = input
    try {
      const found = await open(input)
      if (isLasting) found.close()
      waiting.push({ file, open: isLasting ? () => open(input) : async () => found })
    } catch (error) {
      const fault = faultOf(file, error)
      if (isDoubtful && notBillCodes.has(fault.code)) warnings.push({ file, ...notBill })
      else faults.push(fault)
    }
  }
  const [first, ...more] = faults
  if (!first) return waiting
  const named = [first, ...more.slice(0, namedMax - 1)].map(({ message }) => message)
  const rest = faults.length > namedMax ? [`and ${faults.length - namedMax} more files.`] : []
  throw Fault.invalid(first.code, [...named, ...rest, 'Nothing was sent.'].join(more.length > 0 ? '\n' : ' '))
}

const namedMax = 10

/** Says which file it was. @throws `error` itself where it is not about the file */
function faultOf(file: string, error: unknown): Fault {
  if (!(error instanceof Fault) || error.kind !== 'invalid') throw error
  return Fault.invalid(error.code, `${file}: ${error.message}`, error.detail)
}

/** @throws Fault naming the file that broke half-way, and what was read of each */
async function readAll<O extends OpenFile>(
  files: readonly Waiting<O>[],
  errand: IngestJob<O>,
  progress: Progress,
  warnings: InputWarning[],
): Promise<void> {
  const read: string[] = []
  for (const [index, { file, open }] of files.entries()) {
    const before = errand.outcome().rows
    const count = () => errand.outcome().rows - before
    try {
      const opened = await open()
      const began = performance.now()
      await errand.read(file, opened, () =>
        progress.step(`${path.basename(file)}: ${speed(count(), performance.now() - began)}`),
      )
      warnings.push(...opened.warnings.map((warning) => ({ file, ...warning })))
    } catch (error) {
      const { code, message } = faultOf(file, error)
      const rest = files.slice(index + 1).map((one) => one.file)
      const parts = [...read, `${file}: ${count()} rows`, ...rest.map((name) => `${name}: not read`)]
      const formatOutcome = `${message} Rows read before the error were sent: ${parts.join(', ')}.`
      throw Fault.invalid(code, errand.broken ? `${formatOutcome} ${errand.broken}` : formatOutcome)
    }
    read.push(`${file}: ${count()} rows`)
  }
}

function formatOutcome({
  rows,
  accepted,
  refused,
  reasons,
  warnings = [],
  rounded = 0,
  billedUsd,
}: IngestOutcome): string {
  const lines = [`rows read: ${rows}`, `accepted: ${accepted}`, `rejected: ${refused}`]
  lines.push(...reasons.flatMap(formatRefusals))
  if (warnings.length > 0) lines.push('accepted with a warning:', ...warnings.flatMap(formatRefusals))
  if (rounded > 0) lines.push(`rounded to 14 decimal places: ${rounded}`)
  if (billedUsd !== undefined) lines.push(`billed: ${billedUsd} USD`)
  return lines.join('\n')
}

const formatRefusals = ({ code, rows, message, first }: Refusals): string[] => [
  `  ${code}: ${rows} (${message})`,
  `    first at ${first.map(formatPlace).join(', ')}`,
]

const formatPlace = (place: RowPosition): string =>
  'row' in place ? `${path.basename(place.file)}:${place.row}` : `${path.basename(place.file)} element ${place.element}`
