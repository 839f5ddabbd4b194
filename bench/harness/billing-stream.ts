/** A steady stream of billing lines over organizations and accounts, at a rate that does not wait for anyone. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Event, Publisher } from '#engine/run/publisher.ts'
import { billingLine, type BillingLine } from '#streams/billing/messages.ts'
import { simulatedCloud } from '#streams/cloud/simulated/connector.ts'

export interface StreamOptions {
  orgIds: readonly string[]
  /** Accounts of each organization. */
  accounts: number
  /** The days lines are of, YYYY-MM-DD: a bill is written for the newest days, and these over and over. */
  days: readonly string[]
  rowsPerSecond: number
  rowsPerMessage: number
  seconds: number
}

export interface Streamed {
  rows: number
  seconds: number
  /** Newest sequence of each lane that was written to. */
  lanes: Map<number, number>
}

/** Messages on their way to the broker; beyond it the generator falls behind its rate, which shows in its result. */
const flightMax = 2000
const tickMs = 5

/** Lines as a cloud writes them, about 1.4 kB of JSON each: what the stream's lines are made from. */
export async function sampleLines(): Promise<BillingLine[]> {
  const now = new Date('2026-06-30T00:00:00Z')
  const cloud = simulatedCloud({ seed: 'bench', now: () => now, sleep: async () => {}, today: '2026-06-30' })
  const account = { ...cloud.accounts[0]!, id: 'acct', orgId: 'o', regions: [], credentials: null }
  const list: BillingLine[] = []
  for await (const page of cloud.bill(account, '2026-06-01', '2026-06-24')) list.push(...page)
  return list
}

/** Publishes until the time is over; then waits for the acknowledgements that are still to come. */
export async function streamLines(publisher: Publisher, samples: readonly BillingLine[], options: StreamOptions) {
  const { rowsPerSecond, rowsPerMessage, seconds } = options
  const streamed: Streamed = { rows: 0, seconds: 0, lanes: new Map() }
  const flight = new Set<Promise<void>>()
  const began = performance.now()
  let messages = 0
  for (let past = 0; past < seconds; past = (performance.now() - began) / 1000) {
    const due = Math.floor((past * rowsPerSecond) / rowsPerMessage)
    for (; messages < due && flight.size < flightMax; messages++) {
      const sent = publish(publisher, message(samples, options, messages), streamed).finally(() => flight.delete(sent))
      flight.add(sent)
    }
    await sleep(tickMs)
  }
  await Promise.all(flight)
  streamed.seconds = (performance.now() - began) / 1000
  return streamed
}

async function publish(publisher: Publisher, events: [Event, ...Event[]], streamed: Streamed): Promise<void> {
  const [first, ...more] = events
  const sent = more.length === 0 ? publisher.publish(first) : publisher.publishTogether(randomUUID(), events)
  const { lane, seq } = await sent
  streamed.rows += events.length
  if (lane !== undefined) streamed.lanes.set(lane, Math.max(seq, streamed.lanes.get(lane) ?? 0))
}

/** The n-th message: the accounts in turn, each line another one, the newest day most often. */
function message(samples: readonly BillingLine[], options: StreamOptions, n: number): [Event, ...Event[]] {
  const { orgIds, accounts, days, rowsPerMessage } = options
  const orgId = orgIds[n % orgIds.length]!
  const account = `acct-${Math.floor(n / orgIds.length) % accounts}`
  const events = Array.from({ length: rowsPerMessage }, (_, i) => {
    const line = n * rowsPerMessage + i
    const day = days[Math.floor(Math.min(line % 7, line % 13) / 2) % days.length]!
    return lineEvent(samples[line % samples.length]!, orgId, account, day, `${day}/${line}`)
  })
  return events as [Event, ...Event[]]
}

/** The line as one of another account and day. */
export function lineEvent(
  sample: BillingLine,
  orgId: string,
  cloudAccountId: string,
  day: string,
  lineId: string,
): Event {
  const next = new Date(Date.parse(day) + 86_400_000).toISOString()
  const period = { ChargePeriodStart: `${day}T00:00:00Z`, ChargePeriodEnd: next }
  return { subject: billingLine, orgId, data: { ...sample, ...period, cloudAccountId, lineId } } as unknown as Event
}
