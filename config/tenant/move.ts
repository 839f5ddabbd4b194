/**
 * Moves the ClickHouse rows of an organization to another server. They are copied while it works; then its writers wait
 * for some seconds, the last rows are copied and compared, and one commit makes the other server its own. Until that
 * commit it stays where it was, whatever fails; after it, it is where it went. The old server keeps the rows for some
 * minutes, for queries that have begun there.
 */
import { OrganizationCopy } from '#analytics/store/organization/copy.ts'
import { deleteOrganizationRows } from '#analytics/store/organization/organization.ts'
import { Fault } from '#engine/value/fault.ts'
import { mainShard, type Shard } from '#engine/store/clickhouse/shards.ts'
import { alone, unlessElsewhere } from '#config/process/advisory-lock.ts'
import type { Connections } from '#config/state/connect.ts'
import { monthsLock } from '#config/upkeep/merge-months.ts'
import { retentionLock } from '#config/upkeep/retention/sweep.ts'
import { billsLock } from '#config/upkeep/sweep-bills.ts'

/** Number of the advisory lock; used for nothing else. */
const lock = 7_402_827
/** Writers wait at most so long after the last sign of life of a move, and at most `maxMs` in all; milliseconds. */
const hold = { leaseMs: 15_000, renewMs: 3_000, maxMs: 120_000 }
/** Passes while the organization works, and differing partitions that the last of them may have left. */
const passes = { max: 8, fewEnough: 3 }
/** Minutes that the old server keeps the rows: longer than any query or insert. */
const graceMinutes = 10

/** Where a test may end the process. */
type MovePoint = 'copied' | 'held' | 'compared' | 'switched'

export interface MoveTools extends Pick<Connections, 'store' | 'shards'> {
  /** Called with what it does, in a sentence. */
  told?: (text: string) => void
  point?: (name: MovePoint) => void
}

export interface MovedOrganization {
  from: string
  to: string
  /** By table. */
  rows: Record<string, number>
  /** US dollars by month. */
  billedUsd: Record<string, string>
  /** How long its writers waited, milliseconds. */
  heldMs: number
}

type MoveOutcome = { moved?: MovedOrganization } | { leftShard: string }

interface Placement {
  shard: string
  leftShard: string | null
}

/** Undefined if it is there already. @throws Fault `refused` if it cannot be moved now; it then stays where it is */
export async function moveOrganization(
  tools: MoveTools,
  orgId: string,
  name: string,
): Promise<MovedOrganization | undefined> {
  const { store, shards } = tools
  const to = shards.all.find((one) => one.name === name)
  if (!to)
    throw Fault.refused(
      'unknown_shard',
      `CLICKHOUSE_SHARDS does not name ${name}. Servers: ${shards.all.map((one) => one.name).join(', ')}.`,
    )
  const found = await unlessElsewhere<MoveOutcome>(store, lock, async () => {
    const { shard, leftShard } = await placementOf(tools, orgId)
    if (shard === name) return {}
    if (leftShard !== null) return { leftShard }
    return { moved: await move(tools, orgId, shards.named(shard), to) }
  })
  if (!found) throw Fault.refused('move_running', 'Another organization is being moved. Try again later.')
  if ('leftShard' in found)
    throw Fault.refused(
      'just_moved',
      `The organization has just been moved. Its rows on ${found.leftShard} are deleted within ${graceMinutes + 1} minutes; move it after that.`,
    )
  return found.moved
}

async function placementOf({ store }: MoveTools, orgId: string): Promise<Placement> {
  const [row] = await store.rows<Placement>(
    'select shard, left_shard as "leftShard" from org_shard where org_id = $1',
    [orgId],
  )
  return row ?? { shard: mainShard, leftShard: null }
}

async function move(tools: MoveTools, orgId: string, from: Shard, to: Shard): Promise<MovedOrganization> {
  const { store, told = () => {}, point } = tools
  // A copy that another move has begun elsewhere is removed first.
  await dropCopy(tools, orgId)
  await store.rows(
    `insert into org_shard (org_id, shard, target) values ($1, $2, $3)
     on conflict (org_id) do update set target = excluded.target`,
    [orgId, from.name, to.name],
  )
  try {
    told(`Copying from ${from.name} to ${to.name}. The organization continues to work.`)
    await deleteOrganizationRows(to.client, orgId)
    const copy = new OrganizationCopy(from.client, to.client, orgId)
    for (let n = 0; n < passes.max; n++) if ((await copy.pass()) <= passes.fewEnough) break
    point?.('copied')
    // What these replace or delete on either server would be missed.
    const whileStill = async <T>(work: () => Promise<T>) =>
      alone(store, billsLock, () => alone(store, monthsLock, () => alone(store, retentionLock, work)))
    return await whileStill(() => finish(tools, orgId, { from, to, copy }))
  } catch (error) {
    await dropCopy(tools, orgId).catch(() => {})
    throw error
  }
}

interface Copying {
  from: Shard
  to: Shard
  copy: OrganizationCopy
}

async function finish(tools: MoveTools, orgId: string, { from, to, copy }: Copying): Promise<MovedOrganization> {
  const { store, told = () => {}, point } = tools
  told('Copying the last rows. New data of the organization waits.')
  const began = performance.now()
  const held = await holdWriters(tools, orgId, from, to)
  try {
    point?.('held')
    let billed: Map<string, string> | undefined
    while (billed === undefined) {
      while ((await copy.pass()) > 0) held.check()
      // A writer that had begun before may still change them.
      billed = await copy.billed()
      if (billed === undefined) held.check()
    }
    point?.('compared')
    const switched = await store.rows(
      `update org_shard set shard = $3, target = null, held_until = null, left_shard = $2, moved_at = clock_timestamp()
       where org_id = $1 and shard = $2 and target = $3 and held_until > clock_timestamp() returning org_id`,
      [orgId, from.name, to.name],
    )
    if (switched.length === 0) throw lost()
    point?.('switched')
    told(`The organization is on ${to.name} now. Its rows on ${from.name} are deleted in ${graceMinutes} minutes.`)
    return {
      from: from.name,
      to: to.name,
      rows: Object.fromEntries(copy.rows()),
      billedUsd: Object.fromEntries(billed),
      heldMs: Math.round(performance.now() - began),
    }
  } finally {
    held.end()
  }
}

const lost = (): Error =>
  new Error('the hold on new data of the organization was lost; it stays where it was. Move it again.')

/**
 * Until `end` is called, the organization's writers wait. The hold ends by itself soon after this process; it is never
 * renewed once it has ended, because a writer may have seen that.
 */
async function holdWriters({ store }: MoveTools, orgId: string, from: Shard, to: Shard) {
  const of = [orgId, from.name, to.name, hold.leaseMs]
  const begun = await store.rows(
    `update org_shard set held_until = clock_timestamp() + $4 * interval '1 ms'
     where org_id = $1 and shard = $2 and target = $3 returning org_id`,
    of,
  )
  if (begun.length === 0) throw lost()
  const until = performance.now() + hold.maxMs
  const renew = () =>
    void store
      .rows(
        `update org_shard set held_until = clock_timestamp() + $4 * interval '1 ms'
         where org_id = $1 and shard = $2 and target = $3 and held_until > clock_timestamp()`,
        of,
      )
      .catch(() => {})
  const timer = setInterval(renew, hold.renewMs)
  return {
    check: () => {
      if (performance.now() > until)
        throw Fault.refused(
          'too_many_changes',
          `After ${hold.maxMs / 1000} seconds the rows on both servers still differ. The organization stays where it was. Try again when it gets less data.`,
        )
    },
    end: () => clearInterval(timer),
  }
}

/** Ends what an unfinished move has left: writers continue, and the copy is deleted. */
async function dropCopy({ store, shards }: Pick<MoveTools, 'store' | 'shards'>, orgId: string): Promise<void> {
  const [row] = await store.rows<{ target: string }>(
    'update org_shard set held_until = null where org_id = $1 and target is not null returning target',
    [orgId],
  )
  if (!row) return
  await dropRows({ shards }, orgId, row.target)
  await store.rows('update org_shard set target = null where org_id = $1', [orgId])
}

/** Of a server that was taken away there is nothing to delete. */
async function dropRows({ shards }: Pick<MoveTools, 'shards'>, orgId: string, name: string): Promise<void> {
  const shard = shards.all.find((one) => one.name === name)
  if (shard) await deleteOrganizationRows(shard.client, orgId)
}

/**
 * Deletes rows that moves have left: those on the old servers after `graceMs` milliseconds, and copies of moves that
 * ended half way.
 */
export async function tidyMoves(
  { store, shards }: Pick<MoveTools, 'store' | 'shards'>,
  graceMs = graceMinutes * 60_000,
): Promise<void> {
  const untidy = () =>
    store.rows<{ orgId: string; leftShard: string | null }>(
      `select org_id as "orgId", case when target is null then left_shard end as "leftShard" from org_shard
       where target is not null or moved_at <= clock_timestamp() - $1 * interval '1 ms' and left_shard is not null`,
      [graceMs],
    )
  // Otherwise a move that begins now would find the lock taken.
  if ((await untidy()).length === 0) return
  await unlessElsewhere(store, lock, async () => {
    for (const { orgId, leftShard } of await untidy()) {
      if (leftShard === null) await dropCopy({ store, shards }, orgId)
      else {
        await dropRows({ shards }, orgId, leftShard)
        await store.rows('update org_shard set left_shard = null where org_id = $1', [orgId])
      }
    }
  })
}
