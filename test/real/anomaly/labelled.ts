/** Labelled series through detection, and how well a list of flagged days meets the labels. */
import type { ClickHouseClient } from '@clickhouse/client'
import { anomalyActor } from '#actors/anomaly/actor.ts'
import { recurrenceOf } from '#actors/anomaly/recurrence.ts'
import { addDays, startOf } from '#engine/value/day.ts'
import { anomalyFound, anomalyNotified } from '#streams/anomaly.ts'
import { fact } from '#test/harness/clickhouse.ts'
import { writeFacts, type Found } from '#test/harness/detection.ts'
import { MemoryActor } from '#test/harness/turn.ts'
import { detectPieces, piecesOf } from '#test/real/anomaly/piece.ts'
import type { Daily, Labelled } from '#test/real/anomaly/series.ts'

/** What the product finds in each series, as the daily cost of a resource: written as facts of a fresh organization. */
export async function detectLabelled(
  ch: ClickHouseClient,
  orgId: string,
  series: readonly Labelled[],
): Promise<ReadonlyMap<string, readonly Found[]>> {
  const facts = series.flatMap(({ name, daily }) =>
    piecesOf(name, daily).map(({ resourceUid, day, cost }) =>
      fact(orgId, `${day}/${resourceUid}`, cost.toFixed(12), { x_Day: day, ResourceId: resourceUid }),
    ),
  )
  await writeFacts(ch, facts)
  return detectPieces(ch, orgId, new Map(series.map(({ name, daily }) => [name, daily])))
}

/** The days that people are notified of, each by a receiver that accepts at once: of all that is found, or without what is recurring. */
export function notifiedDays(daily: Daily, found: readonly Found[], isQuiet: boolean): string[] {
  const actor = new MemoryActor(anomalyActor, { place: '-', key: 'series' })
  const history = new Map([...daily].map(([day, cost]) => [day, { cost, charged: cost }]))
  return found.flatMap((one) => {
    const { date, type, key, actualUsd: actual } = one
    const recurrence = recurrenceOf({ date, actual, isRunning: false }, history)
    const at = startOf(addDays(date, 1))
    const { raised } = actor.take(
      anomalyFound,
      { ...one, story: { ...one.story!, size: 1 }, recurrence, isQuiet: isQuiet && recurrence !== '' },
      { at },
    )
    if (raised.length === 0) return []
    actor.take(anomalyNotified, { date, type, key, at: new Date(at).toISOString() }, { needs: new Map() })
    return [date]
  })
}

export interface Score {
  windows: number
  windowsHit: number
  flagged: number
  flaggedInside: number
  /** Days from the first of each hit window to its first flag. */
  delays: readonly number[]
}

export function scoreOf({ windows }: Pick<Labelled, 'windows'>, flagged: readonly string[]): Score {
  const isInside = (day: string, [from, to]: Labelled['windows'][number]) => from <= day && day <= to
  const firsts = windows.map((window) => ({ from: window[0], day: flagged.find((day) => isInside(day, window)) }))
  return {
    windows: windows.length,
    windowsHit: firsts.filter(({ day }) => day !== undefined).length,
    flagged: flagged.length,
    flaggedInside: flagged.filter((day) => windows.some((window) => isInside(day, window))).length,
    delays: firsts.flatMap(({ from, day }) => (day ? [(Date.parse(day) - Date.parse(from)) / 86_400_000] : [])),
  }
}
