/** Publishes generated messages on the real stream and holds what becomes of them against what reading them alone says. */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { jetstream, type JetStreamClient } from '@nats-io/jetstream'
import { connect, headers as natsHeaders } from '@nats-io/transport-node'
import { actors } from '#actors/index.ts'
import { isRefusal, readMessage } from '#engine/lane/message/message.ts'
import { registry, type Registry } from '#engine/actor/registry.ts'
import { ingestSubjects, subjects } from '#streams/index.ts'
import { root } from '#config/process/root.ts'
import { addressed, anyMessage, type Sent } from '#test/fuzz/message.ts'
import { testLanes } from '#test/harness/stores.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { natsAt, testStores } from '#test/harness/stores.ts'

/** Messages published before their lanes are waited for, and in flight at once. */
const roundMax = 4000
const flightMax = 128
/** Milliseconds in which the lanes must come to the markers behind a round. */
const roundMs = 60_000

export interface StreamOutcome {
  published: number
  /** Messages the broker itself did not take. */
  unpublished: number
  /** Envelopes by what became of them: a code of the table, `taken`, or `sent on`. */
  counts: Record<string, number>
  /** What was not as expected; at most 20. */
  differences: string[]
}

const producers = new Set(ingestSubjects.map(({ name }) => name))
/** Messages of the product to itself: what refuses them is no concern of producers. */
const commands = new Set(subjects.map(({ name }) => name).filter((name) => !producers.has(name)))

/** The codes that the producers' documentation explains. */
export function documentedCodes(): Set<string> {
  const text = readFileSync(path.join(root, 'docs/streams.md'), 'utf8')
  const table = /\| code \| why \|\n([\s\S]*?)\n\n/.exec(text)?.[1] ?? ''
  return new Set(
    table.split('\n').flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map((m) => m[1]!)),
  )
}

export const productRegistry = ({ connections }: Pick<Tenant, 'connections'>): Registry =>
  registry(actors, subjects, connections.orm.getMetadata())

/** `count` messages from `seed`, round by round; `tell` hears of every round that is through. */
export async function floodStream(
  count: number,
  seed: number,
  tell: (sent: number) => void = () => {},
): Promise<StreamOutcome> {
  const org = await tenant()
  const nats = await connect({ ...natsAt((await testStores()).nats.url), maxReconnectAttempts: -1 })
  const known = productRegistry(org)
  const outcome: StreamOutcome = { published: 0, unpublished: 0, counts: {}, differences: [] }
  try {
    for (let done = 0; done < count; done += roundMax) {
      const size = Math.min(roundMax, count - done)
      await round(org, jetstream(nats), known, { size, seed: seed + done, outcome })
      tell(done + size)
      if (outcome.differences.length > 0) break
    }
  } finally {
    await nats.close()
  }
  return outcome
}

interface Round {
  size: number
  seed: number
  outcome: StreamOutcome
}

/** By the id of the dead letter that an envelope would become: its code, or that it is taken or sent on. */
type Fates = Map<string, string>

async function round(org: Tenant, js: JetStreamClient, known: Registry, { size, seed, outcome }: Round): Promise<void> {
  const fates: Fates = new Map()
  const flight = new Set<Promise<void>>()
  for (const sample of chunks(size, seed)) {
    for (const sent of sample.map((one) => addressed(one, org.orgId))) {
      const publishing = publish(js, known, sent, fates, outcome).finally(() => flight.delete(publishing))
      flight.add(publishing)
      if (flight.size >= flightMax) await Promise.race(flight)
    }
  }
  await Promise.all(flight)
  const behind = await publishMarkers(js, org)
  const stuck = await reached(org, behind)
  const differ = (text: string) => outcome.differences.length < 20 && outcome.differences.push(`seed ${seed}: ${text}`)
  for (const text of stuck) differ(text)
  if (stuck.length === 0) await compare(org, fates, outcome, differ)
}

function* chunks(size: number, seed: number): Generator<Sent[]> {
  for (let at = 0; at < size; at += 500)
    yield fc.sample(anyMessage, { numRuns: Math.min(500, size - at), seed: seed * 31 + at })
}

async function publish(js: JetStreamClient, known: Registry, sent: Sent, fates: Fates, outcome: StreamOutcome) {
  const headers = natsHeaders()
  for (const [name, value] of Object.entries(sent.headers)) headers.set(name, value)
  try {
    const ack = await js.publish(`ingest.${sent.subject}`, sent.body, { headers, timeout: 20_000 })
    if (ack.duplicate) return
    outcome.published++
    const lane = ack.stream.slice('LANE-'.length)
    const log = { seq: ack.seq, subject: sent.subject, headers: sent.headers, body: sent.body, at: Date.now() }
    for (const read of readMessage(known, log)) {
      const fate = isRefusal(read) ? read.fault.code : read.forward ? 'sent on' : 'taken'
      fates.set(`${lane}-${ack.seq}-${read.index}`, fate)
    }
  } catch {
    outcome.unpublished++
  }
}

/** One good message at the end of every lane; the sequence of each. */
export async function publishMarkers(
  js: JetStreamClient,
  { orgId }: Pick<Tenant, 'orgId'>,
): Promise<Map<string, number>> {
  const behind = new Map<string, number>()
  for (let i = 0; behind.size < testLanes; i++) {
    const place = `marker-${i}`
    const data = { resourceUid: randomUUID(), provider: 'aws', cloudAccountId: place }
    const envelope = { id: randomUUID(), type: 'resource.deleted', schemaVersion: 1, orgId, time: new Date(), data }
    const ack = await js.publish(`ingest.resource.${orgId}.${place}`, JSON.stringify(envelope), { timeout: 20_000 })
    behind.set(ack.stream.slice('LANE-'.length), ack.seq)
  }
  return behind
}

/** Which lanes have not come to their markers in time. */
export async function reached(org: Tenant, behind: ReadonlyMap<string, number>): Promise<string[]> {
  const { connections } = org
  const end = performance.now() + roundMs
  for (;;) {
    const { rows } = await connections.store.pool.query('select lane, cursor from lane')
    const late = rows.filter(({ lane, cursor }) => Number(cursor) < (behind.get(String(lane)) ?? 0))
    if (late.length === 0) return await unmarked(org, end)
    if (performance.now() > end)
      return late.map(({ lane, cursor }) => `lane ${lane} stands at ${cursor}, before ${behind.get(String(lane))}`)
    await connections.clock.sleep(50)
  }
}

/** Which projections are not done in time with what the organization's messages marked. */
async function unmarked({ connections, orgId }: Tenant, end: number): Promise<string[]> {
  for (;;) {
    const sql = 'select projection, count(*)::int as n from mark where org_id = $1 group by 1'
    const { rows } = await connections.store.pool.query(sql, [orgId])
    if (rows.length === 0) return []
    if (performance.now() > end) return rows.map(({ projection, n }) => `${n} keys of ${projection} are not worked out`)
    await connections.clock.sleep(50)
  }
}

async function compare({ connections }: Tenant, fates: Fates, outcome: StreamOutcome, differ: (text: string) => void) {
  const documented = documentedCodes()
  const sql =
    'select id, code, reason, actor, type from dead_letter where lane || $2 || seq || $2 || split_part(id, $2, 3) = any($1)'
  const { rows } = await connections.store.pool.query(sql, [[...fates.keys()], '-'])
  const letters = new Map(rows.map((row) => [row.id.split('-').slice(0, 3).join('-') as string, row as Letter]))
  for (const [id, fate] of fates) {
    const letter = letters.get(id)
    const came: string = letter?.code ?? (fate === 'sent on' ? fate : 'taken')
    outcome.counts[came] = (outcome.counts[came] ?? 0) + 1
    const odd = letter ? oddLetter(letter, fate, documented) : fate !== came && 'none'
    if (odd) differ(`${id} should be ${fate}, but its dead letter is ${odd}`)
  }
}

interface Letter {
  code: string
  reason: string
  actor: string
  type: string
}

/** What is not as it should be with a dead letter of an envelope that was read as `fate`. */
function oddLetter({ code, reason, actor, type }: Letter, fate: string, documented: ReadonlySet<string>) {
  if (code === 'internal') return `a handler that threw: ${reason}`
  if (!documented.has(code) && !commands.has(type)) return `${code}, which is not documented`
  if (fate !== 'taken' && fate !== 'sent on') return code !== fate && `${code}: ${reason}`
  return actor === '' && code !== 'data_refused' && `${code} of no actor: ${reason}`
}
