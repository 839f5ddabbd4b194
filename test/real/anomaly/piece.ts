/**
 * Long series are cut into pieces that are judged side by side: detection of a day sees the 30 days before it and no more, so
 * that each piece of 32 days with the 30 before them gives what the whole series gives. 32 detections then judge all days.
 */
import { addDays } from '#engine/value/day.ts'
import type { ClickHouseClient } from '@clickhouse/client'
import { rule } from '#actors/anomaly/rule.ts'
import { detectDays, type Found } from '#test/harness/detection.ts'
import type { Daily } from '#test/real/anomaly/series.ts'

/** The first day that is judged of every piece, and how many are. */
const first = '2026-03-01'
const length = 32

export interface PieceDay {
  /** The name of the series, and of the piece. */
  series: string
  resourceUid: string
  /** When the piece has it. */
  day: string
  cost: number
}

const daysBetween = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / 86_400_000
const beginOf = (daily: Daily): string => [...daily.keys()][0]!
const piecesIn = (daily: Daily): number =>
  Math.ceil((daysBetween(beginOf(daily), [...daily.keys()].at(-1)!) + 1) / length)
const uidOf = (series: string, piece: number): string => `${series}#${piece}`

/** All pieces of a series, day by day. */
export function piecesOf(series: string, daily: Daily): PieceDay[] {
  const begun = beginOf(daily)
  const days = [...daily].map(([day, cost]) => ({ at: daysBetween(begun, day), cost }))
  const pieces = Array.from({ length: piecesIn(daily) }, (_, piece) => piece)
  return pieces.flatMap((piece) =>
    days
      .map(({ at, cost }) => ({ at: at - piece * length, cost }))
      .filter(({ at }) => at >= -rule.priorDays && at < length)
      .map(({ at, cost }) => ({ series, resourceUid: uidOf(series, piece), day: addDays(first, at), cost })),
  )
}

/** What is out of line in each of the series whose pieces the organization has, at the days of the series. */
export async function detectPieces(
  ch: ClickHouseClient,
  orgId: string,
  series: ReadonlyMap<string, Daily>,
): Promise<ReadonlyMap<string, readonly Found[]>> {
  const found = await detectDays(ch, orgId, first, addDays(first, length - 1))
  const byUid = Map.groupBy(found, ({ type, key }) => (type === 'resource' ? key : ''))
  const flags = new Map<string, readonly Found[]>()
  for (const [name, daily] of series) {
    const begun = beginOf(daily)
    const pieces = Array.from({ length: piecesIn(daily) }, (_, piece) =>
      (byUid.get(uidOf(name, piece)) ?? []).map((one) => ({
        ...one,
        date: addDays(begun, piece * length + daysBetween(first, one.date)),
      })),
    )
    flags.set(name, pieces.flat())
  }
  return flags
}
