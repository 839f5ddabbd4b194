/** `TIDEMARK_LANE_PROCESSES`: processes of one machine that share the lanes of one start, killed and started again. */
import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { jetstream } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { expect } from 'chai'
import pg from 'pg'
import { natsServers } from '#config/connect.ts'
import { processBirth } from '#config/embedded/child.ts'
import { inProcess } from '#test/harness/command-line.ts'
import { launch as launched } from '#test/harness/launched.ts'
import { until } from '#test/harness/product.ts'
import { inherited, testFolder } from '#test/harness/stores.ts'
import { amount, deepIt, isDeep } from '#test/harness/tier.ts'

const accounts = ['a', 'b', 'c', 'd', 'e', 'f']
/** Resources of each account: at first, while one process is away, and once it is back. */
const [atFirst, meanwhile, later] = [amount(2, 50, 50), amount(10, 200, 200), amount(1, 10, 10)]
const totals = [atFirst, atFirst + meanwhile, atFirst + meanwhile + later].map((each) => each * accounts.length)

describe('processes that run lanes beside one another', function () {
  this.timeout(180_000)
  let folder: string
  let running: ChildProcess
  let url: string
  let pool: pg.Pool
  let said: string
  let orgId: string
  let producer: NatsConnection

  const two = { TIDEMARK_LANES: '4', TIDEMARK_LANE_PROCESSES: '2' }
  const launch = (...args: string[]) => launched(folder, two, ...args)
  const json = async (...args: string[]) => {
    const env = { ...inherited, TIDEMARK_DATA_DIR: folder, TIDEMARK_DEMO: '0', PORT: '0', ...two }
    return JSON.parse((await inProcess(env, ...args, '--json')).stdout) as any
  }
  const begin = async () => {
    running = launch('start', '--json')
    said = ''
    running.stderr!.on('data', (text: Buffer) => (said += text.toString()))
    const [line] = (await once(createInterface(running.stdout!), 'line')) as [string]
    ;({ url } = JSON.parse(line) as { url: string })
    const stores = JSON.parse(readFileSync(path.join(folder, 'run.json'), 'utf8')) as { postgresUrl: string }
    pool = new pg.Pool({ connectionString: stores.postgresUrl })
    pool.on('error', () => {})
  }
  const pidOf = (): number => Number(readFileSync(path.join(folder, 'lane-process-2.pid'), 'utf8').split(' ')[0])
  /** How many lanes each process has that has some, fewest first. */
  const shares = async (): Promise<number[]> => {
    const { rows } = await pool.query<{ n: number }>(
      'select count(*)::int as n from lane where owner is not null and expires > now() group by owner order by 1',
    )
    return rows.map(({ n }) => n)
  }
  const shared = () => until('lanes shared', async () => String(await shares()) === '2,2', 60)
  /** Publishes `count` resources for each account as a producer does, and waits until the inventory has `total` rows. */
  const discovered = async (from: number, count: number, total: number): Promise<void> => {
    await Promise.all(
      accounts.map(async (cloudAccountId) => {
        for (let n = from; n < from + count; n++) {
          const data = { resourceUid: `i-${n}`, provider: 'aws', type: 'aws-ec2', region: 'us-east-1', name: `m-${n}` }
          await publish({ cloudAccountId, ...data })
        }
      }),
    )
    await until(`${total} resources`, async () => (await found())[0] >= total, 60)
  }
  const metrics = async () => {
    const { metricsUrl } = JSON.parse(readFileSync(path.join(folder, 'run.json'), 'utf8')) as { metricsUrl: string }
    return (await (await fetch(metricsUrl)).text()).split('\n')
  }
  const publish = (data: { cloudAccountId: string }) => {
    const type = 'resource.discovered'
    const event = { id: randomUUID(), type, schemaVersion: 1, orgId, time: new Date().toISOString(), data }
    return jetstream(producer).publish(`ingest.resource.${orgId}.${data.cloudAccountId}`, JSON.stringify(event))
  }
  const found = async (): Promise<[number, number]> => {
    const { rows } = await pool.query<{ n: number; uids: number }>(
      'select count(*)::int as n, count(distinct (cloud_account_id, uid))::int as uids from resource where org_id = $1',
      [orgId],
    )
    return [rows[0]!.n, rows[0]!.uids]
  }

  before(async () => {
    folder = testFolder()
    await begin()
    orgId = (await json('org', 'create', 'First')).id
    const { servers, user, pass } = natsServers((await json('producer', 'create', '--org', orgId)).url)
    producer = await connect({ servers, user: user!, pass: pass! })
  })
  after(async () => {
    await producer?.close()
    await pool.end()
    if (running.exitCode !== null || running.signalCode !== null) return
    running.kill('SIGTERM')
    await once(running, 'exit')
  })

  it('share the lanes, and take in what is published', async () => {
    await shared()
    await discovered(0, atFirst, totals[0]!)
    expect(await found()).to.deep.equal([totals[0], totals[0]])
    expect(await metrics()).to.include('tidemark_lane_processes 1')
  })

  it('have each other’s lanes while one is away, which is started again, and nothing is lost or doubled', async () => {
    const before = pidOf()
    const more = discovered(1000, meanwhile, totals[1]!)
    process.kill(before, 'SIGKILL')
    await more
    expect(await found()).to.deep.equal([totals[1], totals[1]])
    await until('another process', async () => pidOf() !== before, 60)
    expect(said).to.match(/lane process 2 ended with .*starting it again/)
    // Until it runs lanes again takes as long as the first time.
    if (!isDeep) return
    await shared()
    expect(await metrics()).to.include('tidemark_lane_processes 1')
    await discovered(2000, later, totals[2]!)
    expect(await found()).to.deep.equal([totals[2], totals[2]])
  })

  it('have no edge of their own, and write what they have to say into the log of the first', async () => {
    expect((await fetch(`${url}/readyz`)).status).to.equal(200)
    expect(
      said
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line).msg),
    ).to.satisfy((all: string[]) => all.every((msg) => msg.startsWith('lane process 2 ')))
  })

  deepIt(
    'say where their metrics are, and are refused by hand with other settings than those of the product',
    async () => {
      expect(said).to.match(/^Running lanes; metrics at http:\/\/127\.0\.0\.1:\d+\/metrics$/m)
      const own = { CREDENTIALS_KEY: Buffer.alloc(32, 7).toString('base64'), REPORT_COST: 'effective' }
      const other = launched(folder, own, 'lane-process', '--json')
      const { error } = JSON.parse((await Array.fromAsync(other.stdout!)).join('')) as { error: { message: string } }
      expect(error.message).to.equal(
        `The product that runs on ${folder} was started with other settings: REPORT_COST, CREDENTIALS_KEY. Set them here as there.`,
      )
    },
  )

  deepIt('end with the one that keeps them when that is killed', async () => {
    const one = pidOf()
    await producer.close()
    running.kill('SIGKILL')
    await until('its end', async () => processBirth(one) === undefined, 15)
    await pool.end()
    await begin()
    await shared()
    expect(await found()).to.deep.equal([totals[2], totals[2]])
  })

  it('end with the one that keeps them when that is stopped', async () => {
    const other = pidOf()
    await producer.close()
    running.kill('SIGTERM')
    expect((await once(running, 'exit'))[0]).to.equal(0)
    expect(processBirth(other)).to.equal(undefined)
    expect(said.trimEnd().split('\n').at(-1)).to.equal('Stopped.')
  })

  deepIt('end with it in order while they are still starting', async () => {
    await pool.end()
    await begin()
    running.kill('SIGTERM')
    expect((await once(running, 'exit'))[0]).to.equal(0)
    expect(said).to.not.match(/while stopping|has not started/)
    expect(said.trimEnd().split('\n').at(-1)).to.equal('Stopped.')
    expect(processBirth(pidOf())).to.equal(undefined)
  })
})
