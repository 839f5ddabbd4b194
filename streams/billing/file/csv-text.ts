/** Splits a stream of CSV into records, each with the line of the file on which it begins. */
import { Readable, pipeline } from 'node:stream'
import { parse } from 'csv-parse'

export interface CsvRecord {
  /** From 1, as an editor counts: includes blank lines and line breaks inside quotes. */
  line: number
  /** Number of lines the record spans. */
  lines: number
  cells: string[]
}

/** Possible delimiters. The first is the default if the header does not show which. */
const delimiters = [',', ';', '\t'] as const
export type Delimiter = (typeof delimiters)[number]

/** The delimiter that splits the first line into the most cells. */
export function delimiterOf(head: string): Delimiter {
  const [first = ''] = head.replace(/^(?:[ \t]*[\r\n])+/, '').split(/[\r\n]/, 1)
  const bare = first.replaceAll(/"[^"]*"/g, '')
  const counts = delimiters.map((delimiter) => bare.split(delimiter).length)
  return delimiters[counts.indexOf(Math.max(...counts))]!
}

/** @throws Error of the parser, code `CSV_...`, for a record longer than `charactersMax` or an unclosed quote */
export async function* csvRecords(
  chunks: AsyncIterable<Buffer>,
  delimiter: Delimiter,
  charactersMax: number,
): AsyncGenerator<CsvRecord, void> {
  const parser = parse({
    bom: true,
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
  for await (const { record: cells, info } of parser as AsyncIterable<ParserRecord>) {
    const spans = info.lines - end - (info.empty_lines - blank)
    const within = spans > 1 ? breaksIn(cells) : 0
    // The parser counts CRLF inside quotes as two lines.
    excess += spans > 1 ? spans - 1 - within : 0
    end = info.lines
    blank = info.empty_lines
    yield { line: end - excess - within, lines: within + 1, cells }
  }
}

interface ParserRecord {
  record: string[]
  /** `lines`: last line of the record; `empty_lines`: blank lines so far. */
  info: { lines: number; empty_lines: number }
}

const breaksIn = (cells: readonly string[]): number =>
  cells.reduce((count, cell) => count + (cell.match(/\r\n|\r|\n/g)?.length ?? 0), 0)
