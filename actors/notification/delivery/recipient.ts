/** The recipient of a channel, read right before sending. Reads of many calls at the same time are combined. */
import { NotificationChannel } from '#actors/notification/entity.ts'
import { closedBy, recipientOf, type Recipient } from './send.ts'
import type { Tools } from '#actors/tools.ts'
import { personOf } from '#streams/notification/messages.ts'

export type RecipientTools = Pick<Tools, 'em' | 'reads' | 'open' | 'clock'>

/** Milliseconds during which calls are combined into one read. */
const togetherMs = 3

/** The recipient, or why there is none. */
export type RecipientResult = Recipient | { gone: string }

interface RecipientRequest {
  orgId: string
  channelId: string
  found: (found: RecipientResult) => void
  failed: (error: unknown) => void
}

// People who have left, or whose access is disabled, get nothing.
const peopleSql = `
  select m.org_id, m.user_id::text as user_id, u.email
  from unnest($1::text[], $2::text[]) as asked (org_id, user_id)
  join member m on m.org_id = asked.org_id and m.user_id::text = asked.user_id and m.status = 'active'
  join app_user u on u.id = m.user_id`

const keyOf = (orgId: string, channelId: string): string => `${orgId}\0${channelId}`

/** @throws the error that prevented reading the store */
export function recipients(tools: RecipientTools): (orgId: string, channelId: string) => Promise<RecipientResult> {
  let open: RecipientRequest[] = []
  const read = async () => {
    await tools.clock.sleep(togetherMs)
    const asked = open
    open = []
    try {
      const all = await readAll(asked, tools)
      for (const one of asked) one.found(all.get(keyOf(one.orgId, one.channelId)) ?? { gone: goneOf(one.channelId) })
    } catch (error) {
      for (const one of asked) one.failed(error)
    }
  }
  return (orgId, channelId) =>
    new Promise((found, failed) => {
      open.push({ orgId, channelId, found, failed })
      if (open.length === 1) void read()
    })
}

const goneOf = (channelId: string): string =>
  personOf(channelId) === undefined
    ? 'The channel was deleted.'
    : 'The person is no longer a member of the organization.'

async function readAll(
  asked: readonly RecipientRequest[],
  tools: RecipientTools,
): Promise<Map<string, RecipientResult>> {
  const people = asked.flatMap(({ orgId, channelId }) => {
    const userId = personOf(channelId)
    return userId === undefined ? [] : [{ orgId, userId }]
  })
  const channels = asked.filter(({ channelId }) => personOf(channelId) === undefined)
  return new Map([...(await channelsOf(channels, tools)), ...(await peopleOf(people, tools))])
}

async function channelsOf(
  asked: readonly RecipientRequest[],
  { em, open }: RecipientTools,
): Promise<[string, RecipientResult][]> {
  if (asked.length === 0) return []
  const pairs = new Map(asked.map(({ orgId, channelId: id }) => [keyOf(orgId, id), { orgId, id }]))
  const rows = await em().find(NotificationChannel, { $or: [...pairs.values()] })
  return rows.map((row) => [keyOf(row.orgId, row.id), toldOf(row, () => recipientOf(row, open))])
}

function toldOf(channel: NotificationChannel, recipient: () => Recipient): RecipientResult {
  const closed = closedBy(channel)
  if (closed) return { gone: closed.message }
  try {
    return recipient()
  } catch {
    return { gone: 'The address of the channel cannot be decrypted: its encryption key is missing.' }
  }
}

async function peopleOf(
  asked: readonly { orgId: string; userId: string }[],
  { reads }: RecipientTools,
): Promise<[string, RecipientResult][]> {
  if (asked.length === 0) return []
  const params = [asked.map(({ orgId }) => orgId), asked.map(({ userId }) => userId)]
  const rows = await reads.rows<{ org_id: string; user_id: string; email: string }>(peopleSql, params)
  return rows.map(({ org_id, user_id, email }) => {
    const channelId = `mail:${user_id}`
    return [keyOf(org_id, channelId), { type: 'email', email, channelId }]
  })
}
