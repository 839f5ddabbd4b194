/** How long a discovery takes to the end of the turn that judges it, and a finding until the list of recommendations shows it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Publisher, type Event } from '#engine/run/publisher.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { organizationOf, type Organization } from './organization.ts'
import { figure, goal, quantile, say, type Stage } from './stage.ts'

const accounts = 20
const turnPollMs = 2
const listPollMs = 10
/** One in so many is a disk that nobody uses, and is looked for in the list. */
const probeEvery = 50
const lateMs = 30_000

interface Sent {
  /** By `performance.now()`. */
  began: number
  lane: number
  seq: number
}

interface Measured {
  turns: number[]
  lists: number[]
}

export async function latencies(set: Stage, { rate, seconds }: { rate: number; seconds: number }): Promise<void> {
  const one = await organizationOf(set)
  one.product.get(tokens.engine).start()
  await at(one, { rate, seconds: 5, from: 0 })
  const { turns, lists } = await at(one, { rate, seconds, from: rate * 5 })
  say(`${figure(turns.length)} discoveries at ${figure(rate)} a second, all by themselves, over ${accounts} accounts`)
  const both = (list: number[]) => `p50 ${figure(quantile(list, 0.5))}, p99 ${figure(quantile(list, 0.99))} ms`
  say(`  to the end of the turn that judged it, committed: ${both(turns)}`)
  say(`  of ${figure(lists.length)} disks that nobody uses, until the list shows the recommendation: ${both(lists)}`)
  goal('audit', 'e  discovery to the end of its turn, p99', quantile(turns, 0.99), { max: 50 }, ' ms')
  goal('audit', 'e  discovery to the list of recommendations, p99', quantile(lists, 0.99), { max: 500 }, ' ms')
  await one.end()
}

function machine(n: number): object {
  const isProbe = n % probeEvery === 0
  const disk = { type: 'aws-ebs-volume', instanceType: 'gp3', sizeGB: 500, hourlyRateUSD: 0.05 }
  const box = { type: 'aws-ec2', instanceType: 'm6i.large', status: 'running', hourlyRateUSD: 0.096 }
  const specs = isProbe
    ? { state: 'available', days_detached: 40, volume_type: 'gp3', encrypted: true }
    : { lifecycle: 'on-demand', imds_v1_allowed: n % 2 === 0, architecture: 'x86_64' }
  const fixed = { provider: 'aws', region: 'us-east-1', cloudAccountId: `acct-${n % accounts}`, tags: { env: 'prod' } }
  return { resourceUid: `uid-${n}`, name: `one-${n}`, ...fixed, ...(isProbe ? disk : box), specs }
}

async function at(
  one: Organization,
  { rate, seconds, from }: { rate: number; seconds: number; from: number },
): Promise<Measured> {
  const { connections: c, orgId } = one
  const publisher = new Publisher(c.log, c.clock, 'bench')
  const waiting = new Set<Sent>()
  const measured: Measured = { turns: [], lists: [] }
  const stop = new AbortController()
  const watching = watchTurns(one, waiting, measured.turns, stop.signal)
  const looks: Promise<void>[] = []
  const flight: Promise<void>[] = []
  const started = performance.now()
  for (let n = 0; n < rate * seconds; n++) {
    const early = started + (n / rate) * 1000 - performance.now()
    if (early > 0) await sleep(early)
    const began = performance.now()
    const data = machine(from + n)
    const sent = publisher.publish({ subject: resourceDiscovered, orgId, data } as unknown as Event)
    flight.push(sent.then(({ lane, seq }) => void waiting.add({ began, lane: lane!, seq })))
    if ((from + n) % probeEvery === 0) looks.push(look(one, `uid-${from + n}`, began, measured.lists))
  }
  await Promise.all([...flight, ...looks])
  while (waiting.size > 0) await sleep(turnPollMs)
  stop.abort()
  await watching
  return measured
}

/** One turn ends with the commit that moves its lane's cursor. */
async function watchTurns(
  { connections: c }: Organization,
  waiting: Set<Sent>,
  turns: number[],
  stop: AbortSignal,
): Promise<void> {
  for (; !stop.aborted; await sleep(turnPollMs)) {
    if (waiting.size === 0) continue
    const { rows } = await c.store.pool.query<{ lane: number; cursor: string }>('select lane, cursor from lane')
    const now = performance.now()
    const cursors = new Map(rows.map(({ lane, cursor }) => [lane, Number(cursor)]))
    for (const sent of waiting)
      if (cursors.get(sent.lane)! >= sent.seq) {
        turns.push(now - sent.began)
        waiting.delete(sent)
      }
  }
}

async function look({ get }: Organization, uid: string, began: number, lists: number[]): Promise<void> {
  for (; performance.now() - began < lateMs; await sleep(listPollMs)) {
    const { items } = (await get(`/recommendations?resource_uid=${uid}`)) as { items: unknown[] }
    if (items.length > 0) return void lists.push(performance.now() - began)
  }
  throw new Error(`the list does not show ${uid} after ${lateMs} ms`)
}
