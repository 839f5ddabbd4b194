/** Discoveries by the product's own engine, with all of its actors and without some, over the same messages. */
import { randomUUID } from 'node:crypto'
import type { Actor } from '#engine/actor/actor.ts'
import type { Event } from '#engine/run/publisher.ts'
import type { Connections } from '#config/state/connect.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { actors } from '#actors/index.ts'
import { quantile, type Stage } from './stage.ts'
import { taggingSpecs } from './tagged.ts'
import { discovery, publish, type Backlog, type Workload } from './workload.ts'

/** Resources by themselves; or 200 to a network, and three of four with a parent. */
export function discovered(rows: number, around: boolean): Workload {
  const plain = discovery(rows)
  if (!around) return plain
  const events = (orgId: string) =>
    plain.events(orgId).map((event, i) => {
      const data = event.data as Record<string, unknown>
      const parent = i % 4 === 0 ? {} : { parentUID: `i-${i - (i % 4)}` }
      return { ...event, data: { ...data, ...parent, specs: { vpc_id: `vpc-${Math.floor(i / 200)}` } } } as Event
    })
  return { ...plain, events }
}

/** Seconds to work off the backlog, engine's start included, in a product of its own. */
export async function worked(set: Stage, { orgId, lane, to }: Backlog, kinds: readonly Actor[]): Promise<number> {
  const { connections: c, product, end } = await set.product(kinds)
  const began = performance.now()
  product.get(tokens.engine).start()
  const none = async (sql: string, params: unknown[]) => {
    while ((await c.store.pool.query(sql, params)).rowCount !== 0) await c.clock.sleep(5)
  }
  await none('select from lane where lane = $1 and cursor < $2', [lane, to])
  const seconds = (performance.now() - began) / 1000
  await none('select from mark where org_id = $1', [orgId])
  await end()
  return seconds
}

const setSql = `insert into policy_set (org_id, domain, version) values ($1, 'tagging', 2)`
const policySql = `
  insert into policy (org_id, id, domain, target_type, name, spec, enabled, version, set_version, created_at, updated_at)
  values ($1, gen_random_uuid(), 'tagging', 'organisation', $2, $3, true, 1, 2, now(), now())`

/** An organization of its own, with two tagging policies. */
async function organization({ store }: Connections): Promise<string> {
  const orgId = randomUUID()
  await store.pool.query(setSql, [orgId])
  for (const [i, spec] of taggingSpecs.entries())
    await store.pool.query(policySql, [orgId, `${i}`, JSON.stringify(spec)])
  return orgId
}

export interface Discovered {
  /** Resources a second, with all actors. */
  rate: number
  /** Of the rate without them. */
  ratio: number
}

/** New resources, and then the same found again, round after round with and without the actors named, each in turn the first. */
export async function discoveries(
  set: Stage,
  c: Connections,
  { rows, around, rounds, without }: { rows: number; around: boolean; rounds: number; without: readonly string[] },
): Promise<{ first: Discovered; again: Discovered }> {
  const work = discovered(rows, around)
  const ways = { all: actors, without: actors.filter(({ kind }) => !without.includes(kind)) }
  const seconds = {
    first: { all: [] as number[], without: [] as number[] },
    again: { all: [] as number[], without: [] as number[] },
  }
  for (let round = -1; round < rounds; round++) {
    for (const way of round % 2 === 0 ? (['all', 'without'] as const) : (['without', 'all'] as const)) {
      const orgId = await organization(c)
      for (const phase of ['first', 'again'] as const) {
        const took = await worked(set, await publish(c, work, orgId), ways[way])
        if (round >= 0) seconds[phase][way].push(took)
      }
    }
  }
  const sum = ({ all, without }: (typeof seconds)['first']): Discovered => ({
    rate: rows / quantile(all, 0.5),
    ratio: quantile(
      all.map((one, i) => without[i]! / one),
      0.5,
    ),
  })
  return { first: sum(seconds.first), again: sum(seconds.again) }
}
