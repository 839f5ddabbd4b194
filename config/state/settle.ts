/** Tells tests whether an organization's work is finished, in one call (`POST /internal/settled`). */
import { subjectToken } from '#engine/actor/subject.ts'
import type { Connections } from './connect.ts'
import { laneEnds } from './wait-for-ingest.ts'

/** Milliseconds between tries; doubles each time up to `last`. */
const pauseMs = { first: 5, last: 100 }

// Jobs that are due by the clock are left out: they become due in every organization at each full hour and wait for
// their turn.
const leftSql = `select 'effect ' || name || coalesce(': ' || failure, '') as what, count(*)::int as n from effect
    where org_id = $1 and not (name = 'run-job' and (input ->> 'isDue')::boolean) group by 1
  union all select 'outbox ' || subject, count(*)::int from outbox where subject like '%.' || $1 || '.%' group by 1
  union all select 'delivery', count(*)::int from delivery
    where org_id = $1 and hold in ('', 'probe') and next_try_at is null having count(*) > 0
  union all select 'reminder ' || kind, count(*)::int from reminder
    where org_id = $1 and kind in ('delivery', 'channel-health', 'digest', 'power')
      and due <= to_timestamp($2::double precision / 1000) group by 1
  union all select 'lane', count(*)::int from lane l
    join unnest($3::int[], $4::bigint[]) as sent(lane, seq) on sent.lane = l.lane and l.cursor < sent.seq having count(*) > 0
  union all select 'stored message', count(*)::int from parked where org_id = $1 having count(*) > 0
  union all select 'day to be added up', count(*)::int from mark where org_id = $1 having count(*) > 0`

/**
 * Waits until the lanes have committed all messages sent, no day remains to be aggregated, and no effect, outgoing
 * message or delivery of the organization is in progress. Work that waits for a later time is ignored.
 * @returns what remains after `waitMs`, one line each; empty if everything is finished
 */
export async function settle(c: Connections, orgId: string, waitMs: number): Promise<string[]> {
  const end = performance.now() + waitMs
  for (let pause = pauseMs.first; ; pause = Math.min(2 * pause, pauseMs.last)) {
    const left = await remaining(c, orgId)
    if (left.length === 0 || performance.now() > end) return left
    await c.clock.sleep(pause)
  }
}

async function remaining(c: Connections, orgId: string): Promise<string[]> {
  const ends = await laneEnds(c)
  const params = [orgId, c.clock.now(), [...ends.keys()], [...ends.values()]]
  const { rows } = await c.store.pool.query<{ what: string; n: number }>(leftSql, params)
  const left = rows.map(({ what, n }) => `${n} ${what}`)
  // The work itself may have published more messages. Only those of this organization count, because others always have
  // some.
  for (const [lane, seq] of ends)
    if ((await c.log.oldestBehind(lane, seq, subjectToken(orgId))) !== undefined) left.push(`more in lane ${lane}`)
  return left
}
