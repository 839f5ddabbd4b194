/**
 * Splits CSV text into records by searching for delimiters, several times faster than a parser that looks at each
 * character. It stops at the first record that is not plainly well-formed, and the parser reads the rest.
 */

/** Possible delimiters. */
export type Delimiter = ',' | ';' | '\t'

export interface CsvRecord {
  /** From 1, as an editor counts: includes blank lines and line breaks inside quotes. */
  line: number
  /** Number of lines the record spans. */
  lines: number
  cells: string[]
}

/** Positions of the cells of many records in one text; two numbers a cell, without its quotes. */
export class CsvSplit {
  readonly text: string
  readonly #delimiter: Delimiter
  /** Start and end of each cell; the start of a cell with doubled quotes is negative, minus one. */
  readonly bounds: number[] = []
  /** By record: its first cell, as an index into `bounds`; one more than there are records. */
  readonly firsts: number[] = [0]
  /** By record: its line from 1, and on how many lines it is. */
  readonly lines: number[] = []
  readonly spans: number[] = []
  /** Where the next record begins, and its line. */
  at = 0
  line: number
  /** The next record needs the parser. */
  isIrregular = false
  /** Positions of the next quote and the next carriage return, -1 if there is none. */
  #quote: number
  #return: number
  /** Of the record that is being taken: the next line feed, and line breaks inside cells. */
  #feed = 0
  #breaks = 0

  constructor(text: string, delimiter: Delimiter, line: number) {
    this.text = text
    this.#delimiter = delimiter
    this.line = line
    this.#quote = text.indexOf('"')
    this.#return = text.indexOf('\r')
  }

  get length(): number {
    return this.lines.length
  }

  /** Takes all whole records; the last one needs no line end if `isEnd`. */
  split(isEnd: boolean): void {
    while (this.at < this.text.length && this.#record(isEnd)) {}
  }

  /** False if no further record can be taken. */
  #record(isEnd: boolean): boolean {
    const { text, at } = this
    const feed = text.indexOf('\n', at)
    if (feed < 0 && !isEnd) return false
    const end = feed < 0 ? text.length : feed
    if (this.#quote >= 0 && this.#quote < at) this.#quote = text.indexOf('"', at)
    if (this.#return >= 0 && this.#return < at) this.#return = text.indexOf('\r', at)
    if (this.#quote >= 0 && this.#quote < end) return this.#quoted(feed, isEnd)
    const last = this.#lineEnd(end)
    if (last < 0) return this.#refuse()
    if (last > at) this.#bare(at, last)
    return this.#next(end + 1, 1, last > at)
  }

  /** The end of the line without a carriage return; -1 if it has another one, which may end a record, too. */
  #lineEnd(end: number): number {
    if (this.#return < 0 || this.#return >= end) return end
    return this.#return === end - 1 && this.text[end] === '\n' ? end - 1 : -1
  }

  #bare(from: number, to: number): void {
    const { text, bounds } = this
    let start = from
    for (let mark = text.indexOf(this.#delimiter, from); mark >= 0 && mark < to;) {
      bounds.push(start, mark)
      start = mark + 1
      mark = text.indexOf(this.#delimiter, start)
    }
    bounds.push(start, to)
  }

  /** A record with quotes. `feed`: the next line feed, -1 if there is none. */
  #quoted(feed: number, isEnd: boolean): boolean {
    const { text } = this
    const known = this.bounds.length
    this.#feed = feed < 0 ? text.length : feed
    this.#breaks = 0
    for (let start = this.at; ;) {
      const next = text.charCodeAt(start) === quote ? this.#quotedCell(start, isEnd) : this.#bareCell(start, isEnd)
      if (next >= 0 && text[next] === this.#delimiter) {
        start = next + 1
        continue
      }
      const after = next < 0 ? next : this.#recordEnd(next, isEnd)
      return after < 0 ? this.#undo(known, after === irregular) : this.#next(after, this.#breaks + 1, true)
    }
  }

  /** Takes a cell in quotes. Returns where it ends, or why it cannot be taken. */
  #quotedCell(start: number, isEnd: boolean): number {
    const { text } = this
    const close = closingQuote(text, start)
    const end = Math.abs(close)
    // The text may end inside the cell, or between two quotes.
    if (end + 1 >= text.length && !isEnd) return incomplete
    if (end >= text.length) return irregular
    this.bounds.push(close < 0 ? -start - 2 : start + 1, end)
    if (end > this.#feed || (this.#return >= 0 && end > this.#return)) {
      this.#breaks += breaksIn(text, start + 1, end)
      this.#feed = text.indexOf('\n', end)
      if (this.#feed < 0) this.#feed = text.length
    }
    return end + 1
  }

  /** The same for a cell without quotes. */
  #bareCell(start: number, isEnd: boolean): number {
    const end = endOfBare(this.text, start, this.#delimiter)
    if (end < 0) return irregular
    if (end >= this.text.length && !isEnd) return incomplete
    this.bounds.push(start, end)
    return end
  }

  /** Where the next record begins, after the last cell of one. */
  #recordEnd(at: number, isEnd: boolean): number {
    const { text } = this
    if (at >= text.length) return at
    if (text[at] === '\n') return at + 1
    if (text[at] !== '\r') return irregular
    if (text[at + 1] === '\n') return at + 2
    return at + 1 < text.length || isEnd ? irregular : incomplete
  }

  #undo(known: number, isIrregular: boolean): false {
    this.bounds.length = known
    this.isIrregular ||= isIrregular
    return false
  }

  #refuse(): false {
    this.isIrregular = true
    return false
  }

  #next(at: number, lines: number, isRecord: boolean): true {
    if (isRecord) {
      this.firsts.push(this.bounds.length)
      this.lines.push(this.line)
      this.spans.push(lines)
    }
    this.line += lines
    this.at = at
    return true
  }

  cell(record: number, column: number): string {
    const place = this.firsts[record]! + 2 * column
    const [start, end] = [this.bounds[place]!, this.bounds[place + 1]!]
    return start < 0 ? this.text.slice(-start - 1, end).replaceAll('""', '"') : this.text.slice(start, end)
  }

  count(record: number): number {
    return (this.firsts[record + 1]! - this.firsts[record]!) / 2
  }

  record(record: number): CsvRecord {
    return { line: this.lines[record]!, lines: this.spans[record]!, cells: this.cells(record) }
  }

  /** Without the first `count` records. */
  from(count: number): CsvSplit {
    this.firsts.splice(0, count)
    this.lines.splice(0, count)
    this.spans.splice(0, count)
    return this
  }

  cells(record: number): string[] {
    return Array.from({ length: this.count(record) }, (_, column) => this.cell(record, column))
  }

  /** The text of the cells from `first` to `last` as it is in the file: equal texts are equal cells. */
  slice(record: number, first: number, last: number): string {
    const place = this.firsts[record]!
    const start = this.bounds[place + 2 * first]!
    return this.text.slice(start < 0 ? -start - 2 : Math.max(start - 1, 0), this.bounds[place + 2 * last + 1]! + 1)
  }
}

const quote = 34
/** A record goes on behind the text; it is not plainly well-formed. */
const [incomplete, irregular] = [-1, -2]

/** The position of the closing quote, negative if the cell has doubled quotes; the text's length if there is none. */
function closingQuote(text: string, start: number): number {
  let sign = 1
  let at = text.indexOf('"', start + 1)
  while (at >= 0 && text.charCodeAt(at + 1) === quote) {
    sign = -1
    at = text.indexOf('"', at + 2)
  }
  return sign * (at < 0 ? text.length : at)
}

/** Where an unquoted cell ends; -1 if it contains a quote. */
function endOfBare(text: string, start: number, delimiter: Delimiter): number {
  const mark = delimiter.charCodeAt(0)
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === mark || code === 10 || code === 13) return at
    if (code === quote) return -1
  }
  return text.length
}

/** Line breaks: `\r\n` is one. */
function breaksIn(text: string, from: number, to: number): number {
  let count = 0
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) count++
  for (let at = text.indexOf('\r', from); at >= 0 && at < to; at = text.indexOf('\r', at + 1))
    if (text[at + 1] !== '\n') count++
  return count
}
