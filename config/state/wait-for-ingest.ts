/** Waits until sent messages have taken effect. */
import { costDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import { costDayKey, costDayOf } from '#analytics/rollup/day-batch.ts'
import type { Connections } from './connect.ts'

/** Milliseconds between tries; doubles each time up to `last`. */
const pauseMs = { first: 5, last: 100 }

/** Lanes that have not committed up to a sequence, or have stored messages of the organization before it. */
const behindSql = `select count(*) from lane l join unnest($1::int[], $2::bigint[]) as w(lane, seq) on w.lane = l.lane
  where l.cursor < w.seq or exists (select from parked p where p.lane = l.lane and p.seq <= w.seq and p.org_id = $3)`

/**
 * Resolves when the lanes have committed up to the given sequences and no day of the organization remains to be
 * aggregated.
 */
export async function waitUntilSettled(
  c: Connections,
  orgId: string,
  lanes: ReadonlyMap<number, number>,
  tell: (left: number) => void,
): Promise<void> {
  for (let pause = pauseMs.first; ; pause = Math.min(2 * pause, pauseMs.last)) {
    const { rows } = await c.store.pool.query(
      `select (${behindSql})::int as lanes,
         (select count(*) from mark where org_id = $3)::int as marks`,
      [[...lanes.keys()], [...lanes.values()], orgId],
    )
    const { lanes: behind, marks } = rows[0] as { lanes: number; marks: number }
    if (behind === 0 && marks === 0) return
    tell(marks)
    await c.clock.sleep(pause)
  }
}

/** The newest sequence of every lane, from any sender. */
export async function laneEnds({ log, settings }: Connections): Promise<Map<number, number>> {
  const lanes = Array.from({ length: settings.lanes }, (_, lane) => lane)
  return new Map(await Promise.all(lanes.map(async (lane) => [lane, await log.last(lane)] as const)))
}

/**
 * Whether the lanes have run the organization's messages up to the given sequences. Tries again for `waitMs`
 * milliseconds.
 */
export async function havePassed(
  c: Connections,
  orgId: string,
  lanes: ReadonlyMap<number, number>,
  waitMs: number,
): Promise<boolean> {
  const until = performance.now() + waitMs
  for (;;) {
    const { rows } = await c.store.pool.query<{ lanes: number }>(`select (${behindSql})::int as lanes`, [
      [...lanes.keys()],
      [...lanes.values()],
      orgId,
    ])
    if (rows[0]!.lanes === 0) return true
    if (performance.now() >= until) return false
    await c.clock.sleep(100)
  }
}

/**
 * Whether all days of the account are aggregated, so that reports show its bills. Remaining days count as aggregated if
 * `areSummed` says so. Tries again for `waitMs` milliseconds.
 */
export async function isSummed(
  c: Connections,
  orgId: string,
  cloudAccountId: string,
  waitMs: number,
  areSummed: (days: readonly string[]) => Promise<boolean> = async () => false,
): Promise<boolean> {
  const until = performance.now() + waitMs
  const mark = [costDays.name, orgId, costDayKey({ cloudAccountId, day: '' })]
  for (;;) {
    const { rows } = await c.store.pool.query<{ key: string }>(
      'select key from mark where projection = $1 and org_id = $2 and starts_with(key, $3)',
      mark,
    )
    const days = rows.map(({ key }) => costDayOf({ orgId, key }).day)
    if (days.length === 0 || (await areSummed(days))) return true
    if (performance.now() >= until) return false
    await c.clock.sleep(pauseMs.last)
  }
}
