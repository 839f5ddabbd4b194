/**
 * A scanner of one kind of message, made of its schema: it takes what the schema takes, with the same values, or else takes
 * nothing. Then `JSON.parse` and the schema have the word, who say what is wrong, if anything is.
 */
import { parseJson } from '#engine/value/json.ts'
import type { TObject, TSchema } from '#engine/value/schema.ts'
import { HeldValues, ScannedData, Slots, type HeldKind } from './held-values.ts'
import { flatMapEnd, isSame, isShortDecimal, type JsonBytes } from './json-bytes.ts'
import { ScalarCache } from './scalar-cache.ts'

/** The data of a message whose object begins where `json` stands, which is left behind it. Undefined when it is not taken. */
export type Scan = (json: JsonBytes) => ScannedData | undefined

export interface ScanOptions {
  /** Properties that no turn reads. Each takes text of 2,048 bytes, or any decimal, or any map of texts, and null where that is nothing. */
  held: Readonly<Record<string, HeldKind>>
  /** Properties whose values hardly ever come twice. */
  fresh: readonly string[]
}

interface Field {
  name: string
  bytes: Buffer
  words: ScalarCache
  slot: number
  kind: HeldKind | undefined
  /** The scan that found it last: a name that comes twice is not taken. */
  stamp: number
  /** The field that came behind it last: mostly it does again. */
  next: Field | undefined
}

const textBytesMax = 2048
const decimalPlaces = 14
const quote = 34

export function scanner(schema: TObject, { held: kinds, fresh }: ScanOptions): Scan {
  const made = new FieldScanner(schema, new Slots(kinds), fresh)
  return (json) => made.scan(json)
}

class FieldScanner {
  private readonly slots: Slots
  private readonly fields: ReadonlyMap<string, Field>
  private readonly required: readonly string[]
  private first: Field | undefined
  private stamp = 0

  constructor(schema: TObject, slots: Slots, fresh: readonly string[]) {
    this.slots = slots
    this.required = schema.required ?? []
    const field = ([name, property]: [string, TSchema]): [string, Field] => {
      const slot = slots.of(name)
      const words = new ScalarCache(property, slot < 0 && !fresh.includes(name))
      const bytes = Buffer.from(name)
      return [name, { name, bytes, words, slot, kind: slots.kinds[slot], stamp: 0, next: undefined }]
    }
    this.fields = new Map(Object.entries(schema.properties as Record<string, TSchema>).map(field))
  }

  scan(json: JsonBytes): ScannedData | undefined {
    const from = json.at
    if (!json.take(123)) return undefined
    const own = new HeldValues(json.bytes, this.slots)
    const data: Record<string, unknown> = {}
    this.stamp++
    if (!this.members(json, own, data)) return undefined
    for (const name of this.required) if (data[name] === undefined && !own.has(name)) return undefined
    return Object.assign(new ScannedData(own, from, json.at), data)
  }

  private members(json: JsonBytes, own: HeldValues, data: Record<string, unknown>): boolean {
    let before: Field | undefined
    if (json.take(125)) return true
    for (;;) {
      if (!json.take(quote)) return false
      const field = this.named(json, before)
      if (field === null || !json.take(58)) return false
      json.next()
      if (field === undefined ? !passOver(json) : !this.value(json, field, own, data)) return false
      before = field ?? before
      if (json.take(125)) return true
      if (!json.take(44)) return false
    }
  }

  /** The field whose name begins here; undefined for one of no meaning, null where it is none that is taken. */
  private named(json: JsonBytes, before: Field | undefined): Field | undefined | null {
    const { bytes, at } = json
    const likely = before === undefined ? this.first : before.next
    if (likely !== undefined) {
      const { length } = likely.bytes
      if (bytes[at + length] === quote && isSame(bytes, at, likely.bytes, 0, length)) {
        json.at = at + length + 1
        return this.once(likely)
      }
    }
    const end = json.plainEnd(at)
    if (end < 0) return null
    json.at = end + 1
    const found = this.fields.get(bytes.toString('utf8', at, end))
    if (found === undefined) return undefined
    if (before === undefined) this.first = found
    else before.next = found
    return this.once(found)
  }

  private once(field: Field): Field | null {
    if (field.stamp === this.stamp) return null
    field.stamp = this.stamp
    return field
  }

  private value(json: JsonBytes, field: Field, own: HeldValues, data: Record<string, unknown>): boolean {
    if (field.slot >= 0) return hold(json, field, own) || this.whole(json, field, data)
    const { bytes, at } = json
    const end = bytes[at] === 123 || bytes[at] === 91 ? -1 : json.scalarEnd(at)
    if (end < 0) return this.whole(json, field, data)
    const value = field.words.read(bytes, at, end)
    if (value === undefined) return false
    data[field.name] = value
    json.at = end
    return true
  }

  /** Reads a value by `JSON.parse`, whatever it is. */
  private whole(json: JsonBytes, field: Field, data: Record<string, unknown>): boolean {
    const value = field.words.check(parseValue(json))
    if (value === undefined) return false
    data[field.name] = value
    return true
  }
}

/** Holds the value that begins here and steps behind it. False, and nothing done, for one that is not held. */
function hold(json: JsonBytes, { kind, slot }: Field, own: HeldValues): boolean {
  const { bytes, at } = json
  if (kind === 'map') {
    const end = bytes[at] === 123 ? flatMapEnd(json, at) : -1
    json.at = end < 0 ? at : end
    if (end >= 0) own.set(slot, at + 1, end)
    return end >= 0
  }
  const isString = bytes[at] === quote
  if (kind === 'text' && !isString) return false
  const end = json.scalarEnd(at)
  if (end < 0) return false
  const [from, to] = isString ? [at + 1, end - 1] : [at, end]
  if (kind === 'decimal' ? !isShortDecimal(bytes, from, to, decimalPlaces) : to - from > textBytesMax) return false
  // An empty text is none.
  if (to > from) own.set(slot, from, to)
  json.at = end
  return true
}

/** Steps over the value that begins here. False for what is no JSON. */
const passOver = (json: JsonBytes): boolean => parseValue(json) !== undefined

/** The value that begins here, behind which `json` is left; undefined for what may be no JSON or no text. */
function parseValue(json: JsonBytes): unknown {
  const end = json.valueEnd(json.at)
  if (end < 0) return undefined
  const text = json.bytes.toString('utf8', json.at, end)
  // NUL and halves of characters may hide behind escapes.
  if (text.includes('\\u')) return undefined
  json.at = end
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
