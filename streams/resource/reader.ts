import type { Readable } from 'node:stream'
import { Fault } from '#engine/value/fault.ts'
import { decoder, textDecoder, type Static } from '#engine/value/schema.ts'
import { columns, foldName } from '#streams/billing/format/columns.ts'
import { tagMap, type Warn } from '#streams/billing/format/literal.ts'
import {
  openedRows,
  openSource,
  type Fields,
  type RowStream,
  type Source,
  type SourceRow,
} from '#streams/billing/file/source.ts'
import { utc } from '#streams/billing/line/cost-line.ts'
import { resourceDiscovered } from './messages.ts'

type ResourceData = Static<typeof resourceDiscovered.schema>

interface ResourceRow {
  row: number
  data: ResourceData
  /** When the resource was observed, if the row is an envelope with a time: ISO 8601, UTC. */
  time?: string
}

export type ResourceReading = ResourceRow | { row: number; refused: { code: string; message: string } }

/**
 * Opens a file of resources: JSON with `resource.discovered` data or whole envelopes, or CSV whose header has the field
 * names, with tags and specs as JSON. `accountId` is used for rows without an account. The results match the message's
 * schema.
 * @throws Fault `invalid` if the whole file is unreadable: `format_unknown`, and those of `openSource`
 */
export async function openResourceFile(
  input: string | Readable,
  options: { accountId?: string } = {},
): Promise<RowStream<ResourceReading>> {
  const source = await openSource(input)
  return openedRows(source, () => {
    if (source.kind === 'csv') checkHeader(source.header)
    return readings(source, options.accountId)
  })
}

async function* readings({ rows, kind }: Source, accountId: string | undefined): AsyncGenerator<ResourceReading, void> {
  for await (const found of rows) yield attempt(found, kind, accountId)
}

const names = Object.keys(resourceDiscovered.schema.properties)
const needs = ['resourceUid', 'type', 'provider']

function checkHeader(header: readonly string[]): void {
  const folded = new Set(header.map(foldName))
  const missing = needs.filter((name) => !folded.has(foldName(name)))
  if (missing.length > 0)
    throw Fault.invalid(
      'format_unknown',
      `A resource file needs the columns ${needs.join(', ')}; missing: ${missing.join(', ')}.`,
    )
}

const decode = decoder(resourceDiscovered.schema)
const decodeText = textDecoder(resourceDiscovered.schema)

function attempt(found: SourceRow, kind: Source['kind'], accountId: string | undefined): ResourceReading {
  try {
    if ('fault' in found) throw found.fault
    const stand = accountId === undefined ? {} : { cloudAccountId: accountId }
    if (kind === 'csv')
      return { row: found.row, data: decodeText({ ...stand, name: '', region: '', ...cells(found.fields) }) }
    const { data, time } = unwrapEnvelope(found.fields)
    const known = names.filter((name) => data[name] !== undefined).map((name) => [name, data[name]])
    return {
      row: found.row,
      data: decode({ ...stand, ...Object.fromEntries(known) }),
      ...(time !== undefined && { time }),
    }
  } catch (error) {
    if (!(error instanceof Fault) || error.kind !== 'invalid') throw error
    const first = error.detail.problems?.[0]
    return {
      row: found.row,
      refused: { code: error.code, message: first ? `${first.path} ${first.message}` : error.message },
    }
  }
}

/** The data and time of an envelope, or the data itself. */
function unwrapEnvelope(fields: Fields): { data: Fields; time?: string } {
  const data = fields['data']
  if (typeof data !== 'object' || data === null) return { data: fields }
  if (fields['type'] !== resourceDiscovered.name)
    throw Fault.invalid('type_unexpected', `The message is not a ${resourceDiscovered.name}.`)
  const { time } = fields
  return { data: data as Fields, ...(typeof time === 'string' && { time: `${utc(time, 'time', true)}Z` }) }
}

/** The cells that are not empty, under the field names of the message. */
function cells(fields: Fields): Fields {
  const row = columns(fields)
  const out: Fields = {}
  for (const name of names) {
    const value = row[foldName(name)]
    if (value === undefined) continue
    if (name === 'tags') out[name] = texts(tagMap(value, refuse))
    else out[name] = name === 'specs' ? tagMap(value, refuse) : value
  }
  return out
}

/** A resource with unreadable tags is refused, because an incomplete one would overwrite the stored one. */
const refuse: Warn = () => {
  throw Fault.invalid('tags_invalid', 'The tags are not a map of names to values.')
}

const texts = (tags: Record<string, unknown> = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(tags).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
  )
