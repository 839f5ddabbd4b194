/**
 * How near forecasts of recorded series come: each is made anew at every fifth day by the days until then alone, and its days until the
 * end of the month are compared with what was recorded.
 */
import { median } from '#analytics/forecast/level.ts'
import { naiveMethods, naives, type NaiveMethod } from '#analytics/forecast/naive.ts'
import { completeDaysMin, forecast, historyDays, sum } from '#analytics/forecast/forecast.ts'
import type { Charge } from '#analytics/forecast/split-charges.ts'
import { addDays, daysBetween } from '#engine/value/day.ts'
import { simulatedCloud } from '#streams/cloud/simulated/connector.ts'
import { units } from '#streams/figure.ts'
import { awsDaily, azureDaily, gcpDaily, labelledSeries, total, type Daily } from '#test/real/anomaly/series.ts'

export type Way = 'ours' | NaiveMethod
export const ways = ['ours', ...naiveMethods] as const

/** Days that a series must have, and days between two origins: all weekdays come. */
const daysMin = completeDaysMin + 14
const stride = 5

export interface Measured {
  name: string
  days: number
  forecasts: number
  /** Mean absolute error of days, as a multiple of the mean difference to the same weekday of the week before. */
  mase: Record<Way, number>
  /** Mean absolute error of days in per cent of them, where they are not 0. */
  mape: Record<Way, number>
  /** Of days, and of rests of months, those that were within the band: 1 each, 0 of others. */
  held: number[]
  heldRests: number[]
}

/** Every recorded series of costs that has enough days on which it cost something. */
export function recordedCosts(folder: string): Map<string, Daily> {
  const [projects, services] = [gcpDaily(folder, 'project'), awsDaily(folder)]
  const all = new Map<string, Daily>([
    ...[...projects].map(([name, daily]) => [`Google Cloud, project ${name}`, daily] as const),
    ...[...gcpDaily(folder, 'category')].map(([name, daily]) => [`Google Cloud, ${name}`, daily] as const),
    ['Google Cloud, all', total(projects)],
    ...[...services].map(([name, daily]) => [`AWS, ${name}`, daily] as const),
    ['AWS, all', total(services)],
    ['Azure, all', azureDaily(folder)],
  ])
  return longEnough(all)
}

/** Recorded measurements of systems, by day: no costs, so that what is decided by them is not decided by what is reported. */
export const recordedLoads = (folder: string): Map<string, Daily> =>
  longEnough(new Map(labelledSeries(folder).map(({ name, daily }) => [name.replace(/^.*\/metrics\//, ''), daily])))

const longEnough = (all: ReadonlyMap<string, Daily>): Map<string, Daily> =>
  new Map([...all].filter(([, daily]) => [...daily.values()].filter((cost) => cost !== 0).length >= daysMin - 2))

/** What the demo organization is billed daily, of all its accounts and of each that has enough days: as if its history ended on `through`. */
export async function demoCosts(through: string): Promise<Map<string, Daily>> {
  const now = () => new Date(`${addDays(through, 1)}T10:00:00Z`)
  const cloud = simulatedCloud({ seed: 'tidemark', now, sleep: () => Promise.resolve() })
  const all = new Map<string, Daily>()
  for (const { externalId, provider, name } of cloud.accounts) {
    const account = { id: externalId, orgId: 'o', provider, externalId, name, regions: [], credentials: null }
    const daily = new Map<string, number>()
    for await (const lines of cloud.bill!(account, addDays(through, -historyDays), through))
      for (const { ChargeCategory: category, ChargePeriodStart: start, BilledCost: cost } of lines) {
        const day = String(start).slice(0, 10)
        if (category === 'Usage') daily.set(day, (daily.get(day) ?? 0) + Number(cost))
      }
    all.set(`demo, ${name}`, daily)
  }
  return longEnough(new Map([['demo, all', total(all)], ...all]))
}

/** Scaled to 100 US dollars a day, so that whole cents hide nothing of small ones. */
const scaled = (daily: Daily): Daily => {
  const unit = mean([...daily.values()].map(Math.abs)) / 100
  return new Map([...daily].map(([day, cost]) => [day, cost / unit]))
}

export function measured(name: string, recorded: Daily): Measured {
  const daily = scaled(recorded)
  const [first, last] = [[...daily.keys()][0]!, [...daily.keys()].at(-1)!]
  const costs = Array.from(
    { length: daysBetween(first, last) + 1 },
    (_, at) => daily.get(addDays(first, at)) ?? Number.NaN,
  )
  const errors = Object.fromEntries(ways.map((way) => [way, { absolute: [], relative: [] }])) as unknown as Record<
    Way,
    { absolute: number[]; relative: number[] }
  >
  const [held, heldRests]: [number[], number[]] = [[], []]
  let forecasts = 0
  for (let origin = completeDaysMin; origin < costs.length - 1; origin += stride) {
    const made = forecast(historyOf(daily, addDays(first, origin)), addDays(first, origin + 1))
    if (!made) continue
    forecasts++
    const naive = Object.entries(naives(first, costs.length)).map(
      ([way, of]) =>
        [
          way as NaiveMethod,
          of(
            costs.map((cost, at) => (at <= origin ? cost : Number.NaN)),
            origin,
          ),
        ] as const,
    )
    for (const day of made.days) {
      const at = daysBetween(first, day.from)
      const cost = costs[at] ?? Number.NaN
      const said = [['ours', day.expected / 100] as const, ...naive.map(([way, of]) => [way, of(at)] as const)]
      if (Number.isNaN(cost)) continue
      held.push(Number(cost * 100 >= day.low! - 0.5 && cost * 100 <= day.high! + 0.5))
      if (said.some(([, expected]) => Number.isNaN(expected))) continue
      for (const [way, expected] of said) {
        errors[way].absolute.push(Math.abs(expected - cost))
        if (cost !== 0) errors[way].relative.push(Math.abs((expected - cost) / cost))
      }
    }
    const rest = made.days.map((day) => costs[daysBetween(first, day.from)] ?? Number.NaN)
    const cost = 100 * sum(rest)
    if (!Number.isNaN(cost)) heldRests.push(Number(cost >= made.rest.low! - 0.5 && cost <= made.rest.high! + 0.5))
  }
  const scale = mean(
    costs.flatMap((cost, at) => (at < 7 ? [] : [Math.abs(cost - costs[at - 7]!)])).filter((one) => !Number.isNaN(one)),
  )
  const of = (pick: (way: Way) => number) =>
    Object.fromEntries(ways.map((way) => [way, pick(way)])) as Record<Way, number>
  return {
    name,
    days: daily.size,
    forecasts,
    mase: of((way) => mean(errors[way].absolute) / scale),
    mape: of((way) => 100 * mean(errors[way].relative)),
    held,
    heldRests,
  }
}

/** What was known on a day: the bills until then. */
function historyOf(daily: Daily, through: string) {
  const days = [...daily.keys()].filter((day) => day <= through)
  const charges = days.map((day): Charge => ({
    day,
    category: 'Usage',
    isSeldom: false,
    service: '',
    stream: '',
    amount: units(daily.get(day)!.toFixed(14)),
  }))
  return { charges, through, known: new Set(days) }
}

export const mean = (values: readonly number[]): number => sum(values) / values.length
/** Per cent of bands that held, of all series together. */
export const heldOf = (all: readonly Measured[], pick: (one: Measured) => readonly number[]): number =>
  100 * mean(all.flatMap(pick))
/** By series, of those that have any. */
export const heldEach = (all: readonly Measured[], pick: (one: Measured) => readonly number[]): number[] =>
  all.map(pick).flatMap((held) => (held.length === 0 ? [] : [100 * mean(held)]))
export const medianOf = (all: readonly Measured[], pick: (one: Measured) => number): number => median(all.map(pick))
