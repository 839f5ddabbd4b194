/** Pushes of a source host, each delivered until it is taken, and what must come of them: a revision and an order each. */
import { createHmac, randomUUID } from 'node:crypto'
import { systemClock } from '#engine/clock.ts'
import { jetstreamManager } from '@nats-io/jetstream'
import { uuid5 } from '#engine/value/id.ts'
import { until } from '#test/harness/action-load.ts'
import { settle, type ChaosWorld } from '#test/harness/chaos.ts'

const repository = 'https://example.test/acme/killed.git'
const hosts = 4

export const pushSettings = {
  SOURCE_APP_WEBHOOK_SECRET: 'whsec-kill',
  BUILD_CALLBACK_SECRET: 'callback-kill',
  PUBLIC_URL: 'http://tidemark.test',
  SOURCE_LINKS: 'open',
} as const

export interface Pushes {
  /** Ids of the deliveries that were taken. */
  taken: string[]
  /** Statuses of the answers by which others were refused. */
  refused: Set<number>
}

export interface PushLoad {
  /** The address of an edge. */
  url: string
  orgId: string
  /** Told to end: deliveries under way are still taken, and so many in all. */
  until: AbortSignal
  atLeast: number
  /** Between two pushes of a host; none if left out. */
  pauseMs?: number
}

/** Deployments of one repository, which each push is built into; their ids. */
export async function deployments({ pool }: ChaosWorld, orgId: string, count = 3): Promise<string[]> {
  const ids = Array.from({ length: count }, () => randomUUID())
  for (const id of ids)
    await pool.query(
      `insert into deployment (org_id, id, name, space_id, repository_url, repository_key, branch, auto_deploy, current_revision_id, created_at, updated_at)
       values ($1, $2, 'Shop', 's-1', $3, 'example.test/acme/killed', 'main', true, null, now(), now())`,
      [orgId, id, repository],
    )
  return ids
}

/** Delivers pushes, several at a time; every third one again, as a host does that has not seen the answer. */
export async function push(load: PushLoad): Promise<Pushes> {
  const pushes: Pushes = { taken: [], refused: new Set() }
  let next = 0
  const deliver = async () => {
    while (!load.until.aborted || pushes.taken.length < load.atLeast) {
      const [delivery, n] = [randomUUID(), next++]
      for (let status = 0; status !== 202;) {
        status = await send(load.url, delivery, n)
        if (status !== 202) pushes.refused.add(status)
      }
      pushes.taken.push(delivery)
      if (n % 3 === 0) pushes.refused.add(await send(load.url, delivery, n))
      await systemClock.sleep(load.pauseMs ?? 0)
    }
  }
  await Promise.all(Array.from({ length: hosts }, deliver))
  pushes.refused.delete(202)
  return pushes
}

async function send(url: string, delivery: string, n: number): Promise<number> {
  const after = n.toString(16).padStart(40, 'a')
  const body = JSON.stringify({ ref: 'refs/heads/main', after, repository: { clone_url: repository } })
  const signature = createHmac('sha256', pushSettings.SOURCE_APP_WEBHOOK_SECRET).update(body).digest('hex')
  const headers = {
    'Content-Type': 'application/json',
    'X-GitHub-Event': 'push',
    'X-GitHub-Delivery': delivery,
    'X-Hub-Signature-256': `sha256=${signature}`,
  }
  const answer = await fetch(`${url}/webhooks/github`, { method: 'POST', headers, body })
  await answer.text()
  if (answer.status !== 202) await systemClock.sleep(50)
  return answer.status
}

/** Resolves once all that was pushed has been ordered. */
export async function ordersSettled(world: ChaosWorld): Promise<void> {
  await settle(world)
  const sql = `select count(*)::int as n from effect where name = 'order-build'`
  await until(world, async () => (await world.pool.query<{ n: number }>(sql)).rows[0]!.n === 0)
  await settle(world)
}

/** What stands: revisions and their states, orders in the stream, refusals. */
export async function pushed(world: ChaosWorld, orgId: string, { refused }: Pushes) {
  const { rows } = await world.pool.query<{ id: string; status: string }>(
    'select id, status from revision where org_id = $1 order by id collate "C"',
    [orgId],
  )
  return {
    revisions: rows.map(({ id }) => id),
    states: [...new Set(rows.map(({ status }) => status))],
    orders: (await ordered(world)).toSorted(),
    refusals: [...refused].filter((status) => status !== 503),
  }
}

/** What must stand: one revision, building, and one order of each delivery and deployment. Hosts were told 503 at most. */
export function wantedOf({ taken }: Pushes, ids: readonly string[]) {
  const wanted = taken.flatMap((delivery) => ids.map((id) => uuid5(id, delivery))).toSorted()
  return { revisions: wanted, states: ['building'], orders: wanted, refusals: [] }
}

/** Ids of the orders in the stream. */
async function ordered(world: ChaosWorld): Promise<string[]> {
  const manager = await jetstreamManager(world.nats)
  const { state } = await manager.streams.info('BUILD')
  const found: string[] = []
  for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
    const message = await manager.streams.getMessage('BUILD', { seq })
    if (message) found.push(message.header.get('Nats-Msg-Id'))
  }
  return found
}
