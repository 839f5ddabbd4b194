/** How far the lanes are behind with the messages of an organization's producers. */
import { orgWide, subjectToken } from '#engine/actor/subject.ts'
import { Fault } from '#engine/value/fault.ts'
import type { LaneLag } from '#http/edge/services.ts'
import type { Connections } from './connect.ts'

/**
 * The lag of each lane that processes one of `accounts` or the whole organization, or that has unprocessed messages of
 * the organization.
 * @throws Fault `transient` `unavailable` if the streams do not answer
 */
export async function lagOf(
  { store, log, settings }: Pick<Connections, 'store' | 'log' | 'settings'>,
  orgId: string,
  accounts: readonly string[],
): Promise<LaneLag[]> {
  const org = subjectToken(orgId)
  const own = new Map<number, string[]>()
  for (const place of [orgWide, ...accounts]) {
    const lane = log.laneOf(org, subjectToken(place))
    if (lane !== undefined) own.set(lane, [...(own.get(lane) ?? []), ...(place === orgWide ? [] : [place])])
  }
  const cursors = await store.rows<{ lane: number; cursor: string }>(
    'select lane, cursor from lane where lane < $1 order by lane',
    [settings.lanes],
  )
  // Those that wait until the organization's facts can be written again are older than all in the streams.
  const parked = await store.rows<{ lane: number; at: number }>(
    'select lane, min(at)::float8 as at from parked where org_id = $1 group by lane',
    [orgId],
  )
  const all = cursors.map(async ({ lane, cursor }) => {
    const at = parked.find((one) => one.lane === lane)?.at ?? (await log.oldestBehind(lane, Number(cursor), org))
    // The clocks of the broker and of this machine may differ slightly.
    const oldestSeconds = at === undefined ? null : Math.max(0, (Date.now() - at) / 1000)
    return { lane, cloudAccountIDs: own.get(lane) ?? [], oldestSeconds }
  })
  const found = await Promise.all(all).catch(() => {
    throw Fault.transient('unavailable', 'The streams are not responding. Try again.')
  })
  return found.filter(({ lane, oldestSeconds }) => own.has(lane) || oldestSeconds !== null)
}
