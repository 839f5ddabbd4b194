/** Rooms of a chat that are told of resources that start and stop, and what must have been told when all of it is over. */
import { until } from '#test/harness/action-load.ts'
import type { ChaosWorld } from '#test/harness/chaos.ts'
import { channelTo, done, subscribe, type Chat, type Room } from '#test/harness/chat.ts'
import type { EdgeOrg } from '#test/harness/chaos-edge.ts'

export const tellingSettings = {
  ALLOW_INSECURE_WEBHOOKS: '1',
  CHANNEL_MESSAGES_PER_SECOND: '0',
  NOTIFICATIONS_PER_SECOND: '0',
} as const

export interface Telling {
  rooms: Room[]
  /** What was posted, in order: which delivery, and when by `performance.now()`. */
  posted: { delivery: string; at: number }[]
  /** Called at each post before it is answered: `answer` answers. */
  onPost: (answer: () => void) => void
}

/** Three channels of the organization that are told of each start and stop. */
export async function tell(org: EdgeOrg, receivers: Chat): Promise<Telling> {
  const telling: Telling = { rooms: [], posted: [], onPost: (answer) => answer() }
  for (let n = 0; n < 3; n++) {
    const room = receivers.room()
    room.answers = [
      (response) => {
        telling.posted.push({ delivery: room.posts.at(-1)!.delivery, at: performance.now() })
        telling.onPost(() => response.end('ok'))
      },
    ]
    telling.rooms.push(room)
    const channel = await channelTo(org as never, room)
    for (const key of ['resource.started', 'resource.stopped']) await subscribe(org as never, channel, key)
  }
  return telling
}

/** Resolves once nobody of the organization waits to be told. */
export async function toldAll(world: ChaosWorld, { orgId }: EdgeOrg): Promise<void> {
  const sql = `select ((select count(*) from effect where org_id = $1) + (select count(*) from delivery where org_id = $1))::int as n`
  await until(world, async () => (await world.pool.query<{ n: number }>(sql, [orgId])).rows[0]!.n === 0)
}

interface Delivery {
  id: string
  eventType: string
  status: string
  tries: number
}

/** What is not as it must be, one sentence each: one row of the log a channel and action, each posted, and nothing else posted. */
export async function tellingWrongs(
  org: EdgeOrg,
  { rooms, posted }: Telling,
  asked: readonly { action: string }[],
): Promise<string[]> {
  const log: Delivery[] = []
  for (let page = 1; log.length === (page - 1) * 200; page++)
    log.push(...(await done(org as never, 'GET', `/notifications/deliveries?limit=200&page=${page}`)).items)
  const wrong: string[] = []
  const ids = new Set(log.map(({ id }) => id))
  const posts = new Set(posted.map(({ delivery }) => delivery))
  if (ids.size !== log.length) wrong.push(`${log.length - ids.size} deliveries have two rows`)
  for (const { id, status, tries } of log)
    if (status !== 'delivered' || tries !== 1) wrong.push(`${id} is ${status} after ${tries} tries`)
  for (const action of ['start', 'stop']) {
    const found = log.filter(({ eventType }) => eventType.startsWith(`resource.${action}`)).length
    const wanted = rooms.length * asked.filter((one) => one.action === action).length
    if (found !== wanted) wrong.push(`${action}: ${found} deliveries, expected ${wanted}`)
  }
  for (const id of ids) if (!posts.has(id)) wrong.push(`${id} is in the log and was not posted`)
  for (const id of posts) if (!ids.has(id)) wrong.push(`${id} was posted and is not in the log`)
  return wrong
}
