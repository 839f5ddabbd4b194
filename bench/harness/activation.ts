/** How fast actors come into memory from PostgreSQL: real rows of the inventory, loaded as a lane loads them. */
import type pg from 'pg'
import { actorId, Activations } from '#engine/lane/activation.ts'
import { registry } from '#engine/actor/registry.ts'
import { actors } from '#actors/index.ts'
import { subjects } from '#streams/index.ts'
import type { Connections } from '#config/state/connect.ts'
import { insertResources } from './inventory.ts'
import { figure, quantile, say, stage } from './stage.ts'

const orgId = 'bench'
const place = 'acct-0'
const query = `select to_jsonb(t) from unnest($1::text[], $2::text[], $3::text[]) as k(org, place, key)
  cross join lateral (select * from resource where org_id = k.org and cloud_account_id = k.place and uid = k.key limit 1) t`

/** Every actor once a round, in batches; the limit asks the same of the driver and drops the text as it comes. */
export async function activation(count: number, batch: number, rounds: number): Promise<void> {
  const made = await stage()
  const c = await made.open()
  try {
    await activate(c, count, batch, rounds)
  } finally {
    await c.close()
    await made.close()
  }
}

async function activate(c: Connections, count: number, batch: number, rounds: number): Promise<void> {
  const { pool } = c.store
  await insertResources(pool, orgId, count)
  const shape = registry(actors, subjects, c.orm.getMetadata()).shapes.get('resource')!
  const addresses = Array.from({ length: count }, (_, i) => ({ orgId, place, key: `uid-${i + 1}` }))
  const measured: Record<'limit' | 'ours' | 'cpu', number[]> = { limit: [], ours: [], cpu: [] }
  const asText = { getTypeParser: () => (value: string) => value }
  for (let round = 0; round <= rounds; round++) {
    let began = performance.now()
    for (let i = 0; i < count; i += batch) {
      const keys = addresses.slice(i, i + batch)
      const params = [keys.map((k) => k.orgId), keys.map((k) => k.place), keys.map((k) => k.key)]
      await pool.query({ text: query, values: params, types: asText } as unknown as pg.QueryConfig)
    }
    const limit = performance.now() - began
    const activations = new Activations(c.store, count)
    const before = process.cpuUsage()
    began = performance.now()
    for (let i = 0; i < count; i += batch) {
      const called = addresses
        .slice(i, i + batch)
        .map((address) => ({ id: actorId('resource', address), address, live: undefined }))
      await activations.activate('resource', shape, called)
    }
    const took = performance.now() - began
    const { user, system } = process.cpuUsage(before)
    if (activations.size !== count) throw new Error(`${activations.size} actors came`)
    if (round === 0) continue
    measured.limit.push(count / limit)
    measured.ours.push(count / took)
    measured.cpu.push((user + system) / count)
  }
  const [limit, ours] = [quantile(measured.limit, 0.5) * 1000, quantile(measured.ours, 0.5) * 1000]
  say(`activation of ${figure(count)} cold resource actors from PostgreSQL, ${figure(batch)} a query`)
  say(`  the query alone (limit) ${figure(limit)}/s, this engine ${figure(ours)}/s, ${figure(ours / limit)} of it`)
  say(`  CPU of the engine ${figure(quantile(measured.cpu, 0.5))} us an actor`)
}
