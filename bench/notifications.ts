/**
 * Events that people are told of, by channels of a local receiver, without limits of pace. (a) Many at once: deliveries a
 * second, as a ratio to posting the same bodies without anything. (b) At a steady rate: milliseconds from the event to the
 * receiver; and the same beside a channel whose receiver hangs ten seconds each time.
 * Usage: npm run -s bench -- notifications [--events 10000] [--channels 10] [--rate 20] [--seconds 30]
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { parseArgs } from 'node:util'
import {
  NotificationChannel,
  NotificationSubscription,
  webhookSealed,
  signingSealed,
} from '#actors/notification/entity.ts'
import { uuidOf } from '#engine/value/id.ts'
import type { Event } from '#engine/run/publisher.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { slackBody } from '#streams/delivery/format/slack.ts'
import { noticeRaised, notification, type NotificationEvent } from '#streams/notification/messages.ts'
import type { Received } from './harness/receiver.ts'
import { figure, goal, quantile, say, stage } from './harness/stage.ts'

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '10000' },
    channels: { type: 'string', default: '10' },
    rate: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '30' },
  },
})
const [events, channels, rate, seconds] = ['events', 'channels', 'rate', 'seconds'].map((name) =>
  Number(values[name as keyof typeof values]),
) as [number, number, number, number]
const orgId = 'bench-notifications'
const accounts = 20
/** Posts to one channel at once, as the product makes them. */
const atOnce = 4

const receiver = fork(new URL('./harness/receiver.ts', import.meta.url), { serialization: 'advanced' })
const [port] = (await once(receiver, 'message')) as [number]
const base = `http://127.0.0.1:${port}`
const received = async (): Promise<Received> => {
  receiver.send('now')
  const [list] = (await once(receiver, 'message')) as [Received]
  return list
}

const env = {
  ALLOW_INSECURE_WEBHOOKS: '1',
  CHANNEL_MESSAGES_PER_SECOND: '0',
  NOTIFICATIONS_PER_SECOND: '0',
  INGEST_MESSAGES_PER_MINUTE: '0',
}
const set = await stage({ env })
const { connections: c, product, end } = await set.product()
product.site.publicUrl = 'http://127.0.0.1:1'
product.get(tokens.engine).start()
const publisher = product.get(tokens.publisher)

const channelId = (n: number): string => `channel-${n}`
const eventOf = (n: number): NotificationEvent =>
  notification('resource.stopped', {
    id: uuidOf('bench', String(n)),
    orgID: orgId,
    occurredAt: new Date(),
    title: `web-${n} was stopped`,
    summary: 'Requested by schedule:Night:s-1.',
    scope: { type: 'resource', id: `i-${n}` },
    data: {
      actionID: `a-${n}`,
      action: 'stop',
      resourceUid: `i-${n}`,
      resourceName: `web-${n}`,
      resourceType: 'aws-ec2',
      provider: 'aws',
      cloudAccountID: `acct-${n % accounts}`,
      region: 'us-east-1',
      source: 'schedule',
      changedBy: 'schedule:Night:s-1',
      attempts: 1,
    },
  })

async function makeChannel(id: string, path: string): Promise<void> {
  const { seal } = product.get(tokens.seal)
  const em = c.orm.em.fork()
  const at = new Date()
  const webhookUrl = seal(webhookSealed, orgId, `${base}${path}`)
  const signingSecret = seal(signingSealed, orgId, 'bench')
  const channel = { orgId, id, type: 'slack' as const, name: id, webhookUrl, signingSecret, options: {} }
  await em.insert(NotificationChannel, { ...channel, createdAt: at, updatedAt: at })
  const wanted = { channelId: id, eventType: 'resource.stopped', scopeType: 'org' as const, scopeId: '', enabled: true }
  await em.insert(NotificationSubscription, { orgId, id, ...wanted, createdAt: at, updatedAt: at })
}

for (let n = 0; n < channels; n++) await makeChannel(channelId(n), `/${n}`)
say(`${figure(events)} events, ${channels} channels`)
const bare = await postBare()
await burst()
const alone = await steady('alone', events)
await makeChannel('hangs', '/hang')
const beside = await steady('beside a receiver that hangs', events + rate * seconds)
goal('N2', 'p99 of the others beside one that hangs, times that alone', beside / alone, { max: 2 })
await end()
await set.close()
receiver.disconnect()
process.exit(0)

/** The same bodies, as many at once, by one client that keeps its connections. Posts a second. */
async function postBare(): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: channels * atOnce })
  const count = events * channels
  const bodies = Array.from({ length: events }, (_, n) =>
    JSON.stringify(slackBody({ event: eventOf(n), deliveryId: `d-${n}`, link: `${base}/view` })),
  )
  let next = 0
  const post = (n: number) =>
    new Promise<void>((done, failed) => {
      const body = bodies[n % events]!
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
      const sent = request(`${base}/${n % channels}`, { method: 'POST', agent, headers }, (answer) =>
        answer.resume().on('end', done),
      )
      sent.on('error', failed).end(body)
    })
  const worker = async () => {
    for (let n = next++; n < count; n = next++) await post(n)
  }
  const began = performance.now()
  await Promise.all(Array.from({ length: channels * atOnce }, worker))
  const took = (performance.now() - began) / 1000
  await received()
  say(`the same bodies posted bare: ${figure(count / took)} a second`)
  return count / took
}

async function raiseAll(from: number, count: number): Promise<void> {
  const list = Array.from({ length: count }, (_, n) => eventOf(from + n))
  const byAccount = Map.groupBy(list, ({ data }) => data['cloudAccountID'] as string)
  for (const [account, own] of byAccount)
    for (let i = 0; i < own.length; i += 100) {
      const some = own
        .slice(i, i + 100)
        .map((event): Event => ({ subject: noticeRaised, orgId, data: { event } }) as never)
      await publisher.publishTogether(`raised-${account}-${from}-${i}`, some as [Event, ...Event[]])
    }
}

/** Until so many have come to the channels that do not hang. */
async function arrived(count: number): Promise<Received> {
  const all: Received = []
  for (;;) {
    for (const one of await received()) if (one[1] !== '/hang') all.push(one)
    if (all.length >= count) return all
    await c.clock.sleep(50)
  }
}

async function burst(): Promise<void> {
  const count = events * channels
  const before = process.cpuUsage()
  const began = performance.now()
  const begunAt = Date.now()
  await raiseAll(0, events)
  const all = await arrived(count)
  const took = (performance.now() - began) / 1000
  const { user, system } = process.cpuUsage(before)
  while ((await c.store.rows<{ n: number }>('select count(*)::int as n from delivery', []))[0]!.n > 0)
    await c.clock.sleep(20)
  const over = (performance.now() - began) / 1000
  const late = all.map(([, , at]) => at - begunAt)
  say(
    `told: ${figure(count / took)} a second, ${figure((user + system) / count)} us of CPU each; all marked after ${figure(over)} s`,
  )
  say(
    `  from the first event to the receiver, ms: p50 ${figure(quantile(late, 0.5))}, p99 ${figure(quantile(late, 0.99))}`,
  )
  const ids = new Set(all.map(([id]) => id))
  if (ids.size !== count || all.length !== count) say(`  NOT ONCE: ${all.length} posts of ${ids.size} deliveries`)
  goal('N1', 'deliveries a second, of posting bare', count / took / bare, { min: 0.3 })
}

/** Milliseconds from the event to the receiver, p99. */
async function steady(what: string, from: number): Promise<number> {
  const sent = new Map<string, number>()
  const count = rate * seconds
  const began = performance.now()
  for (let n = 0; n < count; n++) {
    const event = eventOf(from + n)
    for (let to = 0; to < channels; to++) sent.set(uuidOf('delivery', orgId, event.id, channelId(to)), Date.now())
    await publisher.publish({ subject: noticeRaised, orgId, data: { event }, id: event.id })
    await c.clock.sleep(Math.max(0, ((n + 1) / rate) * 1000 - (performance.now() - began)))
  }
  const late = (await arrived(count * channels)).map(([id, , at]) => at - sent.get(id)!)
  const [p50, p99] = [quantile(late, 0.5), quantile(late, 0.99)]
  say(`${figure(rate)} events a second ${what}, from event to receiver, ms: p50 ${figure(p50)}, p99 ${figure(p99)}`)
  return p99
}
