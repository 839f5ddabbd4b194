/**
 * Continues without the data that a store has lost, for an operator who cannot restore the store, or has restored only
 * this one.
 */
import { newestGeneration } from '#analytics/rollup/monthly-cost/cost-month.ts'
import { JetStreamApiCodes, JetStreamApiError } from '@nats-io/jetstream'
import { Fault } from '#engine/value/fault.ts'
import { goesOn } from '#engine/store/nats/nats.ts'
import { createStreams, type Connections } from './connect.ts'
import type { StoreName } from './installation.ts'

type Tools = Pick<Connections, 'settings' | 'store' | 'shards' | 'log' | 'installation'>

/**
 * Returns what it has done, line by line. @throws Fault `nothing_to_accept` if the store is consistent with the others
 */
export async function acceptStore(tools: Tools, store: StoreName): Promise<string[]> {
  const wrong = await tools.installation.look()
  const streams = await strayLanes(tools)
  if (wrong.every((one) => one.store !== store) && (store !== 'nats' || streams.length === 0))
    throw Fault.refused('nothing_to_accept', `${store} has no problem to accept.`)
  const done = { postgres: acceptPostgres, clickhouse: acceptClickHouse, nats: acceptNats }[store]
  const lines = await done(tools)
  const left = await tools.installation.look()
  if (left.length === 0) await tools.installation.beat()
  return [...lines, ...left.map(({ message }) => `Still failing: ${message}`)]
}

/** Lanes whose stream does not contain the next message to be processed. */
export async function strayLanes({ store, log }: Pick<Tools, 'store' | 'log'>): Promise<string[]> {
  const first = await cursorsOf({ store })
  const stray: string[] = []
  for (const lane of first.keys()) {
    const before = await log.bounds(lane).catch(unlessMissing)
    if (!before) stray.push(`LANE-${lane} does not exist (stream_position)`)
    if (!before || goesOn(before, first.get(lane)!)) continue
    // Between the two reads the lane may have committed, and the stream may have dropped committed messages.
    const cursor = (await cursorsOf({ store })).get(lane)!
    const bounds = await log.bounds(lane)
    if (cursor > bounds.last || before.first > cursor + 1)
      stray.push(
        `LANE-${lane} contains messages ${bounds.first} to ${bounds.last}, but ${cursor} is committed (stream_position)`,
      )
  }
  return stray
}

/** @throws every other error: the server may be unavailable */
function unlessMissing(error: unknown): undefined {
  if (!(error instanceof JetStreamApiError) || error.code !== JetStreamApiCodes.StreamNotFound) throw error
}

async function cursorsOf({ store }: Pick<Tools, 'store'>): Promise<Map<number, number>> {
  const sql = 'select lane, cursor::float8 as cursor from lane order by lane'
  const rows = await store.rows<{ lane: number; cursor: number }>(sql, [])
  return new Map(rows.map(({ lane, cursor }) => [lane, cursor]))
}

/** Messages that were published but not committed are lost: every lane continues with what its stream contains. */
export async function acceptNats(tools: Tools): Promise<string[]> {
  const { store, log } = tools
  const cursors = await cursorsOf(tools)
  await createStreams(tools.settings, tools, cursors)
  const lines: string[] = []
  for (const [lane, cursor] of cursors) {
    const { first, last } = await log.bounds(lane)
    if (last < cursor) {
      await log.moveBehind(lane, cursor)
      lines.push(`LANE-${lane} was advanced past message ${cursor}, which is committed.`)
    } else if (first > cursor + 1) {
      await store.rows('update lane set cursor = $2, epoch = epoch + 1 where lane = $1 and cursor < $2', [
        lane,
        first - 1,
      ])
      lines.push(`LANE-${lane} continues at message ${first}. Messages from ${cursor + 1} on are lost.`)
    }
  }
  return ['The streams now belong to this installation.', ...lines]
}

/** The aggregates that ClickHouse contained are lost; new facts are aggregated. */
async function acceptClickHouse({ store, shards }: Tools): Promise<string[]> {
  await shards.each(async ({ client }) => {
    await client.command({ query: 'TRUNCATE TABLE installation' })
    // A copy's tables may be from different moments, so months are recalculated from days.
    await client.command({ query: 'TRUNCATE TABLE cost_month' })
  })
  await store.rows('update installation set clickhouse = 0', [])
  await store.rows('delete from shard_position', [])
  return ['ClickHouse now belongs to this installation. Reports show the data it contains and new data.']
}

/** PostgreSQL is older than the other stores, or empty. */
async function acceptPostgres(tools: Tools): Promise<string[]> {
  const { store, shards, installation } = tools
  const bearings = await installation.bearings()
  const known = [bearings.clickhouse, ...(bearings.shards ?? []).map(({ rows }) => rows)]
    .flat()
    .toSorted((a, b) => b.position - a.position)[0]
  const id = bearings.postgres?.id ?? known?.id ?? bearings.nats
  const published = await shards.each(({ client }) => newestGeneration(client))
  const newest = published.reduce((a, b) => (a > b ? a : b))
  await continueAfter(store.rows, id, known?.position ?? 0, newest)
  const lines = await acceptNats(tools)
  return [
    'PostgreSQL continues after the last position known to ClickHouse. Messages since then are processed again.',
    ...lines,
  ]
}

/**
 * Makes PostgreSQL's new positions, epochs and generations higher than all that the other stores have seen. Messages
 * after its cursors are processed again, as far as the streams still have them.
 */
export async function continueAfter(
  run: (sql: string, params: unknown[]) => Promise<unknown>,
  id: string | undefined,
  position: number,
  generation: bigint,
): Promise<void> {
  await run(
    `insert into installation (id, position) values ($1, $2)
     on conflict (singleton) do update set position = greatest(installation.position, excluded.position)`,
    [id, position + 1],
  )
  await run('update lane set epoch = epoch + 100000', [])
  await run(`select setval('generation', greatest(nextval('generation'), $1::bigint + 1))`, [generation.toString()])
}
