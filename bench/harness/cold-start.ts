/** From the command `start` on a data folder that holds many actors to the first turn that has committed. */
import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { Publisher, type Event } from '#engine/run/publisher.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { runningInstance } from '#config/embedded/stores.ts'
import { startProduct } from './engine-process.ts'
import { insertResources } from './inventory.ts'
import { figure, goal, say, stage } from './stage.ts'

const orgId = 'bench'
const lanes = 16

/** The message waits in the stream before the start; its turn changes one of the actors, whose row is there to read. */
export async function coldStart(count: number): Promise<void> {
  const made = await stage({ lanes })
  const { dataDir } = made.settings
  const c = await made.open()
  let began = performance.now()
  await insertResources(c.store.pool, orgId, count)
  say(`${figure(count)} actors registered in PostgreSQL after ${figure((performance.now() - began) / 1000)} s`)
  const data = {
    resourceUid: `uid-${Math.ceil(count / 2)}`,
    name: 'found again',
    type: 'aws-ec2',
    provider: 'aws',
    cloudAccountId: 'acct-0',
    region: 'us-east-1',
    status: 'stopped',
  }
  const time = new Date(Date.now() + 60_000)
  const event = { subject: resourceDiscovered, orgId, data, time } as unknown as Event
  await new Publisher(c.log, c.clock, 'bench').publish(event)
  await c.close()
  await made.stores.stop()
  began = performance.now()
  const env = { TIDEMARK_DATA_DIR: dataDir, TIDEMARK_LANES: String(lanes), PORT: '0' }
  const child = await startProduct(env, 'Listening at')
  say(`  cold start, stores included: listening after ${figure((performance.now() - began) / 1000)} s`)
  const committed = await until(dataDir, data.resourceUid, began)
  goal('P11', `first committed turn with ${figure(count)} actors`, committed, { max: 10 }, ' s')
  await child.end('SIGTERM')
  rmSync(dataDir, { recursive: true, force: true })
}

/** Seconds from `began` until the row says what the message said. */
async function until(dataDir: string, uid: string, began: number): Promise<number> {
  const { postgresUrl } = runningInstance(dataDir)!
  const client = new pg.Client({ connectionString: postgresUrl })
  await client.connect()
  try {
    for (;;) {
      const { rows } = await client.query('select status from resource where org_id = $1 and uid = $2', [orgId, uid])
      if (rows[0].status === 'stopped') return (performance.now() - began) / 1000
      if (performance.now() - began > 120_000) throw new Error('no turn within two minutes')
      await sleep(10)
    }
  } finally {
    await client.end()
  }
}
