/** Pulls the values of unit metrics from their owners' systems, on schedule or once for a preview. */
import type { Tools } from '#actors/tools.ts'
import type { EffectCall, EffectWork } from '#engine/run/effect.ts'
import { Fault } from '#engine/value/fault.ts'
import { parseJson } from '#engine/value/json.ts'
import { fetchOutside } from '#streams/delivery/outbound.ts'
import { pullEnded, timeOf, valueOf, valuesPushed } from '#streams/unit-metric.ts'
import { pullUnitMetric, type PullInput } from './actor.ts'
import { headersSealed, type Pull } from './entity.ts'
import { batches, type TimedValues } from './values.ts'
import { retries } from '#streams/retry.ts'

export type PullHeaders = Readonly<Record<string, string>>

const timeoutMs = 10_000
const bytesMax = 10 * 1024 * 1024

/**
 * Sends one request and reads the rows of the response.
 * @throws Fault `upstream_failed` if there is no response, or it has another shape; Fault `address_refused`
 */
export async function pullValues(pull: Pull, headers: PullHeaders, allowPrivate: boolean): Promise<TimedValues> {
  const { url, method } = pull
  const accept = { accept: 'application/json', ...headers }
  const answer = await fetchOutside(url, { method, headers: accept, timeoutMs, bytesMax, allowPrivate })
  if (answer.status < 200 || answer.status > 299) throw pullFault(`The server returned HTTP ${answer.status}.`)
  return valuesOf(rowsOf(answer.body, pull.rowsPath), pull)
}

const pullFault = (message: string): Fault => Fault.refused('upstream_failed', message)

function rowsOf(body: Buffer, rowsPath: string): unknown[] {
  let answer: unknown
  try {
    answer = parseJson(body.toString('utf8'))
  } catch {
    throw pullFault('The response is not valid JSON.')
  }
  const rows = at(answer, rowsPath)
  if (!Array.isArray(rows)) throw pullFault(`The response has no list at "${rowsPath}".`)
  return rows
}

/** The value at a path of names joined by dots. */
function at(value: unknown, path: string): unknown {
  let found = value
  for (const name of path === '' ? [] : path.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined
    found = (found as Record<string, unknown>)[name]
  }
  return found
}

function valuesOf(rows: readonly unknown[], { timestampField, valueField }: Pull): TimedValues {
  const values: TimedValues = new Map()
  for (const [index, row] of rows.entries()) {
    const given = at(row, timestampField)
    const time = typeof given === 'string' ? timeOf(given) : undefined
    const value = valueOf(at(row, valueField))
    if (time === undefined || value === undefined) {
      const wrong = time === undefined ? `time at "${timestampField}"` : `number at "${valueField}"`
      throw pullFault(`Row ${index + 1} of the response has no ${wrong}.`)
    }
    values.set(time, value)
  }
  return values
}

type PullTools = Pick<Tools, 'reads' | 'publisher' | 'open' | 'allowPrivate'>

/** Not retried: the next try is the next due time. */
export function pullWork(tools: PullTools): EffectWork {
  const { publisher } = tools
  const ended = (input: unknown, { orgId, key }: EffectCall, failure: string | null) => {
    const { metricId } = input as PullInput
    return publisher.publish({ subject: pullEnded, orgId, data: { metricId, failure }, id: `${key}/ended` })
  }
  return {
    name: pullUnitMetric.name,
    pool: 'job',
    retry: retries.unitMetricPull,
    async run(input, call) {
      if (await pullOnce(tools, input as PullInput, call)) await ended(input, call, null)
    },
    async failed(input, call, fault) {
      await ended(input, call, fault.message)
    },
  }
}

interface MetricRow {
  pull: Pull | null
  pull_headers: string | null
  series_id: string
}

/** False if the metric was deleted or is no longer pulled. */
async function pullOnce(tools: PullTools, { metricId }: PullInput, { orgId, key }: EffectCall): Promise<boolean> {
  const [row] = await tools.reads.rows<MetricRow>(
    'select pull, pull_headers, series_id from unit_metric where org_id = $1 and id = $2',
    [orgId, metricId],
  )
  if (!row || row.pull === null) return false
  const headers = row.pull_headers === null ? {} : (tools.open(headersSealed, orgId, row.pull_headers) as PullHeaders)
  const values = await pullValues(row.pull, headers, tools.allowPrivate)
  let told = 0
  for (const batch of batches(values)) {
    const data = { metricId, seriesId: row.series_id, ...batch }
    await tools.publisher.publish({ subject: valuesPushed, orgId, data, id: `${key}/${told++}` })
  }
  return true
}
