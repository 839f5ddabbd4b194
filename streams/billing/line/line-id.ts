/**
 * Names for the lines of files that name none: a line is known by everything in it that is not a measure, so reading a file
 * again gives the same names and a restated one, with other amounts, replaces what it restates.
 */
import { hash } from 'node:crypto'
import { textOf, type Columns } from '#streams/billing/format/columns.ts'

const suffixes = /(?:cost|price|quantity|amount|savings|ratio)s?$/
const rates = /(?:exchange|conversion|resource|unblended|blended|ondemand|demand|plan|unit|hourly|effective)rate$/
const amongst = /^(?:credits|exchangerate)|cost(?:in(?:billing|pricing|usd|local)|at(?:list|effective))|amountin/
/** JSON columns of FOCUS that hold amounts, and numbers of invoices, which bills carry only once they are final. */
const changing = /^(?:contractapplied|allocatedmethoddetails)$|invoice(?:detail)?id$/

/** True for a folded column name that holds a cost, price, quantity, amount or rate: what a restatement may change. */
export const isMeasure = (name: string): boolean =>
  !name.startsWith('resourcetags') &&
  (suffixes.test(name) || rates.test(name) || amongst.test(name) || changing.test(name))

/** The folded names that a line is known by, in an order that does not depend on the file's. */
export const identifying = (names: Iterable<string>): string[] =>
  [...new Set(names)].filter((name) => !isMeasure(name)).toSorted()

/**
 * 128 bits, in hex, over the columns `names` of a row. Columns that hold nothing do not count, so adding one to a file
 * changes no id; `caseless` columns count in lower case.
 */
export function rowHash(row: Columns, names: readonly string[], caseless?: ReadonlySet<string>): string {
  let text = ''
  for (const name of names) {
    const value = textOf(row, name)
    if (value === undefined) continue
    text += `${name}\u0000${value.length}\u0000${caseless?.has(name) ? value.toLowerCase() : value}\u0000`
  }
  return digest(text)
}

const digest = (text: string): string => hash('sha256', text, 'hex').slice(0, 32)

const slotWords = 3
const fullAt = 0.7

export interface LineId {
  id: string
  /** No line before it in this run of the command had the id: in its period, on its day. */
  isNew: boolean
}

/** A name that one file says more than once, which is rare: how often the file that said it last has, and how often any has. */
interface RepeatCount {
  file: number
  times: number
  timesMax: number
}

/**
 * Counts the lines of one run of the command, or of one export, that have the same name, over all its files. 17 to 35 bytes
 * a line: of a name it keeps 64 bits and a number, its count or the file that said it last. Were two different names ever to
 * share the 64 bits, one would carry a needless number, or be taken for the other one's restatement, so that the count of
 * different ones is one short: once in 30 million bills of a million lines.
 */
export class LineIds {
  #slots: Uint32Array
  #mask: number
  #size = 0
  #files = 0
  readonly #repeated = new Map<string, RepeatCount>()

  /** `capacity` is a first guess, a power of two; the table doubles as it fills. */
  constructor(capacity = 1 << 16) {
    this.#slots = new Uint32Array(capacity * slotWords)
    this.#mask = capacity - 1
  }

  /** A number for the next file of the run. */
  file(): number {
    return this.#files++
  }

  /** `<day>/<hash>`, and from the second line of that name on `/1`, `/2`, ... */
  hashed(day: string, name: string): LineId {
    const slot = this.#slot(digest(`${day}/${name}`))
    const before = this.#slots[slot]!
    this.#slots[slot] = before + 1
    return { id: withCount(`${day}/${name}`, before), isNew: true }
  }

  /**
   * `<day>/<identity>`, numbered where one file says it twice: another file that says it again restates the line, as long as it
   * is of the same period.
   */
  named(day: string, identity: string, file: number, period = ''): LineId {
    const safe = /^[\x20-\x7e]{1,400}$/.test(identity) ? identity : digest(identity)
    const name = digest(`${period}\u0000${day}/${safe}`)
    const slot = this.#slot(name)
    const last = this.#slots[slot]!
    this.#slots[slot] = file + 1
    const isRepeat = last === file + 1 || this.#repeated.has(name)
    const { times, timesMax } = isRepeat ? this.#again(name, file) : { times: 1, timesMax: last === 0 ? 0 : 1 }
    return { id: withCount(`${day}/${safe}`, times - 1), isNew: times > timesMax }
  }

  /** Counts a name of which some file has said more than one line. `timesMax` is as it was before. */
  #again(name: string, file: number): { times: number; timesMax: number } {
    const found = this.#repeated.get(name) ?? { file, times: 1, timesMax: 1 }
    this.#repeated.set(name, found)
    const { timesMax } = found
    found.times = found.file === file ? found.times + 1 : 1
    found.file = file
    found.timesMax = Math.max(timesMax, found.times)
    return { times: found.times, timesMax }
  }

  /** Whether no line before had this id on this day. */
  isNew(day: string, id: string): boolean {
    const slot = this.#slot(digest(`${day}/${id}`))
    return this.#slots[slot]!++ === 0
  }

  /** Where the number of a name stands; 0 for one that is new. */
  #slot(name: string): number {
    if (this.#size > (this.#mask + 1) * fullAt) this.#grow()
    const [high, low] = [Number.parseInt(name.slice(0, 8), 16), Number.parseInt(name.slice(8, 16), 16)]
    const slot = this.#find(high, low)
    if (this.#slots[slot + 2] === 0) {
      this.#slots[slot] = high
      this.#slots[slot + 1] = low
      this.#size++
    }
    return slot + 2
  }

  /** Where (high, low) stands or would stand; a number of 0 marks a free slot. */
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

const withCount = (id: string, before: number): string => (before === 0 ? id : `${id}/${before}`)
