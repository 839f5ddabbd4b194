/** How far the lanes are behind with what an organization's producers have sent. */
import { orgWide, subjectToken } from '#engine/actor/subject.ts'
import { Fault } from '#engine/value/fault.ts'
import type { LaneLag } from '#http/edge/services.ts'
import type { Connections } from './connect.ts'

/**
 * Of each lane that carries one of `accounts` or what belongs to the whole organization, and of each in which something of it
 * waits. @throws Fault `transient` `unavailable` where the streams do not answer
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
  const all = cursors.map(async ({ lane, cursor }) => {
    const at = await log.oldestBehind(lane, Number(cursor), org)
    // Its broker's clock and this one may differ a little.
    const oldestSeconds = at === undefined ? null : Math.max(0, (Date.now() - at) / 1000)
    return { lane, cloudAccountIDs: own.get(lane) ?? [], oldestSeconds }
  })
  const found = await Promise.all(all).catch(() => {
    throw Fault.transient('unavailable', 'The streams are not responding. Try again.')
  })
  return found.filter(({ lane, oldestSeconds }) => own.has(lane) || oldestSeconds !== null)
}
