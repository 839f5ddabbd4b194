/** What rules may read: the declared facts of each resource type, from the tables in the rules folder. */
import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { once } from '#engine/value/once.ts'
import type { Fact } from './contract.ts'

const folder = new URL('../rules/', import.meta.url)

const table = (file: string): Record<string, string>[] =>
  parse(readFileSync(new URL(file, folder)), { columns: true, comment: '#', comment_no_infix: true })

/** A spec or relation of a type: `specs.volume_type`, `rel.target_count`. */
interface Attribute {
  path: string
  /** bool, enum, str, int, num or list. */
  kind: string
  /** The usual value if a producer leaves it out; undefined if none may be assumed. */
  leftOut: Fact
}

const attributes = once(() =>
  byType<Attribute>(
    table('attributes.csv').map(({ type = '', attribute = '', kind = '', left_out: leftOut = '' }) => ({
      type,
      name: attribute,
      value: { path: attribute, kind, leftOut: leftOutOf(leftOut) },
    })),
  ),
)

/** `empty` means known to be empty, `no` is false; any other text is the value itself. */
function leftOutOf(text: string): Fact {
  if (text === '') return undefined
  if (text === 'empty') return null
  return text === 'no' ? false : text
}

const metrics = once(() =>
  byType<string>(
    table('metrics.csv').map(({ type = '', metric = '', shape = '' }) => ({ type, name: metric, value: shape })),
  ),
)

function byType<V>(rows: readonly { type: string; name: string; value: V }[]): Map<string, Map<string, V>> {
  const types = new Map<string, Map<string, V>>()
  for (const { type, name, value } of rows) {
    const known = types.get(type) ?? new Map<string, V>()
    types.set(type, known.set(name, value))
  }
  return types
}

/** Facts of all types. `<name>` in a path of the table matches any name. */
const common = once(() => table('facts.csv').map(({ path = '', kind = '' }) => ({ path, kind, shape: shapeOf(path) })))

function shapeOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', String.raw`\.`).replaceAll(/<\w+>/g, '[a-z0-9_.]+')}$`)
}

const windows = [1, 3, 7, 14, 30, 60, 90]
const aggregate = /^(?:avg|min|max|sum|p\d{1,2}|on_p95|off_p95)$/

/** `metric.<name>.<aggregate>.<days>d`. */
export interface MetricPath {
  metric: string
  aggregate: string
  days: number
}

/** Undefined for a path that is not an aggregate of a metric. */
export function metricPath(path: string): MetricPath | undefined {
  const [space, metric, by = '', window = '', ...more] = path.split('.')
  const days = Number(/^(\d+)d$/.exec(window)?.[1])
  if (space !== 'metric' || metric === undefined || more.length > 0) return undefined
  return aggregate.test(by) && windows.includes(days) ? { metric, aggregate: by, days } : undefined
}

/**
 * Whether resources of the type have the fact at all: specs, relations and metrics only if declared, everything else
 * always.
 */
export function declares(type: string, path: string): boolean {
  if (/^(?:specs|rel)\./.test(path)) return attributes().get(type)?.has(path) ?? false
  const metric = metricPath(path)
  return metric ? (metrics().get(type)?.has(metric.metric) ?? false) : true
}

/** Why a rule for `types` may not read the path; undefined if it may. */
export function pathError(path: string, types: readonly string[]): string | undefined {
  if (path.startsWith('metric.') && !metricPath(path)) return `${path} is not a metric aggregate`
  if (/^(?:specs|rel|metric)\./.test(path))
    return types.some((type) => declares(type, path))
      ? undefined
      : `${path} is not defined for any of the resource types`
  return common().some(({ shape }) => shape.test(path)) ? undefined : `${path} is not a known fact`
}

/** The usual value if a producer leaves the attribute out; undefined if none may be assumed. */
export const leftOut = (type: string, path: string): Fact => attributes().get(type)?.get(path)?.leftOut

/** bool, enum, str, int, num or list; undefined for metrics and unknown paths. */
export const kindOf = (type: string, path: string): string | undefined =>
  attributes().get(type)?.get(path)?.kind ?? common().find(({ shape }) => shape.test(path))?.kind
