/**
 * Ids for lines of files that have none. A line's id is a hash of all columns that are not measures. So reading a file
 * again gives the same ids, and a restated line with other amounts replaces the old one.
 */
import { hash } from 'node:crypto'
import { textOf, type Columns } from '#streams/billing/format/columns.ts'

const suffixes = /(?:cost|price|quantity|amount|savings|ratio)s?$/
const rates = /(?:exchange|conversion|resource|unblended|blended|ondemand|demand|plan|unit|hourly|effective)rate$/
const amongst = /^(?:credits|exchangerate)|cost(?:in(?:billing|pricing|usd|local)|at(?:list|effective))|amountin/
/** JSON columns of FOCUS that contain amounts, and invoice numbers, which only final bills have. */
const changing = /^(?:contractapplied|allocatedmethoddetails)$|invoice(?:detail)?id$/

/** True for a folded column name of a cost, price, quantity, amount or rate, which a restatement may change. */
export const isMeasure = (name: string): boolean =>
  !name.startsWith('resourcetags') &&
  (suffixes.test(name) || rates.test(name) || amongst.test(name) || changing.test(name))

/** The folded column names that identify a line, sorted, so that the file's order does not matter. */
export const identifying = (names: Iterable<string>): string[] =>
  [...new Set(names)].filter((name) => !isMeasure(name)).toSorted()

/**
 * 128-bit hash in hex over the columns `names` of a row. Empty columns do not count, so adding an empty column changes
 * no id. `caseless` columns count in lower case.
 */
export function rowHash(row: Columns, names: readonly string[], caseless?: ReadonlySet<string>): string {
  let text = ''
  for (const name of names) text += idText(name, textOf(row, name), caseless)
  return digest(text)
}

/** The part of the text of an id that a column gives; an empty column gives none. */
export const idText = (name: string, value: string | undefined, caseless?: ReadonlySet<string>): string =>
  value === undefined
    ? ''
    : `${name}\u0000${value.length}\u0000${caseless?.has(name) ? value.toLowerCase() : value}\u0000`

export const digest = (text: string): string => hash('sha256', text, 'hex').slice(0, 32)

const slotWords = 3
const fullAt = 0.7

export interface LineId {
  id: string
  /** False if an earlier line in this run had the id (in its period, on its day). */
  isNew: boolean
}

/**
 * A name that one file contains more than once, which is rare. `times`: how often the last file with it has it;
 * `timesMax`: the maximum over all files.
 */
interface RepeatCount {
  file: number
  times: number
  timesMax: number
}

/**
 * Counts lines with the same name in one run of the command, or one export, over all its files. Takes 17 to 35 bytes
 * per line: 64 bits of the name's hash and a number, which is a count or the last file. If two different names shared
 * the 64 bits, one would get a needless number or count as a restatement of the other, so that the count of distinct
 * lines is one too low; expected once in 30 million bills of a million lines.
 */
export class LineIds {
  #slots: Uint32Array
  #mask: number
  #size = 0
  #files = 0
  readonly #repeated = new Map<string, RepeatCount>()

  /** `capacity` is the initial size, a power of two; the table doubles when necessary. */
  constructor(capacity = 1 << 16) {
    this.#slots = new Uint32Array(capacity * slotWords)
    this.#mask = capacity - 1
  }

  /** Number of the next file of the run. */
  file(): number {
    return this.#files++
  }

  /** `name` is a `digest`: `<day>/<name>`; from the second line with that name on followed by `/1`, `/2`, ... */
  hashed(day: string, name: string): LineId {
    const [high, low] = wordsOf(name)
    const slot = this.#slot((high ^ spread(day)) >>> 0, low)
    const before = this.#slots[slot]!
    this.#slots[slot] = before + 1
    return { id: withCount(`${day}/${name}`, before), isNew: true }
  }

  /**
   * `<day>/<identity>`, numbered if one file contains it twice. If another file of the same period contains it, that
   * line restates this one.
   */
  named(day: string, identity: string, file: number, period = ''): LineId {
    const safe = /^[\x20-\x7e]{1,400}$/.test(identity) ? identity : digest(identity)
    const name = digest(`${period}\u0000${day}/${safe}`)
    const slot = this.#slot(...wordsOf(name))
    const last = this.#slots[slot]!
    this.#slots[slot] = file + 1
    const isRepeat = last === file + 1 || this.#repeated.has(name)
    const { times, timesMax } = isRepeat ? this.#again(name, file) : { times: 1, timesMax: last === 0 ? 0 : 1 }
    return { id: withCount(`${day}/${safe}`, times - 1), isNew: times > timesMax }
  }

  /** Counts a name that some file contains more than once. The returned `timesMax` is the one before this line. */
  #again(name: string, file: number): { times: number; timesMax: number } {
    const found = this.#repeated.get(name) ?? { file, times: 1, timesMax: 1 }
    this.#repeated.set(name, found)
    const { timesMax } = found
    found.times = found.file === file ? found.times + 1 : 1
    found.file = file
    found.timesMax = Math.max(timesMax, found.times)
    return { times: found.times, timesMax }
  }

  /** False if an earlier line had this id on this day. */
  isNew(day: string, id: string): boolean {
    const slot = this.#slot(...wordsOf(digest(`${day}/${id}`)))
    return this.#slots[slot]!++ === 0
  }

  /** Position of the number of a name with these words; the number is 0 for a new name. */
  #slot(high: number, low: number): number {
    if (this.#size > (this.#mask + 1) * fullAt) this.#grow()
    const slot = this.#find(high, low)
    if (this.#slots[slot + 2] === 0) {
      this.#slots[slot] = high
      this.#slots[slot + 1] = low
      this.#size++
    }
    return slot + 2
  }

  /** Position of (high, low), or of the free slot for it. A number of 0 marks a free slot. */
  #find(high: number, low: number): number {
    for (let index = low & this.#mask; ; index = (index + 1) & this.#mask) {
      const slot = index * slotWords
      if (this.#slots[slot + 2] === 0 || (this.#slots[slot] === high && this.#slots[slot + 1] === low)) return slot
    }
  }

  #grow(): void {
    const old = this.#slots
    this.#slots = new Uint32Array(old.length * 2)
    this.#mask = this.#mask * 2 + 1
    for (let slot = 0; slot < old.length; slot += slotWords) {
      if (old[slot + 2] === 0) continue
      this.#slots.set(old.subarray(slot, slot + slotWords), this.#find(old[slot]!, old[slot + 1]!))
    }
  }
}

/** The first 64 bits of a digest. */
const wordsOf = (name: string): [high: number, low: number] => [
  Number.parseInt(name.slice(0, 8), 16),
  Number.parseInt(name.slice(8, 16), 16),
]

/** 32 bits that are different for different days. */
const spread = (day: string): number =>
  Math.imul((Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7))) * 31 + Number(day.slice(8, 10)), 0x9e3779b1)

const withCount = (id: string, before: number): string => (before === 0 ? id : `${id}/${before}`)
