/** Messages of business metrics (unit economics): values that are pushed or pulled. */
import { t } from '#engine/value/schema.ts'
import { orgWide, subject } from '#engine/actor/subject.ts'
import { text } from '#streams/text.ts'

/** Maximum values per message, and per push request. */
export const valuesMax = 5000

/** Far above any real count, and a year of such values still has a finite sum. */
export const valueMax = 1e18

const ofOrg = { kind: 'actor', place: () => orgWide } as const
const metric = { metricId: text({ minLength: 1 }), seriesId: text({ minLength: 1 }) }

/**
 * Command: add values, or replace those of the same times. `times` (milliseconds since 1970) and `values` correspond by
 * position: two lists of numbers, because an upload keeps a million of them in memory until all are sent.
 */
export const valuesPushed = subject({
  ...ofOrg,
  name: 'unit_metric.values_pushed',
  summary: 'Values of a unit metric, added or replacing the values at the same times.',
  once: true,
  schema: t.Object({
    ...metric,
    times: t.Array(t.Integer(), { minItems: 1, maxItems: valuesMax }),
    values: t.Array(t.Number({ minimum: -valueMax, maximum: valueMax }), { minItems: 1, maxItems: valuesMax }),
  }),
  examples: [{ metricId: 'm-1', seriesId: 's-1', times: [1_768_435_200_000], values: [150] }],
})

/** Command: pull the metric's values at this interval in minutes from now on, or (null) stop. */
export const pullChanged = subject({
  ...ofOrg,
  name: 'unit_metric.pull_changed',
  summary: 'Start or stop pulling the values of a unit metric at intervals.',
  once: true,
  schema: t.Object({ metricId: metric.metricId, intervalMinutes: t.Union([t.Integer({ minimum: 15 }), t.Null()]) }),
  examples: [{ metricId: 'm-1', intervalMinutes: 60 }],
})

/** Reminder: pull the values of a metric. */
export const pullDue = subject({
  ...ofOrg,
  name: 'unit_metric.pull_due',
  summary: 'Pull the values of a unit metric.',
  schema: t.Object({ metricId: metric.metricId }),
  examples: [{ metricId: 'm-1' }],
})

/** A pull has ended; its values were sent before. `failure` is its error. */
export const pullEnded = subject({
  ...ofOrg,
  name: 'unit_metric.pulled',
  summary: 'A pull of a unit metric ended.',
  once: true,
  schema: t.Object({ metricId: metric.metricId, failure: t.Union([text(), t.Null()]) }),
  examples: [{ metricId: 'm-1', failure: null }],
})

/** Command: the metric is deleted and no longer pulled. */
export const unitMetricRemoved = subject({
  ...ofOrg,
  name: 'unit_metric.removed',
  summary: 'A unit metric was deleted.',
  once: true,
  schema: t.Object({ metricId: metric.metricId }),
  examples: [{ metricId: 'm-1' }],
})

const shape =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|z|([+-])(\d{2}):?(\d{2}))?)?$/

/**
 * Milliseconds since 1970 of a day (its start) or an ISO 8601 time, UTC by default; undefined for anything else or
 * outside 1970 to 2100.
 */
export function timeOf(given: string): number | undefined {
  const found = shape.exec(given)
  if (!found) return undefined
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map((part) => Number(part ?? 0)) as Six
  const start = Date.UTC(year, month - 1, day)
  if (new Date(start).toISOString().slice(0, 10) !== given.slice(0, 10)) return undefined
  const zone = zoneMs(found[9], Number(found[10] ?? 0), Number(found[11] ?? 0))
  if (hour > 23 || minute > 59 || second > 59 || zone === undefined) return undefined
  const ms = Number((found[7] ?? '').padEnd(3, '0').slice(0, 3))
  const at = start + ((hour * 60 + minute) * 60 + second) * 1000 + ms - zone
  return at >= 0 && at < endMs ? at : undefined
}

function zoneMs(sign: string | undefined, hours: number, minutes: number): number | undefined {
  if (hours > 14 || minutes > 59) return undefined
  return (hours * 60 + minutes) * (sign === '-' ? -60_000 : 60_000)
}

type Six = [number, number, number, number, number, number]
const endMs = Date.UTC(2101, 0, 1)

const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?$/

/** A number from JSON or text; undefined if it is not a number or exceeds `valueMax`. */
export function valueOf(given: unknown): number | undefined {
  if (typeof given === 'string' && !decimal.test(given)) return undefined
  if (typeof given !== 'string' && typeof given !== 'number') return undefined
  const value = Number(given)
  return Math.abs(value) <= valueMax ? value : undefined
}

export const unitMetricMessages = [valuesPushed, pullChanged, pullDue, pullEnded, unitMetricRemoved]
