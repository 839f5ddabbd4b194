/** Engines that are killed while pushes are delivered, again and again until they are taken, as hosts do. */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { createHmac, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { jetstreamManager } from '@nats-io/jetstream'
import { expect } from 'chai'
import { root } from '#config/root.ts'
import { uuid5 } from '#engine/id.ts'
import { chaosWorld, lanesRun, settle, type ChaosWorld } from '#test/harness/chaos.ts'
import { amount } from '#test/harness/tier.ts'
import { inherited, testFolder, testLanes } from '#test/harness/stores.ts'

/** Times that both engines are killed, and deliveries that are sent at least. */
const kills = amount(3, 3, 8)
const deliveriesMin = amount(30, 30, 80)
const deployments = 3
const url = 'https://example.test/acme/killed.git'

const settings = {
  CREDENTIALS_KEY: Buffer.alloc(32, 7).toString('base64'),
  SOURCE_APP_WEBHOOK_SECRET: 'whsec-kill',
  BUILD_CALLBACK_SECRET: 'callback-kill',
  PUBLIC_URL: 'http://tidemark.test',
}
const main = path.join(root, 'config/main.ts')

describe('pushes under kills', () => {
  let world: ChaosWorld
  let edge: ChildProcess
  let at: string
  let orgId: string
  const ids = Array.from({ length: deployments }, () => randomUUID())
  before(async function () {
    this.timeout(120_000)
    world = await chaosWorld(2, settings)
    const { postgres, nats, clickhouse } = world.stores
    const env = {
      ...inherited,
      ...settings,
      TIDEMARK_DATA_DIR: testFolder(),
      TIDEMARK_ROLE: 'edge',
      TIDEMARK_LANES: String(testLanes),
      POSTGRES_URL: postgres.url,
      NATS_URL: nats.url,
      CLICKHOUSE_URL: `${clickhouse.url}/${clickhouse.database}`,
      RATE_LIMIT: '0',
      INBOUND_RATE_LIMIT: '0',
      PORT: '0',
    }
    const made = await promisify(execFile)(process.execPath, [main, 'org', 'create', 'Killed', '--json'], { env })
    orgId = (JSON.parse(made.stdout) as { id: string }).id
    for (const id of ids)
      await world.pool.query(
        `insert into deployment (org_id, id, name, space_id, repository_url, repository_key, branch, auto_deploy, current_revision_id, created_at, updated_at)
         values ($1, $2, 'Shop', 's-1', $3, 'example.test/acme/killed', 'main', true, null, now(), now())`,
        [orgId, id, url],
      )
    edge = spawn(process.execPath, [main, 'start', '--json'], { env, stdio: ['ignore', 'pipe', 'ignore'] })
    const [line] = (await once(createInterface(edge.stdout!), 'line')) as [string]
    at = (JSON.parse(line) as { url: string }).url
  })
  after(async () => {
    edge?.kill()
    await world?.close()
  })

  const send = async (delivery: string, n: number) => {
    const after = n.toString(16).padStart(40, 'a')
    const body = JSON.stringify({ ref: 'refs/heads/main', after, repository: { clone_url: url } })
    const signature = createHmac('sha256', settings.SOURCE_APP_WEBHOOK_SECRET).update(body).digest('hex')
    const headers = {
      'Content-Type': 'application/json',
      'X-GitHub-Event': 'push',
      'X-GitHub-Delivery': delivery,
      'X-Hub-Signature-256': `sha256=${signature}`,
    }
    const answer = await fetch(`${at}/webhooks/github`, { method: 'POST', headers, body })
    await answer.text()
    return answer.status
  }

  it(`make one revision and one order of each delivery and deployment: ${kills} kills of two engines`, async function () {
    this.timeout(300_000)
    const taken: string[] = []
    const refused = new Set<number>()
    let isOver = false
    let next = 0
    const deliver = async () => {
      while (!isOver) {
        const [delivery, n] = [randomUUID(), next++]
        for (let status = 0; status !== 202;) {
          status = await send(delivery, n)
          if (status !== 202) refused.add(status)
        }
        taken.push(delivery)
        // As somebody does who has not seen the answer.
        if (n % 3 === 0) expect(await send(delivery, n)).to.be.oneOf([202, 503])
      }
    }
    const delivering = Promise.all([deliver(), deliver(), deliver(), deliver()])
    const deadline = performance.now() + 200_000
    for (let n = 0; n < kills; n++) {
      await lanesRun(world)
      await sleep(200 + n * 70)
      for (const _ of [1, 2]) world.engines.kill(0)
    }
    await lanesRun(world)
    while (taken.length < deliveriesMin && performance.now() < deadline) await sleep(50)
    isOver = true
    await delivering
    await settle(world)
    const waiting = async () =>
      (await world.pool.query<{ n: number }>(`select count(*)::int as n from effect where name = 'order-build'`))
        .rows[0]!.n
    while ((await waiting()) > 0 && performance.now() < deadline) await sleep(50)
    await settle(world)

    const wanted = taken.flatMap((delivery) => ids.map((id) => uuid5(id, delivery))).toSorted()
    expect(taken.length).to.be.at.least(deliveriesMin)
    const { rows } = await world.pool.query<{ id: string; status: string }>(
      'select id, status from revision where org_id = $1 order by id collate "C"',
      [orgId],
    )
    expect(
      rows.map(({ id }) => id),
      'one revision each',
    ).to.deep.equal(wanted)
    expect([...new Set(rows.map(({ status }) => status))], 'all ordered').to.deep.equal(['building'])
    expect((await ordered()).toSorted(), 'one order each').to.deep.equal(wanted)
    expect(
      [...refused].filter((status) => status !== 503),
      'what hosts were told meanwhile',
    ).to.deep.equal([])
    expect(world.engines.unaskedEnds, 'processes that ended by themselves').to.deep.equal([])
  })

  /** Ids of the orders that stand in the stream. */
  async function ordered(): Promise<string[]> {
    const manager = await jetstreamManager(world.nats)
    const { state } = await manager.streams.info('BUILD')
    const found: string[] = []
    for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
      const message = await manager.streams.getMessage('BUILD', { seq })
      if (message) found.push(message.header.get('Nats-Msg-Id'))
    }
    return found
  }
})
