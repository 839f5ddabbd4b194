/**
 * Scans the envelopes of messages whose type has a scanner of data, without making objects of properties that no turn
 * reads.
 */
import { isUtf8 } from 'node:buffer'
import type { TSchema } from '#engine/value/schema.ts'
import { JsonBytes } from './json-bytes.ts'
import { ScalarCache } from './scalar-cache.ts'

const quote = 34

/** A scanned envelope with all required properties; `data` is what the data scanner returned. */
export interface ScannedHead<D> {
  id: string
  type: string
  schemaVersion: 1
  orgId: string
  time: string
  source?: string
  data: D
}

const requiredFields = ['id', 'schemaVersion', 'orgId', 'time', 'data']

/** Scans messages of one type. `schemas` has the schema of every envelope property except `data`. */
export class EnvelopeScanner<D> {
  private readonly type: string
  private readonly fields: (json: JsonBytes) => D | undefined
  private readonly heads: ReadonlyMap<string, ScalarCache>

  constructor(type: string, fields: (json: JsonBytes) => D | undefined, schemas: Readonly<Record<string, TSchema>>) {
    this.type = type
    this.fields = fields
    const fresh = ['id', 'time']
    this.heads = new Map(
      Object.entries(schemas).map(([name, schema]) => [name, new ScalarCache(schema, !fresh.includes(name))]),
    )
  }

  /**
   * The envelopes of a body, at most `countMax`. Undefined if any part is unsupported or invalid: the caller then
   * parses the body with `JSON.parse` and the schema.
   */
  scan(body: Uint8Array, countMax: number): ScannedHead<D>[] | undefined {
    const json = new JsonBytes(body)
    const list: ScannedHead<D>[] = []
    const isList = json.take(91)
    do {
      const envelope = list.length < countMax ? this.envelope(json) : undefined
      if (envelope === undefined) return undefined
      list.push(envelope)
    } while (isList && json.take(44))
    if (isList && !json.take(93)) return undefined
    const isEnd = Number.isNaN(json.next()) || json.at >= json.bytes.length
    return isEnd && (!json.isWide || isUtf8(json.bytes)) ? list : undefined
  }

  private envelope(json: JsonBytes): ScannedHead<D> | undefined {
    if (!json.take(123)) return undefined
    const head: Record<string, unknown> = {}
    do {
      const name = this.name(json)
      if (name === undefined || name in head) return undefined
      const value = name === 'data' ? this.data(json) : this.word(json, name)
      if (value === undefined) return undefined
      head[name] = value
    } while (json.take(44))
    if (!json.take(125)) return undefined
    const isWhole = requiredFields.every((name) => head[name] !== undefined)
    return isWhole && head['type'] === this.type ? (head as object as ScannedHead<D>) : undefined
  }

  private name(json: JsonBytes): string | undefined {
    if (!json.take(quote)) return undefined
    const end = json.plainEnd(json.at)
    if (end < 0) return undefined
    const name = json.bytes.toString('latin1', json.at, end)
    json.at = end + 1
    return json.take(58) ? name : undefined
  }

  private data(json: JsonBytes): D | undefined {
    json.next()
    return this.fields(json)
  }

  private word(json: JsonBytes, name: string): unknown {
    const words = this.heads.get(name)
    json.next()
    const end = words === undefined ? -1 : json.scalarEnd(json.at)
    if (end < 0) return undefined
    const value = words!.read(json.bytes, json.at, end)
    json.at = end
    return value
  }
}
