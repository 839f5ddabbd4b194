import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import pg from 'pg'
import { misfits, type Bearings } from '#config/state/installation.ts'
import { root } from '#config/process/root.ts'
import { inherited, testFolder } from '#test/harness/stores.ts'
import { deepIt, isDeep } from '#test/harness/tier.ts'

describe('stores that belong together', () => {
  const postgres = { id: 'a', position: 7, clickhouse: 6, nats: true, protocol: 1 }
  const told = (bearings: Partial<Bearings>) =>
    misfits({ postgres, clickhouse: [{ id: 'a', position: 6 }], nats: 'a', ...bearings }).map(({ store, message }) => [
      store,
      message.split(/[:.]/)[0],
    ])
  const cases: Record<string, [Partial<Bearings>, [string, string][]]> = {
    'all know the same': [{}, []],
    'ClickHouse has what is drawn and not confirmed yet': [{ clickhouse: [{ id: 'a', position: 7 }] }, []],
    'none knows anything yet': [{ postgres: undefined, clickhouse: [], nats: undefined }, []],
    'PostgreSQL has just been made': [
      { postgres: { id: 'a', position: 0, clickhouse: 0, nats: false, protocol: 0 }, clickhouse: [], nats: undefined },
      [],
    ],
    'ClickHouse was emptied': [{ clickhouse: [] }, [['clickhouse', 'ClickHouse was emptied']]],
    'ClickHouse is older': [
      { clickhouse: [{ id: 'a', position: 5 }] },
      [['clickhouse', 'ClickHouse is older than PostgreSQL']],
    ],
    'ClickHouse is newer': [
      { clickhouse: [{ id: 'a', position: 8 }] },
      [['postgres', 'PostgreSQL is older than ClickHouse']],
    ],
    "ClickHouse is another one's": [
      { clickhouse: [{ id: 'b', position: 6 }] },
      [['clickhouse', 'ClickHouse belongs to another installation']],
    ],
    'NATS was emptied': [{ nats: undefined }, [['nats', 'NATS was emptied']]],
    "NATS is another one's": [{ nats: 'b' }, [['nats', 'NATS belongs to another installation']]],
    'PostgreSQL was emptied': [{ postgres: undefined }, [['postgres', 'PostgreSQL was emptied or replaced']]],
    'two are wrong': [
      { clickhouse: [], nats: undefined },
      [
        ['clickhouse', 'ClickHouse was emptied'],
        ['nats', 'NATS was emptied'],
      ],
    ],
  }
  for (const [name, [bearings, expected]] of Object.entries(cases))
    it(`are known by what each says: ${name}`, () => expect(told(bearings)).to.deep.equal(expected))
})

/** A product in a process of its own, on a data folder that copies are made of while it is stopped. */
describe('backup and restore', () => {
  const base = testFolder()
  const backup = path.join(base, 'backup')
  const newest = path.join(base, 'newest')
  let orgId: string
  let token: string
  let running: { child: ChildProcess; url: string; folder: string } | undefined

  const launch = (folder: string, ...args: string[]) =>
    spawn(process.execPath, ['--disable-warning=ExperimentalWarning', path.join(root, 'config/main.ts'), ...args], {
      env: {
        ...inherited,
        TIDEMARK_DATA_DIR: folder,
        TIDEMARK_DEMO: '0',
        TIDEMARK_LANES: '2',
        PORT: '0',
        LOG_LEVEL: 'silent',
      },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  async function start(folder: string): Promise<void> {
    const child = launch(folder, 'start', '--json')
    running = { child, folder, url: '' }
    const [line] = (await once(createInterface(child.stdout!), 'line')) as [string]
    running.url = (JSON.parse(line) as { url: string }).url
  }
  async function stop(): Promise<void> {
    if (!running) return
    const { child } = running
    running = undefined
    // Twice, as some supervisors do.
    child.kill('SIGTERM')
    child.kill('SIGTERM')
    const code = child.exitCode ?? ((await once(child, 'exit')) as [number | null])[0]
    expect(code, 'it ends in order').to.equal(0)
  }
  const command = (...args: string[]) => commandIn(running!.folder, ...args)
  async function commandIn(folder: string, ...args: string[]): Promise<{ code: number; data: any }> {
    const child = launch(folder, ...args, '--json')
    const out = (await Array.fromAsync(child.stdout)).join('')
    const code = child.exitCode ?? ((await once(child, 'exit')) as [number])[0]
    return { code, data: out === '' ? undefined : JSON.parse(out) }
  }
  /** As docs/back-up.md says: with the modes. */
  const copy = (from: string, to: string) => execFileSync('cp', ['-a', from, to])
  const ask = (place: string) => fetch(`${running!.url}${place}`, { headers: { authorization: `Bearer ${token}` } })
  async function ingest(day: string, cost: string): Promise<void> {
    const file = path.join(base, `${day}.csv`)
    writeFileSync(file, `BilledCost,ChargePeriodStart,ProviderName,ResourceId\n${cost},${day},AWS,r-${day}\n`)
    const { code } = await command('ingest', 'billing', file, '--org', orgId, '--account', 'acct', '--add', '--wait')
    expect(code).to.equal(0)
  }
  const total = async () => {
    const answer = await ask('/reports/summary?period=2026-01')
    if (answer.status !== 200) return answer.status
    return ((await answer.json()) as { data: { totalCostUSD: number } }).data.totalCostUSD
  }
  async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
    for (const end = performance.now() + 60_000; !(await holds()); await new Promise((r) => setTimeout(r, 50)))
      if (performance.now() > end) throw new Error(`waited 60 s in vain: ${what}`)
  }
  /** What `/readyz` says is wrong, by check. */
  async function wrong(): Promise<Record<string, string>> {
    const body = (await (await ask('/readyz')).json()) as { checks: { name: string; ok: boolean; message?: string }[] }
    return Object.fromEntries(body.checks.filter(({ ok }) => !ok).map(({ name, message = '' }) => [name, message]))
  }
  const ready = () => until('the product to be ready', async () => (await ask('/readyz')).status === 200)
  /** A copy of the newest folder in which one store is that of `from`, or empty. */
  function mixed(name: string, store: string, from?: string): string {
    const folder = path.join(base, name)
    copy(newest, folder)
    rmSync(path.join(folder, store), { recursive: true })
    if (from) copy(path.join(from, store), path.join(folder, store))
    return folder
  }

  before(async function () {
    this.timeout(180_000)
    await start(newest)
    // Without bills `npm test` needs two starts and one command; the deep tier asks for reports and for the doctor too.
    if (!isDeep) {
      await ready()
      return stop()
    }
    orgId = (await command('org', 'create', 'kept')).data.id
    token = (await command('pat', 'create', '--org', orgId, '--role', 'owner')).data.token
    await ingest('2026-01-10', '3.50')
    await stop()
    copy(newest, backup)
    await start(newest)
    await ingest('2026-01-11', '10')
    expect(await total()).to.equal(13.5)
    await stop()
  })
  afterEach(stop)

  deepIt('a copy of the stopped folder is the product as it was, and goes on', async () => {
    const restored = path.join(base, 'restored')
    copy(backup, restored)
    await start(restored)
    await ready()
    expect(await total()).to.equal(3.5)
    await ingest('2026-01-12', '1')
    expect(await total()).to.equal(4.5)
    expect((await command('doctor')).code).to.equal(0)
    await stop()
  })

  deepIt(
    'an emptied ClickHouse is told by /readyz, doctor and reports, runs no lane, and is gone on with when that is asked for',
    async () => {
      await start(mixed('no-clickhouse', 'clickhouse'))
      const { installation, ...others } = await wrong()
      expect(installation).to.match(/^ClickHouse was emptied: .*tidemark stores accept clickhouse/)
      expect(others).to.have.keys('lanes')
      if (isDeep) {
        expect(await total()).to.equal(503)
        const { code, data } = await command('doctor')
        const isFit = data.checks.find(({ name }: { name: string }) => name === 'installation').ok
        expect([code, isFit]).to.deep.equal([1, false])
      }
      expect((await command('stores', 'accept', 'clickhouse')).code).to.equal(0)
      await ready()
      if (!isDeep) return
      expect(await total()).to.equal(0)
      await ingest('2026-01-12', '2')
      expect(await total()).to.equal(2)
      expect((await command('stores', 'accept', 'clickhouse')).data.error.code).to.equal('nothing_to_accept')
    },
  )

  deepIt('a ClickHouse from an older copy is told: what came since would be missing', async () => {
    await start(mixed('old-clickhouse', 'clickhouse', backup))
    expect((await wrong())['installation']).to.match(/^ClickHouse is older than PostgreSQL/)
    expect(await total()).to.equal(503)
  })

  deepIt(
    'a PostgreSQL from an older copy is told, and takes the messages since again to the same figures',
    async () => {
      await start(mixed('old-postgres', 'postgres', backup))
      expect((await wrong())['installation']).to.match(/^PostgreSQL is older than ClickHouse/)
      expect((await command('stores', 'accept', 'postgres')).code).to.equal(0)
      await ready()
      await until('the messages to be taken again', async () => (await total()) === 13.5)
      await ingest('2026-01-12', '1')
      expect(await total()).to.equal(14.5)
    },
  )

  deepIt('an emptied PostgreSQL is told: nothing of it is made up from what the other stores hold', async () => {
    await start(mixed('no-postgres', 'postgres'))
    expect((await wrong())['installation']).to.match(/^PostgreSQL was emptied or replaced/)
  })

  deepIt(
    'an emptied NATS is told, and its lanes go on behind what they have committed when that is asked for',
    async () => {
      await start(mixed('no-nats', 'nats'))
      expect((await wrong())['installation']).to.match(/^NATS was emptied/)
      expect(await total()).to.equal(13.5)
      expect((await command('stores', 'accept', 'nats')).code).to.equal(0)
      await ready()
      await ingest('2026-01-12', '1')
      expect(await total()).to.equal(14.5)
      await stop()
      await start(path.join(base, 'no-nats'))
      await ready()
      await ingest('2026-01-13', '1')
      expect(await total()).to.equal(15.5)
    },
  )

  deepIt(
    'an engine that is older than one which has run here leaves the lanes, says so, and takes them when that is undone',
    async () => {
      const folder = path.join(base, 'newer')
      copy(newest, folder)
      await start(folder)
      await ready()
      const { postgresUrl } = JSON.parse(readFileSync(path.join(folder, 'run.json'), 'utf8')) as { postgresUrl: string }
      const client = new pg.Client(postgresUrl)
      await client.connect()
      await client.query('update installation set protocol = protocol + 1')
      const owned = async () => (await client.query('select from lane where owner is not null')).rowCount
      await until('the lanes to be left', async () => (await owned()) === 0)
      expect((await wrong())['version']).to.match(/^a newer version runs on these stores .*too old and runs no lanes/)
      expect((await command('upgrade', 'undo')).code).to.equal(0)
      await ready()
      expect(await owned()).to.equal(2)
      await client.end()
      await ingest('2026-01-12', '1')
      expect(await total()).to.equal(14.5)
      expect((await command('upgrade', 'undo')).data.error.code).to.equal('nothing_to_undo')
    },
  )

  describe('tidemark backup', () => {
    const folder = path.join(base, 'backed-up')
    const taken = path.join(base, 'taken')

    deepIt('is restored into an empty folder, and whatever is sent again since counts once', async () => {
      copy(newest, folder)
      await start(folder)
      expect((await command('backup', taken, '--with-key')).code).to.equal(0)
      await ingest('2026-01-12', '1')
      await stop()
      const alone = path.join(base, 'restored-alone')
      const { code, data } = await commandIn(alone, 'restore', taken)
      expect([code, data.again]).to.deep.equal([0, 0])
      await start(alone)
      await ready()
      expect(await total()).to.equal(13.5)
      await ingest('2026-01-12', '1')
      expect(await total()).to.equal(14.5)
      expect((await command('doctor')).code).to.equal(0)
      await stop()
      expect((await commandIn(alone, 'restore', taken)).data.error.code).to.equal('stores_not_empty')
    })

    deepIt('is restored beside the streams, which bring what was sent since, nothing doubled', async () => {
      const beside = path.join(base, 'restored-beside')
      mkdirSync(beside)
      copy(path.join(folder, 'nats'), path.join(beside, 'nats'))
      const { code, data } = await commandIn(beside, 'restore', taken)
      expect(code).to.equal(0)
      expect(data.again).to.be.greaterThan(0)
      await start(beside)
      await until('the messages to be taken again', async () => (await total()) === 14.5)
      await ready()
      await ingest('2026-01-13', '1')
      expect(await total()).to.equal(15.5)
    })
  })

  deepIt('a NATS from an older copy holds a lane up, and /readyz and doctor say which', async () => {
    await start(mixed('old-nats', 'nats', backup))
    const { streams } = await wrong()
    expect(streams).to.match(
      /^LANE-\d contains messages 1 to \d+, but \d+ is committed \(stream_position\).*tidemark stores accept nats/,
    )
    expect((await command('doctor')).code).to.equal(1)
    expect((await command('stores', 'accept', 'nats')).code).to.equal(0)
    await ready()
    await ingest('2026-01-12', '1')
    expect(await total()).to.equal(14.5)
  })
})
