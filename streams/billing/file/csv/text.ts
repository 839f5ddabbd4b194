/** Splits a stream of CSV into records, each with the line of the file on which it begins. */
import { isAscii } from 'node:buffer'
import { Readable, pipeline } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { CsvSplit, type CsvRecord, type Delimiter } from './split.ts'

export type { CsvRecord, Delimiter }

/** The first is the default if the header does not show which. */
const delimiters = [',', ';', '\t'] as const satisfies readonly Delimiter[]

/** The delimiter that splits the first line into the most cells. */
export function delimiterOf(head: string): Delimiter {
  const [first = ''] = head.replace(/^(?:[ \t]*[\r\n])+/, '').split(/[\r\n]/, 1)
  const bare = first.replaceAll(/"[^"]*"/g, '')
  const counts = delimiters.map((delimiter) => bare.split(delimiter).length)
  return delimiters[counts.indexOf(Math.max(...counts))]!
}

/** Records that came together: split by search, or one at a time from the parser. */
export type CsvBatch = CsvSplit | CsvRecord

/**
 * Chunks must end between characters. A record that is not plainly well-formed, and everything after it, is left to the
 * parser.
 * @throws Error of the parser, code `CSV_...`, for a record longer than `charactersMax` or an unclosed quote
 */
export async function* csvBatches(
  chunks: AsyncIterable<Buffer>,
  delimiter: Delimiter,
  charactersMax: number,
): AsyncGenerator<CsvBatch, void> {
  const all = chunks[Symbol.asyncIterator]()
  let rest = ''
  let line = 1
  for (let isFirst = true; ; isFirst = false) {
    const next = await all.next()
    const chunk = next.done ? '' : textOf(next.value)
    const text = rest + (isFirst ? chunk.replace(/^\uFEFF/, '') : chunk)
    const found = new CsvSplit(text, delimiter, line)
    found.split(next.done === true)
    if (found.length > 0) yield found
    rest = text.slice(found.at)
    line = found.line
    if (found.isIrregular || rest.length > charactersMax) {
      yield* parsed(continued(rest, all), { delimiter, charactersMax, line })
      return
    }
    if (next.done) return
  }
}

/** One byte a character takes less memory and time. */
const textOf = (bytes: Buffer): string => bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8')

async function* continued(start: string, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer, void> {
  yield Buffer.from(start)
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}

/** All records one by one. @throws as `csvBatches` */
export async function* recordsOf(batches: AsyncIterable<CsvBatch>): AsyncGenerator<CsvRecord, void> {
  for await (const batch of batches) {
    if (batch instanceof CsvSplit) for (let n = 0; n < batch.length; n++) yield batch.record(n)
    else yield batch
  }
}

async function* parsed(
  chunks: AsyncIterable<Buffer>,
  { delimiter, charactersMax, line: first }: { delimiter: Delimiter; charactersMax: number; line: number },
): AsyncGenerator<CsvRecord, void> {
  const parser = parse({
    delimiter,
    info: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    max_record_size: charactersMax,
  })
  pipeline(Readable.from(chunks), parser, () => undefined)
  let [end, blank, excess] = [0, 0, 0]
  for await (const { record: cells, info } of withLines(parser as AsyncIterable<ParserRecord>, first)) {
    const spans = info.lines - end - (info.empty_lines - blank)
    const within = spans > 1 ? breaksIn(cells) : 0
    // The parser counts CRLF inside quotes as two lines.
    excess += spans > 1 ? spans - 1 - within : 0
    end = info.lines
    blank = info.empty_lines
    yield { line: first - 1 + end - excess - within, lines: within + 1, cells }
  }
}

/** The parser's errors name lines from where it began. */
async function* withLines<T>(records: AsyncIterable<T>, first: number): AsyncGenerator<T, void> {
  try {
    yield* records
  } catch (error) {
    if (error instanceof CsvError)
      error.message = error.message.replace(/(?<=\bline )\d+/, (line) => String(Number(line) + first - 1))
    throw error
  }
}

interface ParserRecord {
  record: string[]
  /** `lines`: last line of the record; `empty_lines`: blank lines so far. */
  info: { lines: number; empty_lines: number }
}

const breaksIn = (cells: readonly string[]): number =>
  cells.reduce((count, cell) => count + (cell.match(/\r\n|\r|\n/g)?.length ?? 0), 0)
