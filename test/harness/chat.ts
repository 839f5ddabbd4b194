/** A chat with a room for each channel, on a port of this machine, and what organizations have it told of. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { billingLine } from '#streams/billing/messages.ts'
import { notification, noticeRaised, type NotificationEvent } from '#streams/notification/messages.ts'
import type { EventType } from '#streams/notification/event-type.ts'
import { settle } from '#config/state/settle.ts'
import { line } from '#test/harness/anomaly.ts'
import type { Fleet } from '#test/harness/fleet.ts'
import { testProduct, type Tenant } from '#test/harness/product.ts'

export interface Post {
  headers: IncomingHttpHeaders
  /** As it came. */
  text: string
  /** X-Tidemark-Event. */
  event: string
  /** X-Tidemark-Delivery. */
  delivery: string
}

/** A status, or what is done with the answer to the post of this number, 1 for the first. */
export type Answer = number | ((response: ServerResponse, n: number) => void)

export interface Room {
  url: string
  posts: Post[]
  /** Of the next posts, one after the other; the last one stays. */
  answers: Answer[]
}

export interface Chat {
  room(): Room
  end(): Promise<void>
}

export async function chat(): Promise<Chat> {
  const rooms = new Map<string, Room>()
  const server = createServer((request, response) => {
    request.toArray().then((chunks) => {
      const { headers, url = '' } = request
      const room = rooms.get(url)
      if (!room) return response.writeHead(404).end()
      const [event, delivery] = [headers['x-tidemark-event'], headers['x-tidemark-delivery']].map(String)
      room.posts.push({ headers, text: Buffer.concat(chunks).toString(), event: event!, delivery: delivery! })
      const answer = (room.answers.length > 1 ? room.answers.shift() : room.answers[0]) ?? 200
      if (typeof answer === 'function') return answer(response, room.posts.length)
      return response.writeHead(answer).end('ok')
    }, console.error)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    room() {
      const path = `/hooks/${rooms.size + 1}`
      const made: Room = { url: at + path, posts: [], answers: [] }
      rooms.set(path, made)
      return made
    },
    end: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

type Org = Pick<Tenant, 'send' | 'get'>

/** What a request made, or was shown. @throws where it was refused */
export async function done(org: Org, method: string, path: string, body?: unknown): Promise<any> {
  const answer = await org.send(method, path, body)
  expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).to.be.within(200, 299)
  return answer.body?.data
}

/** A channel that posts to the room; its id. */
export async function channelTo(org: Org, { url }: Room, config: object = {}, type = 'slack'): Promise<string> {
  const body = { type, name: url.slice(-30), config: { webhookURL: url, ...config } }
  return (await done(org, 'POST', '/notifications/channels', body)).id
}

/** A channel of mail to the address, whose recipient has agreed; its id. */
export async function mailTo(org: Org, email: string, config: object = {}): Promise<string> {
  const body = { type: 'email', name: email, config: { email, ...config } }
  const { id } = await done(org, 'POST', '/notifications/channels', body)
  await agreed(id)
  return id
}

/** The recipient of a channel of mail agrees, without the mail that asks. */
export const agreed = async (channelId: string): Promise<unknown> =>
  (await testProduct()).connections.store.rows(
    `update notification_channel set confirmed_at = now(), confirm_nonce = '' where id = $1`,
    [channelId],
  )

/** A subscription, of all of the organization unless told otherwise; its id. */
export const subscribe = async (
  org: Org,
  channelID: string,
  eventType: string,
  [scopeType, scopeID] = ['org', ''],
): Promise<string> =>
  (await done(org, 'POST', '/notifications/subscriptions', { channelID, eventType, scopeType, scopeID })).id

/** What was told or is to be, newest first. */
export const deliveriesOf = async (org: Org, query = ''): Promise<any[]> =>
  (await done(org, 'GET', `/notifications/deliveries?limit=200${query}`)).items

/** The keys of the catalogue. */
export const keysOf = async (org: Org): Promise<string[]> =>
  (await done(org, 'GET', '/notifications/event-types')).map(({ key }: { key: string }) => key)

/** Days of others may wait to be added up before those of the organization. */
const patienceMs = 120_000

/**
 * Nobody is being notified of anything any more, and nothing is about to be: what waits for a time to come is left out. A
 * receiver that was not notified until now is not notified at all.
 * @throws Error naming what was still under way
 */
export async function calm({ connections, orgId }: Tenant): Promise<void> {
  const left = await settle(connections, orgId, patienceMs)
  if (left.length > 0) throw new Error(`not settled after ${patienceMs / 1000} s: ${left.join(', ')}`)
}

/** An event as the turn of an actor raises it: one of the organization unless told otherwise. */
export const eventOf = (
  { orgId, connections }: Tenant,
  key: EventType,
  more: Partial<NotificationEvent> = {},
): NotificationEvent =>
  notification(key, {
    id: randomUUID(),
    orgID: orgId,
    title: `This is ${key}`,
    summary: '',
    scope: { type: 'org', id: '' },
    data: {},
    ...more,
    occurredAt: new Date(connections.clock.now()),
  })

/** Has people told of events, without what they come from. */
export const raise = (org: Tenant, ...events: readonly NotificationEvent[]): Promise<void> =>
  org.publish(
    noticeRaised,
    events.map((event) => ({ event })),
  )

/** The same; those who are to be told have been. */
export async function raised(org: Tenant, ...events: readonly NotificationEvent[]): Promise<void> {
  await raise(org, ...events)
  await calm(org)
}

/**
 * Has something told that is not urgent, `resource.override`, of a resource of its own at each call: an override that
 * changes nothing. Its uid.
 */
export function overriding(f: Fleet): () => Promise<string> {
  let n = 0
  return async () => {
    const scopeID = `o-${++n}`
    await f.discover([scopeID])
    const expiresAt = new Date(f.connections.clock.now() + 7 * 86_400_000).toISOString()
    await done(f, 'POST', '/overrides', { scopeType: 'resource', scopeID, desiredState: 'running', expiresAt })
    return scopeID
  }
}

/** Spends so many US dollars of a budget of 100 for a group of its own at each call: it is told of 80 and of 100. */
export function spending(org: Tenant): (usd: number) => Promise<void> {
  let n = 0
  return async (usd) => {
    const resourceUid = `b-${++n}`
    const group = { name: `Group ${n}`, members: [{ resourceUID: resourceUid }] }
    const { id: resourceGroupID } = await done(org, 'POST', '/resource-groups', group)
    await done(org, 'POST', '/budgets', { resourceGroupID, monthlyBudgetUSD: 100 })
    const now = new Date(org.connections.clock.now()).toISOString()
    await org.publish(billingLine, [{ ...line(0, usd, { resourceUid }), usageDate: now.slice(0, 10), exportedAt: now }])
    await done(org, 'POST', '/internal/jobs/budget-evaluation/run', { orgId: org.orgId })
    await calm(org)
  }
}
