/** What stands in the stores for the organizations of a seed, in the oracle's own form, and in what the two differ. */
import { isDeepStrictEqual } from 'node:util'
import { DeliverPolicy, jetstream } from '@nats-io/jetstream'
import type { ChaosWorld } from '#test/harness/chaos.ts'
import { Lists, sorted, type Oracle } from '#test/harness/oracle.ts'

/** A repeated end of a part may open an export again that is over: it waits ten minutes for the other parts. */
const livePeriod = `select from jsonb_object_keys(one -> 'periods') as period
  left join lateral (select bills -> 'shown' -> period as bill) shown on true
  where (bill ->> 'complete')::boolean is not true
    or (bill ->> 'at', (bill ->> 'id') collate "C") < (one ->> 'at', (one ->> 'id') collate "C")`

export async function standing(world: ChaosWorld, seed: number): Promise<ReturnType<Oracle['all']>> {
  const deadLetters = await buried(world, seed)
  const passed = await onStream(world, 'EVENTS', 'event.chaos.>', seed)
  const dead = await onStream(world, 'DEAD', 'dead.>', seed)
  return {
    ...(await costs(world, seed)),
    ...(await exports(world, seed)),
    ...(await inventory(world, seed)),
    ...(await probes(world, seed)),
    events: passed.size,
    deadLetters,
    deadOnStream: dead.size,
  }
}

async function costs(world: ChaosWorld, seed: number) {
  const like = `'chaos-${seed}-%'`
  const sums = async (sql: string) => {
    const rows = await world.facts<{ at: string; sum: string }>(sql)
    return sorted(rows.map(({ at, sum }) => [at, sum]))
  }
  const [count] = await world.facts<{ n: string }>(
    `SELECT count() AS n FROM cost_fact FINAL WHERE x_OrgId LIKE ${like}`,
  )
  return {
    lines: Number(count!.n),
    facts:
      await sums(`SELECT concat(x_OrgId, '|', x_CloudAccountId, '|', toString(x_Day)) AS at, toString(sum(BilledCost)) AS sum
      FROM cost_fact FINAL WHERE x_OrgId LIKE ${like} GROUP BY at`),
    rollups:
      await sums(`SELECT concat(org_id, '|', cloud_account_id, '|', toString(day)) AS at, toString(sum(billed_cost)) AS sum
      FROM cost_daily WHERE org_id LIKE ${like} GROUP BY at`),
    serviceRollups:
      await sums(`SELECT concat(org_id, '|', cloud_account_id, '|', toString(day), '|', service_name) AS at,
        toString(sum(billed_cost)) AS sum FROM cost_service_daily WHERE org_id LIKE ${like} GROUP BY at`),
  }
}

/** What is shown of exports, as the account keeps it, as sums of days name it, and line by line. */
async function exports(world: ChaosWorld, seed: number) {
  const like = `'chaos-${seed}-%'`
  const facts = async (sql: string) => (await world.facts<{ at: string; it: string }>(sql)).map(pairOf)
  const rows = async (sql: string) => (await world.pool.query(sql, [`chaos-${seed}-%`])).rows.map(pairOf)
  const [count] = await world.facts<{ n: string }>(`SELECT count() AS n FROM cost_lines WHERE x_OrgId LIKE ${like}`)
  return {
    shownLines: Number(count!.n),
    lineSums: sorted(
      await facts(`SELECT concat(x_OrgId, '|', x_CloudAccountId, '|', toString(x_Day)) AS at, toString(sum(BilledCost)) AS it
      FROM cost_lines WHERE x_OrgId LIKE ${like} GROUP BY at`),
    ),
    shownExports: sorted(
      await rows(`select concat_ws('|', org_id, id, key) as at,
        concat(value ->> 'id', case when (value ->> 'complete')::boolean then '' else ' begun' end) as it
      from cloud_account, jsonb_each(bills -> 'shown') where org_id like $1`),
    ),
    openExports: sorted(
      await rows(`select concat_ws('|', org_id, id) as at, string_agg(one ->> 'id', ' ' order by one ->> 'id' collate "C") as it
      from cloud_account, jsonb_array_elements(bills -> 'open') as one
      where org_id like $1 and exists (${livePeriod}) group by org_id, id`),
    ),
    dayExports: sorted(
      await facts(`SELECT concat(org_id, '|', cloud_account_id, '|', toString(day)) AS at,
        arrayStringConcat(arraySort(groupArray(concat(period, '/', export))), ' ') AS it
      FROM
      (
        SELECT org_id, cloud_account_id, day, tupleElement(bill, 1) AS period, tupleElement(bill, 2) AS export
        FROM cost_day FINAL ARRAY JOIN bills AS bill WHERE org_id LIKE ${like}
      )
      WHERE (org_id, cloud_account_id, day, period, export) IN
        (SELECT x_OrgId, x_CloudAccountId, x_Day, x_BillingPeriod, x_ExportId FROM bill_line FINAL WHERE x_OrgId LIKE ${like})
      GROUP BY at`),
    ),
  }
}

const pairOf = ({ at, it }: { at: string; it: string }): [string, string] => [at, it]

async function inventory(world: ChaosWorld, seed: number) {
  const like = `'chaos-${seed}-%'`
  const sums = await world.facts<{ org_id: string; n: string; sum: number }>(
    `SELECT org_id, count() AS n, sum(value) AS sum FROM metric_sample FINAL WHERE org_id LIKE ${like} GROUP BY org_id`,
  )
  const states = await world.facts<{ at: string; name: string }>(
    `SELECT concat(org_id, '|', cloud_account_id, '|', resource_uid) AS at, name FROM resource_state FINAL
     WHERE org_id LIKE ${like} AND deleted_at IS NULL`,
  )
  const { rows } = await world.pool.query(
    `select concat(org_id, '|', cloud_account_id, '|', uid) as at, name from resource
     where org_id like $1 and deleted_at is null and name <> ''`,
    [`chaos-${seed}-%`],
  )
  const gone = await world.pool.query(
    `select concat(org_id, '|', cloud_account_id, '|', uid) as at, deleted_at from resource
     where org_id like $1 and deleted_at is not null`,
    [`chaos-${seed}-%`],
  )
  const goneFacts = await world.facts<{ at: string; ms: string }>(
    `SELECT concat(org_id, '|', cloud_account_id, '|', resource_uid) AS at, toUnixTimestamp64Milli(assumeNotNull(deleted_at)) AS ms
     FROM resource_state FINAL WHERE org_id LIKE ${like} AND deleted_at IS NOT NULL`,
  )
  return {
    samples: sums.reduce((sum, { n }) => sum + Number(n), 0),
    sampleSums: sorted(sums.map(({ org_id, sum }) => [org_id, String(sum)])),
    resources: sorted(rows.map((row) => [row.at, row.name])),
    resourceFacts: sorted(states.map(({ at, name }) => [at, name])),
    gone: sorted(gone.rows.map((row) => [row.at, (row.deleted_at as Date).toISOString()])),
    goneFacts: sorted(goneFacts.map(({ at, ms }) => [at, new Date(Number(ms)).toISOString()])),
  }
}

async function probes({ pool }: ChaosWorld, seed: number) {
  const { rows } = await pool.query('select * from chaos_probe where org_id like $1', [`chaos-${seed}-%`])
  const lists = { seen: new Lists(), delivered: new Lists(), rang: new Lists() }
  for (const row of rows) {
    const at = `${row.org_id}|${row.place}|${row.key}`
    for (const name of ['seen', 'delivered', 'rang'] as const) lists[name].add(at, ...(row[name] as number[]))
  }
  return {
    actorOrder: lists.seen.inOrder(),
    outboxDeliveries: lists.delivered.inSize(),
    remindersFired: lists.rang.inSize(),
  }
}

async function buried({ pool }: ChaosWorld, seed: number) {
  const { rows } = await pool.query('select org_id, message_id, code from dead_letter where org_id like $1', [
    `chaos-${seed}-%`,
  ])
  const counts = Map.groupBy(rows, (row) => `${row.org_id}/${row.message_id} ${row.code}`)
  return sorted([...counts].map(([key, list]) => [key, String(list.length)]))
}

/** The ids of what was published, each once: a stream promises at least once. */
async function onStream({ nats }: ChaosWorld, stream: string, filter: string, seed: number): Promise<Set<string>> {
  const found = new Set<string>()
  const consumer = await jetstream(nats).consumers.get(stream, {
    filter_subjects: filter,
    deliver_policy: DeliverPolicy.All,
  })
  let left = (await consumer.info()).num_pending
  if (left === 0) return found
  for await (const message of await consumer.consume()) {
    const { id, orgId } = message.json<{ id: string; orgId: string }>()
    if (orgId.startsWith(`chaos-${seed}-`)) found.add(id)
    if (--left <= 0) break
  }
  return found
}

/** One line a thing in which what stands is not what should; empty when all is exact. */
export function differences(found: object, wanted: object): string[] {
  return Object.entries(wanted).flatMap(([name, value]) => {
    const other = (found as Record<string, unknown>)[name]
    return isDeepStrictEqual(other, value) ? [] : [`${name}: ${describe(other, value)}`]
  })
}

/** The first entries in which two collections differ. */
function describe(found: unknown, wanted: unknown): string {
  if (typeof wanted === 'number') return `found ${String(found)}, expected ${wanted}`
  const [a, b] = [found as Record<string, string>, wanted as Record<string, string>]
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((key) => a[key] !== b[key])
  const shown = keys.slice(0, 5).map((key) => `${key}: ${apart(a[key] ?? 'none', b[key] ?? 'none')}`)
  return `${keys.length} of ${Object.keys(b).length}: ${shown.join('; ')}`
}

/** Where two texts part, with what follows there. */
function apart(found: string, wanted: string): string {
  let at = 0
  while (at < found.length && found[at] === wanted[at]) at++
  const from = Math.max(0, at - 20)
  return `found ${found.slice(from, at + 40)}, expected ${wanted.slice(from, at + 40)}`
}
