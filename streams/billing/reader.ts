import type { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { Fault } from '#engine/value/fault.ts'
import type { Again } from '#streams/billing/file/duplicate.ts'
import { columns, foldName } from '#streams/billing/format/columns.ts'
import { formatOf, type Format, type FormatName } from '#streams/billing/format/format.ts'
import { isNumbered } from '#streams/billing/row/day-order.ts'
import { membersOf } from '#streams/billing/file/member.ts'
import { peekFirstRow } from '#streams/billing/file/batch/peek.ts'
import { RecordedStream, type KeptStream } from '#streams/billing/file/recorded.ts'
import type { AcceptedLine, Reading, ReadOptions, RefusedRow } from '#streams/billing/row/reading.ts'
import type { OwnPart } from '#streams/billing/row/own-part.ts'
import type { LineTemplate } from '#streams/billing/row/same-rows.ts'
import { wholeRows, type RowBatch } from '#streams/billing/file/batch/row-batch.ts'
import { RowReader } from '#streams/billing/row/reader.ts'
import { openedRows, openSource, type Fields, type RowStream, type Source } from '#streams/billing/file/source.ts'
import { Survey } from '#streams/billing/row/survey.ts'
import { toUnits } from '#engine/value/decimal.ts'

/**
 * Opens a bill. Every accepted line has passed the message's schema and `costLine`, so no consumer refuses it later.
 * Other rows are refused with a reason. A row with an unreadable cell is accepted without the cell and with a warning,
 * unless the cell contains its day, amount or currency. If the meaning of rows depends on the whole bill, it is read
 * twice: a file by its path, or a temporary copy of a stream.
 * @throws Fault `invalid` if the whole file is unreadable: `format_unknown`, `file_empty`, `rate_invalid`,
 * `dates_mixed`, `dates_ambiguous`, and those of `openSource`
 */
export async function openBillingFile(input: string | Readable, options: ReadOptions): Promise<OpenedBill> {
  const survey = options.survey ?? new Survey()
  const bill = options.survey
    ? await knownBill(input, { ...options, survey }, async (source) => ({ source, isKept: false }))
    : await surveyedBill(input, { ...options, survey })
  return bill.read()
}

/** A bill whose format is known and of which no line has been read yet. */
export interface KnownBill {
  format: FormatName
  /** Its rows are kept, so they can be read after other files of the bill have been surveyed. */
  isKept: boolean
  /** @throws Fault `invalid` `dates_mixed`, `dates_ambiguous` */
  read: () => OpenedBill
  /** Closes the bill, whether it was read or not. */
  close: () => void
}

type SurveyedOptions = ReadOptions & { survey: Survey }

/**
 * Opens one of several streams of one bill, and adds to `survey` what depends on all of them. Its rows are kept if
 * anything does, or with `mustKeep`.
 * @throws as `openBillingFile`
 */
export const lookInto = (input: Readable, options: SurveyedOptions, mustKeep: boolean): Promise<KnownBill> =>
  surveyedBill(input, options, mustKeep)

function surveyedBill(input: string | Readable, options: SurveyedOptions, mustKeep = false): Promise<KnownBill> {
  const { survey } = options
  if (typeof input === 'string')
    return knownBill(input, options, (source, format) => surveyFile(input, source, format, survey))
  const recorded = new RecordedStream(input)
  return knownBill(recorded.stream, options, (source, format) =>
    surveyStream(recorded, source, format, survey, mustKeep),
  )
}

async function knownBill(
  input: string | Readable,
  options: SurveyedOptions,
  look: (source: Source, format: Format) => Promise<SurveyedSource>,
): Promise<KnownBill> {
  const rates = ratesOf(options.rates)
  const first = await openSource(input)
  try {
    const format = formatOf(options.format, first.header, first.delimiter)
    const { source, isKept } = await look(first, format)
    const read = () => readFrom(source, format, { ...options, rates })
    return { format: format.name, isKept, read, close: source.close }
  } catch (error) {
    first.close()
    throw error
  }
}

function readFrom(source: Source, format: Format, options: SurveyedOptions): OpenedBill {
  try {
    const { survey, dates, exportedAt, month } = options
    survey.order ??= dates ?? survey.days.found(exportedAt, month)
    const reader = new RowReader(format, source, options)
    const opened = openedRows(source, () => readings(source, reader))
    return { ...opened, format: format.name, into: (sink) => readInto(source, reader, sink) }
  } catch (error) {
    source.close()
    throw error
  }
}

/** Takes the lines of a bill in the order of its rows. */
export interface BillSink {
  /** Called once, before the first row. */
  begin: (own: OwnPart) => Promise<void>
  /** A line that shares all but its own part with earlier ones. `own` is used again for the next line. */
  takeSame: (template: LineTemplate, own: OwnPart) => void
  take: (reading: Reading) => void
  /** Called every few hundred rows; the reading goes on when it resolves. */
  pause: () => Promise<void>
}

/** Takes the accepted lines of a bill. */
export interface LineSink extends Omit<BillSink, 'take'> {
  take: (line: Pick<AcceptedLine, 'cost' | 'period'>) => void
}

export interface OpenedBill extends RowStream<Reading> {
  format: FormatName
  /** Reads all rows, in place of `rows`. @throws as `rows` */
  into: (sink: BillSink) => Promise<void>
}

/** A file that can be read again. Files with the same `shape` have the same columns. */
export type SurveyedFile = Again & { name?: string; shape?: string }

/** Surveys several files, including archives. Unreadable files are skipped; the error appears when they are opened. */
export async function surveyOf(files: readonly SurveyedFile[], asked: ReadOptions['format']): Promise<Survey> {
  const survey = new Survey()
  /** Shapes of files that need no survey. */
  const plain = new Set<string>()
  for (const { open, name = '', shape = '' } of files) {
    if (plain.has(shape)) continue
    try {
      const input = await open()
      const members = typeof input === 'string' ? [{ input }] : membersOf(name, input)
      for await (const member of members) {
        const isLooked = await lookAt(member.input, asked, survey)
        if (!isLooked && shape !== '') plain.add(shape)
      }
    } catch (error) {
      if (!(error instanceof Fault && error.kind === 'invalid')) throw error
    }
  }
  return survey
}

/** Returns whether the whole file had to be surveyed. */
async function lookAt(input: string | Readable, asked: ReadOptions['format'], survey: Survey): Promise<boolean> {
  const source = await openSource(input)
  try {
    const format = formatOf(asked, source.header, source.delimiter)
    const ahead = await peekFirstRow(source)
    if (!needsSurvey(format, source.header, ahead.first)) return false
    await lookThrough(ahead.source, format, survey)
    return true
  } finally {
    source.close()
  }
}

interface SurveyedSource {
  source: Source
  isKept: boolean
}

/** Surveys the source if necessary, and returns the source to read. */
async function surveyFile(file: string, source: Source, format: Format, survey: Survey): Promise<SurveyedSource> {
  const ahead = await peekFirstRow(source)
  if (!needsSurvey(format, source.header, ahead.first)) return { source: ahead.source, isKept: false }
  await lookThrough(ahead.source, format, survey)
  return { source: await openSource(file), isKept: false }
}

/** The same for a stream, which is copied to a temporary file if it has to be read twice. */
async function surveyStream(
  recorded: RecordedStream,
  source: Source,
  format: Format,
  survey: Survey,
  mustKeep: boolean,
): Promise<SurveyedSource> {
  const ahead = await peekFirstRow(source)
  if (!mustKeep && !needsSurvey(format, source.header, ahead.first)) {
    recorded.forget()
    return { source: ahead.source, isKept: false }
  }
  source.close()
  const kept = await recorded.keep()
  try {
    await lookThrough(await openSource(kept.open()), format, survey)
    const again = await openSource(kept.openLast())
    return { source: { ...again, close: closeBoth(again, kept) }, isKept: true }
  } catch (error) {
    kept.close()
    throw error
  }
}

const closeBoth = (source: Source, kept: KeptStream) => () => {
  source.close()
  kept.close()
}

async function lookThrough({ rows }: Source, format: Format, survey: Survey): Promise<void> {
  for await (const found of rows) if ('fields' in found) takeLook(format, found.fields, survey)
}

/** Whether the meaning of lines depends on the whole file, by its columns or by the date format in the first row. */
function needsSurvey(format: Format, header: readonly string[], first: Fields | undefined): boolean {
  if (first === undefined) return false
  const row = columns(first, format)
  if (format.dates.flat().some((name) => isNumbered(row[name]))) return true
  const names = new Set([...header.map(foldName), ...Object.keys(row)])
  return (format.surveyed ?? []).some((name) => names.has(name))
}

/** Unreadable rows are ignored here; reading them reports the reason. */
function takeLook(format: Format, fields: Fields, survey: Survey): void {
  const row = columns(fields, format)
  const [charged, from, to] = format.dates.map((names) =>
    names.map((name) => row[name]).find((value) => value !== undefined),
  )
  survey.days.take({ charged, from, to })
  try {
    format.survey?.(row, survey)
  } catch (error) {
    if (!(error instanceof Fault && error.kind === 'invalid')) throw error
  }
}

/** Milliseconds after which everything else that uses this process has its turn. */
const turnMs = 4
/** Rows after which the time is looked at. */
const turnRows = 64

async function readInto(source: Source, reader: RowReader, sink: BillSink): Promise<void> {
  const { same } = reader
  let began = performance.now()
  await sink.begin(same.own)
  for await (const batch of source.batches ?? wholeRows(source.rows)) {
    for (let n = 0; n < batch.length; n++) {
      if (n % turnRows === 0 && performance.now() - began > turnMs) {
        await setImmediate()
        began = performance.now()
      }
      const key = same.keyOf(batch, n)
      const template = key === undefined ? undefined : same.find(key, batch, n)
      if (template) sink.takeSame(template, same.own)
      else readWhole(batch, n, key, reader, sink)
    }
    await sink.pause()
  }
}

function readWhole(batch: RowBatch, n: number, key: string | undefined, reader: RowReader, sink: BillSink): void {
  const found = batch.row(n)
  const all = 'fault' in found ? [refusal(found.row, found.fault)] : attempt(found.row, found.fields, reader)
  const lines: AcceptedLine[] = []
  for (const reading of all) {
    if (!('refused' in reading)) lines.push(reading)
    sink.take(reading)
  }
  if (key !== undefined && lines.length > 0) reader.same.note(key, batch, n, lines, reader.row)
}

async function* readings({ rows }: Source, reader: RowReader): AsyncGenerator<Reading, void> {
  for await (const found of rows) {
    if ('fault' in found) yield refusal(found.row, found.fault)
    else yield* attempt(found.row, found.fields, reader)
  }
}

function attempt(row: number, fields: Fields, rows: RowReader): Reading[] {
  try {
    return rows.read(fields).map((line) => ({ row, ...line }))
  } catch (error) {
    if (!(error instanceof Fault && error.kind === 'invalid')) throw error
    const [billedUsd, period] = [rows.refusedUsd(), rows.refusedPeriod()]
    return [
      {
        ...refusal(row, error),
        ...(billedUsd !== undefined && { billedUsd }),
        ...(period !== undefined && { period }),
      },
    ]
  }
}

function refusal(row: number, fault: Fault): RefusedRow {
  const first = fault.detail.problems?.[0]
  const message = first ? `${first.path} ${first.message}` : fault.message
  return { row, refused: { code: fault.code, message } }
}

function ratesOf(rates: Readonly<Record<string, string>>): Record<string, string> {
  const out = Object.create(null) as Record<string, string>
  for (const [currency, rate] of Object.entries(rates)) {
    if ((toUnits(rate, 12) ?? 0n) <= 0n)
      throw Fault.invalid('rate_invalid', `The rate of ${currency} must be a number above 0: ${rate}`)
    out[currency.trim().toUpperCase()] = rate
  }
  return out
}
