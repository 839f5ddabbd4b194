/** Events as the simulated cloud's producers send them, of one account, and a way to put many on its lane. */
import { randomUUID } from 'node:crypto'
import { Publisher, type Event } from '#engine/run/publisher.ts'
import type { Static } from '#engine/value/schema.ts'
import { billingLine, type BillingLine } from '#streams/billing/messages.ts'
import { simulatedCloud } from '#streams/cloud/simulated/connector.ts'
import { metricSample } from '#streams/metric/messages.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import type { Connections } from '#config/state/connect.ts'

export const account = 'acct'

/** What is measured: one kind of event, how many of its rows, and in messages of how many. */
export interface Workload {
  name: string
  rows: number
  /** Rows of a message. */
  perMessage: number
  /** What is measured is the third time that it is published, by whom heard it twice. */
  isKnown?: boolean
  events(orgId: string): Event[]
}

const event = (subject: object, orgId: string, data: object): Event =>
  ({ subject, orgId, data, place: account }) as unknown as Event

export function billing(lines: readonly BillingLine[], perMessage: number): Workload {
  const events = (orgId: string) => lines.map((line) => event(billingLine, orgId, { ...line, cloudAccountId: account }))
  return { name: `billing rows, ${perMessage} a message`, rows: lines.length, perMessage, events }
}

/** Samples of 1,000 resources, minute after minute. `perMessage` of them stand in one event. */
export function samples(rows: number, perMessage: number): Workload {
  const events = (orgId: string) =>
    Array.from({ length: rows / perMessage }, (_, i) => {
      const list: Static<typeof metricSample.schema>['samples'] = Array.from({ length: perMessage }, (_s, k) => ({
        metric: 'cpu_percent',
        value: ((i * perMessage + k) % 1000) / 10,
        ts: new Date(Date.UTC(2026, 5, 1) + (Math.floor(i / 1000) * perMessage + k) * 60_000).toISOString(),
      }))
      return event(metricSample, orgId, { resourceUid: `i-${i % 1000}`, samples: list })
    })
  return { name: `samples, ${perMessage} a message`, rows, perMessage: 1, events }
}

/** Observations of as many resources: the first of each, or where they are known a later one. */
export function discovery(rows: number, isKnown = false): Workload {
  const events = (orgId: string) =>
    Array.from({ length: rows }, (_, i) => {
      const tags = { env: i % 3 === 0 ? 'prod' : 'dev', team: `team-${i % 40}`, service: `service-${i % 200}` }
      const data: Static<typeof resourceDiscovered.schema> = {
        resourceUid: `i-${i}`,
        name: `web-${i}`,
        provider: 'aws',
        type: 'aws-ec2',
        region: 'us-east-1',
        cloudAccountId: account,
        status: 'running',
        instanceType: 'm6i.large',
        tags,
        hourlyRateUSD: 0.096,
      }
      return event(resourceDiscovered, orgId, data)
    })
  const name = isKnown ? 'resources found again, 1 a message' : 'discovered resources, 1 a message'
  return { name, rows, perMessage: 1, events, isKnown }
}

/** `count` lines of a year of the simulated cloud's first account, in the order its bill tells them. */
export async function bill(count: number): Promise<BillingLine[]> {
  const now = new Date('2026-06-30T00:00:00Z')
  const cloud = simulatedCloud({ seed: 'bench', now: () => now, sleep: async () => {}, today: '2026-06-30' })
  const list: BillingLine[] = []
  const of = { ...cloud.accounts[0]!, id: account, orgId: 'o', regions: [], credentials: null }
  for await (const page of cloud.bill(of, '2025-06-30', '2026-06-29')) {
    list.push(...page)
    if (list.length >= count) break
  }
  for (let i = 0; list.length < count; i++) list.push({ ...list[i]!, lineId: `${list[i]!.lineId}/${list.length}` })
  return list.slice(0, count)
}

/** Where a workload stands: a lane and its sequences, both ends included. */
export interface Backlog {
  orgId: string
  lane: number
  from: number
  to: number
}

/** Publishes a workload under an organization, one of its own unless it is named, with acknowledgement. */
export async function publish(c: Connections, work: Workload, orgId = randomUUID() as string): Promise<Backlog> {
  const publisher = new Publisher(c.log, c.clock, 'bench')
  const events = work.events(orgId)
  const seqs: number[] = []
  let lane = 0
  const flight: Promise<void>[] = []
  for (let i = 0; i < events.length; i += work.perMessage) {
    const some = events.slice(i, i + work.perMessage) as [Event, ...Event[]]
    const sent = some.length === 1 ? publisher.publish(some[0]) : publisher.publishTogether(randomUUID(), some)
    flight.push(
      sent.then((done) => {
        lane = done.lane!
        seqs.push(done.seq)
      }),
    )
    if (flight.length >= 512) await Promise.all(flight.splice(0))
  }
  await Promise.all(flight)
  return { orgId, lane, from: seqs.reduce((a, b) => Math.min(a, b)), to: seqs.reduce((a, b) => Math.max(a, b)) }
}
