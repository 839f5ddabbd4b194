/** What reports that compare ask of the earlier time, and how it comes to stand beside what is now. */
import { allCharges } from '#analytics/cost/charge.ts'
import { costByPeriod, costFlowResources, type granularities } from '#analytics/cost/questions.ts'
import { portions } from '#analytics/store/query.ts'
import { noLabels } from '#analytics/store/slice.ts'
import type { Services } from '#http/edge/services.ts'
import { against } from './compare.ts'
import type { costQuestion } from '#http/report/filter/filter.ts'
import { units } from '#streams/figure.ts'

export type Question = ReturnType<typeof costQuestion>
type Analytics = Pick<Services, 'analytics'>

/** What stands beside the periods of an earlier time, by their place; undefined where no comparison is asked for. */
export async function earlierPeriods(
  question: Question | undefined,
  granularity: (typeof granularities)[number],
  { analytics }: Analytics,
) {
  if (!question) return undefined
  const then = await analytics(costByPeriod, { ...question, granularity })
  return (row: { cost_usd: string }, at: number) => {
    const before = then[at]
    return against(units(row.cost_usd), before && units(before.cost_usd))
  }
}

/** Places of resources: of one account, or in all of them. */
interface ResourcePlace {
  resource_uid: string
  cloud_account_id?: string
}

/** What stands beside the resources of a page, by their place; undefined where no comparison is asked for. */
export async function earlierResources(
  question: Question | undefined,
  rows: readonly ResourcePlace[],
  { analytics }: Analytics,
): Promise<((row: ResourcePlace & { cost_usd: string }) => ReturnType<typeof against>) | undefined> {
  if (!question) return undefined
  const costs = new Map<string, bigint>()
  for (const some of portions(rows, (row) => row.resource_uid)) {
    const found = await analytics(costFlowResources, {
      ...noLabels,
      ...allCharges,
      // What it is narrowed by beyond its slice, where it is.
      ...question,
      ...byPlace,
      uids: [...new Set(some.map((row) => row.resource_uid))],
      top: some.length,
    })
    for (const { d1, d6, cost_usd } of found)
      for (const key of [placeOf({ resource_uid: d6 }), placeOf({ resource_uid: d6, cloud_account_id: d1 })])
        costs.set(key, (costs.get(key) ?? 0n) + units(cost_usd))
  }
  return (row) => against(units(row.cost_usd), costs.get(placeOf(row)) ?? 0n)
}

const placeOf = ({ resource_uid, cloud_account_id }: ResourcePlace): string =>
  JSON.stringify([resource_uid, cloud_account_id])

const byPlace = {
  d1: 'cloud_account_id',
  d2: 'nothing',
  d3: 'nothing',
  d4: 'nothing',
  d5: 'nothing',
  d6: 'resource_uid',
} as const

/** The rows of now, with those that only were before, which `ended` makes cost nothing. */
export function withGone<R>(
  now: readonly R[],
  earlier: readonly R[],
  keyOf: (row: R) => string,
  ended: (row: R) => R,
): R[] {
  const here = new Set(now.map(keyOf))
  return [...now, ...earlier.filter((row) => !here.has(keyOf(row))).map(ended)]
}

/** What stands beside rows by their key; undefined where no comparison is asked for. */
export function besideOf<R extends { cost_usd: string }>(
  isAsked: boolean,
  earlier: readonly R[],
  keyOf: (row: R) => string,
): ((row: R) => ReturnType<typeof against>) | undefined {
  if (!isAsked) return undefined
  const then = new Map(earlier.map((row) => [keyOf(row), units(row.cost_usd)]))
  return (row) => against(units(row.cost_usd), then.get(keyOf(row)) ?? 0n)
}
