/** Recorded series by day: cost of real accounts, and labelled measurements of real systems. */
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'

/** A value a day, by day (YYYY-MM-DD), in order; days without data are left out. */
export type Daily = ReadonlyMap<string, number>

/** Cost in US dollars by project or by category of a Google Cloud organization. */
export function gcpDaily(folder: string, by: 'project' | 'category'): Map<string, Map<string, number>> {
  const [file] = globSync(path.join(folder, `billing/gcp-daily/*_by_${by}_*.csv`))
  const [, ...rows] = readFileSync(file!, 'utf8').trim().split('\n')
  const series = new Map<string, Map<string, number>>()
  for (const [day, name, cost] of rows.map((row) => row.split(','))) put(series, name!, day!, Number(cost))
  return series
}

export interface Share {
  day: string
  project: string
  category: string
  /** US dollars. */
  cost: string
}

/** Cost by project and category at once: the recordings know only the sums by either, which come to the same each day. Any split that keeps both will do. */
export function gcpShares(folder: string): Share[] {
  const projects = gcpDaily(folder, 'project')
  const categories = gcpDaily(folder, 'category')
  const days = new Set([...projects.values()].flatMap((daily) => [...daily.keys()]))
  return [...days].flatMap((day) => sharesOf(day, costsOf(projects, day), costsOf(categories, day)))
}

/** Billionths of a dollar by name: whole numbers, so that what is left is exact. */
const costsOf = (series: ReadonlyMap<string, Daily>, day: string) =>
  [...series].flatMap(([name, daily]) => (daily.has(day) ? [{ name, left: Math.round(daily.get(day)! * 1e9) }] : []))

function sharesOf(day: string, projects: { name: string; left: number }[], categories: typeof projects): Share[] {
  return categories.flatMap((category) => {
    const shares = projects.flatMap((project) => {
      const part = Math.min(project.left, category.left)
      project.left -= part
      category.left -= part
      return part > 0 ? [{ day, project: project.name, category: category.name, cost: (part / 1e9).toFixed(9) }] : []
    })
    // A category that costs nothing on a day has data on it all the same.
    return shares.length > 0 ? shares : [{ day, project: projects[0]!.name, category: category.name, cost: '0' }]
  })
}

interface CostExplorer {
  ResultsByTime: {
    TimePeriod: { Start: string }
    Groups: { Keys: string[]; Metrics: { UnblendedCost: { Amount: string } } }[]
  }[]
}

/** Cost in US dollars by service of an AWS account, as Cost Explorer answers. */
export function awsDaily(folder: string): Map<string, Map<string, number>> {
  const [file] = globSync(path.join(folder, 'billing/aws-cost-explorer/*.json'))
  const { ResultsByTime } = JSON.parse(readFileSync(file!, 'utf8')) as CostExplorer
  const series = new Map<string, Map<string, number>>()
  for (const { TimePeriod, Groups } of ResultsByTime)
    for (const { Keys, Metrics } of Groups)
      put(series, Keys[0]!, TimePeriod.Start, Number(Metrics.UnblendedCost.Amount))
  return series
}

type CostQuery = { response: { properties: { rows: [number, number, string][] } } }[]

/** Cost in US dollars of an Azure subscription, as its cost query answers. */
export function azureDaily(folder: string): Map<string, number> {
  const [file] = globSync(path.join(folder, 'billing/azure-cost-query/*.json'))
  const pages = JSON.parse(readFileSync(file!, 'utf8')) as CostQuery
  const rows = pages.flatMap(({ response }) => response.properties.rows)
  return new Map(rows.map(([cost, on]) => [String(on).replace(/^(....)(..)(..)$/, '$1-$2-$3'), cost]))
}

/** The sum of series, over the days that any of them has. */
export function total(series: ReadonlyMap<string, Daily>): Daily {
  const days = new Map<string, number>()
  for (const daily of series.values()) for (const [day, cost] of daily) days.set(day, (days.get(day) ?? 0) + cost)
  return new Map([...days].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** Days of a label, both included. */
export type Window = readonly [from: string, to: string]

export interface Labelled {
  name: string
  /** Scaled to a mean of 100. */
  daily: Daily
  windows: readonly Window[]
  /** What the daily rule gives, worked out elsewhere. */
  expected: { flagged: string[]; windowsHit: number; flaggedInsideWindow: number }
}

type Expectation = Labelled['expected'] & { windows: Window[] }
type LabelledFile = Record<string, { aggregation?: 'mean' | 'sum'; specRuleOnDailySeriesScaledToMean100?: Expectation }>

/** The labelled series that are long enough to be judged by day. */
export function labelledSeries(folder: string): Labelled[] {
  const file = JSON.parse(readFileSync(path.join(folder, 'expected/labelled_series.json'), 'utf8')) as LabelledFile
  return Object.entries(file).flatMap(
    ([name, { aggregation = 'mean', specRuleOnDailySeriesScaledToMean100: rule }]) => {
      if (!rule) return []
      const { windows, ...expected } = rule
      return [
        { name, daily: scaled(byDay(path.join(folder, name.replace(/^[^/]+\//, '')), aggregation)), windows, expected },
      ]
    },
  )
}

function byDay(file: string, aggregation: 'mean' | 'sum'): Map<string, number> {
  const [, ...rows] = gunzipSync(readFileSync(file)).toString().replaceAll('"', '').trim().split('\n')
  const values = new Map<string, number[]>()
  for (const [at, value] of rows.map((row) => row.split(','))) {
    const day = at!.slice(0, 10)
    if (value?.trim()) values.set(day, [...(values.get(day) ?? []), Number(value)])
  }
  const of = (list: readonly number[]) => sum(list) / (aggregation === 'mean' ? list.length : 1)
  return new Map([...values].map(([day, list]) => [day, of(list)]))
}

function scaled(daily: Daily): Daily {
  const mean = sum([...daily.values()]) / daily.size
  return new Map([...daily].map(([day, value]) => [day, (100 * value) / mean]))
}

export const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0)

const put = (series: Map<string, Map<string, number>>, name: string, day: string, cost: number): void =>
  void series.set(name, (series.get(name) ?? new Map<string, number>()).set(day, cost))
