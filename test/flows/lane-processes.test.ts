/**
 * A product that is started as people start it, with `TIDEMARK_LANE_PROCESSES`: what it tells producers and the operator, what somebody
 * else on the machine gets of it, and its processes, which share the lanes, are killed and started again. All of it at one start.
 */
import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { jetstream } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { expect } from 'chai'
import pg from 'pg'
import { toldOpen } from '#config/state/bills.ts'
import { natsServers } from '#config/state/connect.ts'
import { processBirth } from '#config/embedded/child.ts'
import { inProcess } from '#test/harness/command-line.ts'
import { launch as launched, onFolder } from '#test/harness/launched.ts'
import { until } from '#test/harness/product.ts'
import { familyOf, marksOfStranger, nobody, portsOf, tryAsStranger } from '#test/harness/stranger.ts'
import { testFolder } from '#test/harness/stores.ts'
import { amount, deepIt, isDeep } from '#test/harness/tier.ts'

const accounts = ['a', 'b', 'c', 'd', 'e', 'f']
/** Resources of each account: at first, while one process is away, and once it is back. */
const [atFirst, meanwhile, later] = [amount(2, 50, 50), amount(10, 200, 200), amount(1, 10, 10)]

/** An export of bills that is open. */
const open = (id: string, state: string, period: string) => ({
  id,
  at: '2026-02-01T03:00:00.000Z',
  state,
  periods: { [period]: 4 },
  counted: 3,
  confirmed: false,
  since: '2026-02-01T03:01:00.000Z',
})

const totals = [atFirst, atFirst + meanwhile, atFirst + meanwhile + later].map((each) => each * accounts.length)

describe('a product that runs, with two processes for its lanes', function () {
  this.timeout(180_000)
  let folder: string
  let running: ChildProcess
  /** What it says once it runs. */
  let told: Record<'url' | 'nats' | 'analysts', string>
  let pool: pg.Pool
  let said: string
  let orgId: string
  let producer: NatsConnection

  const two = { TIDEMARK_LANES: '4', TIDEMARK_LANE_PROCESSES: '2' }
  const launch = (...args: string[]) => launched(folder, two, ...args)
  const json = async (...args: string[]) => {
    return JSON.parse((await inProcess(onFolder(folder, two), ...args, '--json')).stdout) as any
  }
  const run = () => JSON.parse(readFileSync(path.join(folder, 'run.json'), 'utf8')) as Record<string, string>
  const begin = async () => {
    running = launch('start', '--json')
    said = ''
    running.stderr!.on('data', (text: Buffer) => (said += text.toString()))
    const [line] = (await once(createInterface(running.stdout!), 'line')) as [string]
    told = JSON.parse(line) as typeof told
    pool = new pg.Pool({ connectionString: run()['postgresUrl']! })
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
  const shared = () => until('lanes shared', async () => String(await shares()) === '2,2')
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
    await until(`${total} resources`, async () => (await found())[0] >= total)
  }
  const metrics = async () => {
    return (await (await fetch(run()['metricsUrl']!)).text()).split('\n')
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

  it('tells producers where to publish, and the operator what is open, when it starts and when its doctor is asked', async () => {
    const { nats, analysts, url } = told
    await connect({ servers: nats, reconnect: false }).then(
      () => expect.fail('let in without a user'),
      (error: Error) => expect(error.message).to.match(/authoriz|authentic/i),
    )
    const account = `insert into cloud_account (org_id, id, name, external_id, status, created_at, updated_at, bills)
      values ('o-1', $1, '', '', 'connected', now(), now(), $2)`
    const waiting = open('e-1', 'waiting', '2026-01')
    const held = open('e-2', 'held', '2025-12')
    for (const [id, exports] of Object.entries({ a: [waiting], b: [], c: [waiting, held] }))
      await pool.query(account, [id, { shown: {}, begun: {}, open: exports, told: [], ignored: 0 }])

    const asked = async (...args: string[]) => {
      const { stdout, code } = await inProcess(onFolder(folder, two), 'doctor', ...args)
      return [stdout, code] as const
    }
    const [json, code] = await asked('--json')
    const answer = JSON.parse(json) as Record<string, unknown>
    expect([answer['nats'], answer['analysts'], answer['url'], code]).to.deep.equal([nats, analysts, url, 0])
    const wanted = [
      { orgId: 'o-1', accountId: 'c', exports: [waiting, held] },
      { orgId: 'o-1', accountId: 'a', exports: [waiting] },
    ]
    expect(answer['openExports']).to.deep.equal(wanted)
    const [text] = await asked()
    expect(text.split('\n')).to.include(`NATS for producers: ${nats}`)
    expect(text.split('\n')).to.include(`ClickHouse for analysts: ${analysts}`)
    expect(text.trimEnd().split('\n').slice(-2)).to.deep.equal(toldOpen(wanted as never))
  })

  it('counts the requests to its edge for Prometheus, by the route it declares', async () => {
    await (await fetch(`${told.url}/readyz`)).text()
    const lines = await metrics()
    expect(lines).to.include('tidemark_http_requests_total{method="GET",route="/readyz",status="200"} 1')
    expect(lines).to.include('tidemark_http_request_seconds_count{method="GET",route="/readyz"} 1')
  })

  it('lets somebody else on the machine read, write and publish nothing through any port there is, and read no file', async function () {
    this.timeout(300_000)
    if (process.platform !== 'linux') return this.skip()
    await shared()
    const found = portsOf(familyOf(running.pid!))
    // The edge, its metrics and those of the other process, the port of analysts, NATS and PostgreSQL: on the loopback interface alone.
    expect(found.map(({ address }) => address)).to.deep.equal(Array.from({ length: 6 }, () => '0100007F'))
    const before = await marksOfStranger(run())
    const got = await tryAsStranger(
      folder,
      found.map(({ port }) => port),
    )
    expect(got.broken).to.deep.equal([])
    if (got.uid === nobody) expect(got.files).to.deep.equal([])
    const edge = new URL(told.url).port
    const ofMetrics = [run()['metricsUrl']!, /^Running lanes; metrics at (.*)$/m.exec(said)![1]!].map(
      (at) => new URL(at).port,
    )
    const places = Object.fromEntries(
      Object.entries(got.open).map(([port, all]) => [port, all.map(({ place }) => place)]),
    )
    const rest = Object.entries(places).filter(([port]) => port !== edge && !ofMetrics.includes(port))
    // Of the port of analysts, that it is there.
    expect(rest.map(([, all]) => all.join()).toSorted()).to.deep.equal(['', '', '/ping'])
    expect(ofMetrics.map((port) => places[port])).to.deep.equal([['/metrics'], ['/metrics']])
    const open = ['/healthz', '/readyz', '/openapi.json', '/docs', '/schemas', '/.well-known/jwks.json']
    expect(places[edge]).to.deep.equal(open)
    const bodies = Object.values(got.open).flatMap((all) => all.map(({ body }) => body))
    for (const secret of [run()['natsUrl']!, run()['postgresUrl']!].map((url) => new URL(url).password))
      for (const text of bodies) expect(text.includes(secret)).to.equal(false)
    expect(await marksOfStranger(run())).to.deep.equal(before)
    const others = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => {
      const file = lstatSync(path.join(folder, name), { throwIfNoEntry: false })
      return file !== undefined && !file.isSymbolicLink() && (file.mode & 0o077) !== 0
    })
    expect(others).to.deep.equal([])
  })

  it('shares the lanes among them, which take in what is published', async () => {
    await shared()
    await discovered(0, atFirst, totals[0]!)
    expect(await found()).to.deep.equal([totals[0], totals[0]])
    expect(await metrics()).to.include('tidemark_lane_processes 1')
  })

  it('runs all lanes in one while the other is away, which is started again, and nothing is lost or doubled', async () => {
    const before = pidOf()
    const more = discovered(1000, meanwhile, totals[1]!)
    process.kill(before, 'SIGKILL')
    await more
    expect(await found()).to.deep.equal([totals[1], totals[1]])
    await until('another process', async () => pidOf() !== before)
    expect(said).to.match(/lane process 2 ended with .*starting it again/)
    // Until it runs lanes again takes as long as the first time.
    if (!isDeep) return
    await shared()
    expect(await metrics()).to.include('tidemark_lane_processes 1')
    await discovered(2000, later, totals[2]!)
    expect(await found()).to.deep.equal([totals[2], totals[2]])
  })

  it('has one edge and one log, that of the first', async () => {
    expect((await fetch(`${told.url}/readyz`)).status).to.equal(200)
    const lines = said.split('\n').filter((line) => line.startsWith('{'))
    const logged = lines.map((line) => JSON.parse(line) as { msg: string; level: string | number })
    const [ofOther, ofOwn] = [true, false].map((is) =>
      logged.filter(({ msg }) => msg.startsWith('lane process 2 ') === is),
    )
    expect(ofOther).to.not.deep.equal([])
    // A busy machine has more to warn of, and no errors.
    expect(ofOwn!.filter(({ level }) => level === 'error' || Number(level) >= 50)).to.deep.equal([])
  })

  deepIt('says where their metrics are, and refuses one that is started by hand with other settings', async () => {
    expect(said).to.match(/^Running lanes; metrics at http:\/\/127\.0\.0\.1:\d+\/metrics$/m)
    const own = { CREDENTIALS_KEY: Buffer.alloc(32, 7).toString('base64'), REPORT_COST: 'effective' }
    const other = launched(folder, own, 'lane-process', '--json')
    const { error } = JSON.parse((await Array.fromAsync(other.stdout!)).join('')) as { error: { message: string } }
    expect(error.message).to.equal(
      `Tidemark on ${folder} was started with different settings: REPORT_COST, CREDENTIALS_KEY. Use the same values here.`,
    )
  })

  deepIt('takes the other with it when it is killed', async () => {
    const one = pidOf()
    await producer.close()
    running.kill('SIGKILL')
    await until('its end', async () => processBirth(one) === undefined)
    await pool.end()
    await begin()
    await shared()
    expect(await found()).to.deep.equal([totals[2], totals[2]])
  })

  it('takes the other with it when it is stopped', async () => {
    const other = pidOf()
    await producer.close()
    running.kill('SIGTERM')
    expect((await once(running, 'exit'))[0]).to.equal(0)
    expect(processBirth(other)).to.equal(undefined)
    expect(said.trimEnd().split('\n').at(-1)).to.equal('Stopped.')
  })

  deepIt('ends in order while the other is still starting', async () => {
    await pool.end()
    await begin()
    running.kill('SIGTERM')
    expect((await once(running, 'exit'))[0]).to.equal(0)
    expect(said).to.not.match(/while stopping|did not start/)
    expect(said.trimEnd().split('\n').at(-1)).to.equal('Stopped.')
    expect(processBirth(pidOf())).to.equal(undefined)
  })
})
