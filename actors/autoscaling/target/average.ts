/**
 * Mean load of targets before an event. A query for one target costs about as much as one for all targets of the same
 * minute, so requests that arrive while one of the organization runs share the next.
 */
import { targetCpu } from '#analytics/readiness/questions.ts'
import { clickhouseTime } from '#analytics/store/time.ts'
import type { Tools } from '#actors/tools.ts'
import { dayMs } from '#engine/value/day.ts'
import { Rounds } from '#engine/run/rounds.ts'

/** Milliseconds of samples in the mean. */
const averageMs = 14 * dayMs

interface AverageRequest {
  orgId: string
  cloudAccountId: string
  targetUid: string
  /** Percent; null if not measured. */
  average: number | null
}

/** Mean CPU percent of a target in the last 14 days; null if not measured. @throws what the store throws */
export type AverageOf = (target: Omit<AverageRequest, 'average'>) => Promise<number | null>

export function averages({ ask, now }: Pick<Tools, 'ask' | 'now'>): AverageOf {
  const rounds = new Rounds<AverageRequest>(async (all) => {
    const at = now().getTime()
    const [since, until] = [clickhouseTime(at - averageMs), clickhouseTime(at)]
    const accounts = [...new Set(all.map(({ cloudAccountId }) => cloudAccountId))]
    const uids = [...new Set(all.map(({ targetUid }) => targetUid))]
    const rows = await ask(targetCpu, { org: all[0]!.orgId, accounts, uids, since, until })
    const found = new Map(rows.map((row) => [keyOf(row.cloud_account_id, row.resource_uid), row.average_cpu]))
    for (const one of all) one.average = found.get(keyOf(one.cloudAccountId, one.targetUid)) ?? null
  })
  return async (target) => {
    const one: AverageRequest = { ...target, average: null }
    await rounds.ask(target.orgId, one)
    return one.average
  }
}

const keyOf = (account: string, uid: string): string => JSON.stringify([account, uid])
