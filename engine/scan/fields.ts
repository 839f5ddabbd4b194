/**
 * Builds a scanner for one kind of message from its schema. The scanner returns the same values as `JSON.parse` and the
 * schema, or undefined. The caller then parses the message with those, which report what is wrong, if anything is.
 */
import { parseJson } from '#engine/value/json.ts'
import type { TObject, TSchema } from '#engine/value/schema.ts'
import { HeldValues, ScannedData, Slots, type HeldKind } from './held-values.ts'
import { flatMapEnd, isSame, isShortDecimal, type JsonBytes } from './json-bytes.ts'
import { ScalarCache } from './scalar-cache.ts'

/**
 * Scans a message's data object, which begins at `json.at`, and moves `json.at` past it. Undefined if it is unsupported
 * or invalid.
 */
export type Scan = (json: JsonBytes) => ScannedData | undefined

export interface ScanOptions {
  /**
   * Properties that no turn reads. Each accepts a value of its kind (text up to 2,048 bytes) without checking it
   * against the schema; other values are checked.
   */
  held: Readonly<Record<string, HeldKind>>
  /** Properties whose values rarely repeat; they are not cached. */
  fresh: readonly string[]
}

interface Field {
  name: string
  bytes: Buffer
  words: ScalarCache
  slot: number
  kind: HeldKind | undefined
  /** Number of the last scan that found this field: a duplicate name is refused. */
  stamp: number
  /** The field that followed this one last time. Most messages have the same order. */
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

  /**
   * The field whose name begins at `json.at`. Undefined if the schema has no such property; null if the name is a
   * duplicate or has escapes.
   */
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

  /** Reads a value of any kind with `JSON.parse`. */
  private whole(json: JsonBytes, field: Field, data: Record<string, unknown>): boolean {
    const value = field.words.check(parseValue(json))
    if (value === undefined) return false
    data[field.name] = value
    return true
  }
}

/**
 * Records where the value at `json.at` is, and moves past it. Returns false and changes nothing if the value cannot be
 * held.
 */
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
  // Empty text counts as no value.
  if (to > from) own.set(slot, from, to)
  json.at = end
  return true
}

/** Moves past the value at `json.at`. False if it is not valid JSON or unsupported. */
const passOver = (json: JsonBytes): boolean => parseValue(json) !== undefined

/** Parses the value at `json.at` and moves past it. Undefined if it is invalid or may contain invalid text. */
function parseValue(json: JsonBytes): unknown {
  const end = json.valueEnd(json.at)
  if (end < 0) return undefined
  const text = json.bytes.toString('utf8', json.at, end)
  // Escapes may encode NUL or unpaired surrogates, so these values are left to the caller.
  if (text.includes('\\u')) return undefined
  json.at = end
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
