import type { Readable } from 'node:stream'
import { Fault } from '#engine/value/fault.ts'
import { decoder, type Static } from '#engine/value/schema.ts'
import { columns, textOf } from '#streams/billing/format/columns.ts'
import { openedRows, openSource, type Fields, type RowStream, type SourceRow } from '#streams/billing/file/source.ts'
import { utc } from '#streams/billing/line/cost-line.ts'
import { metricSample } from './messages.ts'

type Samples = Static<typeof metricSample.schema>

/** Consecutive rows of one resource, as one `metric.sample` of at most 1,000 samples. */
interface MetricBatch {
  /** Its first row. Below: how many rows of the file it contains; 0 if a longer row began in the previous batch. */
  row: number
  rows: number
  data: Samples
}

export type MetricReading = MetricBatch | { row: number; refused: { code: string; message: string } }

const samplesMax = 1000

/**
 * Opens a metric file: CSV with the columns resource_uid, metric, ts and value, and optionally max and sum; or JSON
 * with `metric.sample` data, whole envelopes, or rows like those of the CSV. Times without a zone are UTC. The results
 * match the message's schema.
 * @throws Fault `invalid` if the whole file is unreadable: `format_unknown`, and those of `openSource`
 */
export async function openMetricFile(input: string | Readable): Promise<RowStream<MetricReading>> {
  const source = await openSource(input)
  return openedRows(source, () => {
    if (source.kind === 'csv') checkHeader(source.header)
    return batches(source.rows)
  })
}

async function* batches(rows: AsyncIterable<SourceRow>): AsyncGenerator<MetricReading, void> {
  let open: MetricBatch | undefined
  for await (const found of rows) {
    const read = attempt(found)
    if ('refused' in read) {
      yield read
      continue
    }
    if (open && open.data.resourceUid !== read.data.resourceUid) {
      yield open
      open = undefined
    }
    const full = gather(open, read)
    open = full.pop()
    yield* full
  }
  if (open) yield open
}

/**
 * Adds samples of `next` to `open`, which is about the same resource, in batches of 1,000; the last batch remains open.
 */
function gather(open: MetricBatch | undefined, next: MetricBatch): MetricBatch[] {
  const batches = open ? [open] : []
  let { rows } = next
  for (const sample of next.data.samples) {
    let last = batches.at(-1)
    if (!last || last.data.samples.length === samplesMax) {
      last = { row: next.row, rows: 0, data: { resourceUid: next.data.resourceUid, samples: [] } }
      batches.push(last)
    }
    last.rows += rows
    rows = 0
    last.data.samples.push(sample)
  }
  return batches
}

const needs = ['resource_uid', 'metric', 'ts', 'value']

function checkHeader(header: readonly string[]): void {
  const names = columns(Object.fromEntries(header.map((name) => [name, name])))
  const missing = needs.filter((name) => !(name.replace('_', '') in names))
  if (missing.length > 0)
    throw Fault.invalid(
      'format_unknown',
      `A metric file needs the columns ${needs.join(', ')}; missing: ${missing.join(', ')}.`,
    )
}

const decode = decoder(metricSample.schema)
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function attempt(found: SourceRow): MetricReading {
  try {
    if ('fault' in found) throw found.fault
    const data = decode(withUtcTimes(samplesOf(found.fields)))
    return { row: found.row, rows: 1, data }
  } catch (error) {
    if (!(error instanceof Fault) || error.kind !== 'invalid') throw error
    const first = error.detail.problems?.[0]
    return {
      row: found.row,
      refused: { code: error.code, message: first ? `${first.path} ${first.message}` : error.message },
    }
  }
}

/** The data of an envelope, the data itself, or one sample in columns. */
function samplesOf(fields: Fields): unknown {
  if (isObject(fields['data'])) {
    if (fields['type'] !== metricSample.name)
      throw Fault.invalid('type_unexpected', `The message is not a ${metricSample.name}.`)
    return fields['data']
  }
  if (Array.isArray(fields['samples'])) return { resourceUid: fields['resourceUid'], samples: fields['samples'] }
  const row = columns(fields)
  const number = (name: string) => {
    const text = textOf(row, name)?.trim()
    return text ? Number(text) : undefined
  }
  const [max, sum] = [number('max'), number('sum')]
  const sample = {
    metric: textOf(row, 'metric'),
    ts: textOf(row, 'ts'),
    value: number('value'),
    ...(max !== undefined && { max }),
    ...(sum !== undefined && { sum }),
  }
  return { resourceUid: textOf(row, 'resourceuid'), samples: [sample] }
}

const yearMax = '2100'

/**
 * Converts times to one notation, so that the same time is the same sample. Values that are not text are left to the
 * schema.
 */
function withUtcTimes(data: unknown): unknown {
  if (!isObject(data) || !Array.isArray(data['samples'])) return data
  const samples = data['samples'].map((sample: unknown) => {
    if (!isObject(sample) || typeof sample['ts'] !== 'string') return sample
    const ts = `${utc(sample['ts'], 'ts', true)}Z`
    if (ts.slice(0, 4) > yearMax) throw Fault.invalid('date_invalid', `ts must not be after ${yearMax}: ${ts}`)
    return { ...sample, ts }
  })
  return { resourceUid: data['resourceUid'], samples }
}
