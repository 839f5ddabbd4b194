import { randomBytes } from 'node:crypto'
import { cpSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import pg from 'pg'
import type { Manifest } from '#config/state/backup/manifest.ts'
import { version } from '#config/process/version.ts'
import { billingLine } from '#streams/billing/messages.ts'
import { inProcess } from '#test/harness/command-line.ts'
import { commandedIn } from '#test/harness/command.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { testFolder, testLanes, testStores } from '#test/harness/stores.ts'

const line = (n: number, usageDate: string, costUSD: number) => ({
  ...billingLine.examples[0]!,
  lineId: `l-${usageDate}-${n}`,
  cloudAccountId: 'acct-1',
  costUSD,
  usageDate,
  exportedAt: '2026-02-01T00:00:00Z',
})
const linesOf = (count: number, usageDate: string, costUSD: number) =>
  Array.from({ length: count }, (_, n) => line(n, usageDate, costUSD)) as never

describe('a backup of a product that runs', () => {
  const base = testFolder()
  const backup = path.join(base, 'backup')
  const dataDir = path.join(base, 'data')
  const name = `restored_${randomBytes(4).toString('hex')}`
  let quiet: Tenant
  let busy: Tenant
  const manifestOf = (folder: string) =>
    JSON.parse(readFileSync(path.join(folder, 'manifest.json'), 'utf8')) as Manifest
  /** A command that is refused, by its code. */
  const refused = async (...args: string[]): Promise<string> => {
    const failure = await commandedIn(dataDir, ...args, '--json').then(
      () => expect.fail('it was accepted'),
      (error: { stdout: string }) => JSON.parse(error.stdout) as { error: { code: string } },
    )
    return failure.error.code
  }
  /** The problems that `backup verify` finds in a copy of the backup that `damage` has changed. */
  async function problemsAfter(damage: (folder: string, manifest: Manifest) => void): Promise<string[]> {
    const folder = path.join(testFolder(), 'damaged')
    cpSync(backup, folder, { recursive: true })
    damage(folder, manifestOf(folder))
    const failure = await commandedIn(dataDir, 'backup', 'verify', folder, '--json').catch((error: unknown) => error)
    return (JSON.parse((failure as { stdout: string }).stdout) as { problems: string[] }).problems
  }

  before(async function () {
    this.timeout(120_000)
    ;[quiet, busy] = [await tenant(), await tenant()]
    await quiet.publish(billingLine, linesOf(4, '2026-01-10', 2.25))
    await busy.publish(billingLine, linesOf(3, '2026-01-10', 1.5))
    const publishing = busy.publish(billingLine, linesOf(200, '2026-01-11', 1))
    await commandedIn(dataDir, 'backup', backup)
    await publishing
  })

  it('is whole, and has the costs of each organization', async () => {
    const { stdout } = await commandedIn(dataDir, 'backup', 'verify', backup, '--json')
    const { problems, billedUsd } = JSON.parse(stdout)
    expect(problems).to.deep.equal([])
    expect(billedUsd[quiet.orgId]).to.equal('9')
    expect(manifestOf(backup)).to.include({ format: 1, version })
    const { sendAgainFrom, startedAt } = manifestOf(backup)
    expect(Date.parse(sendAgainFrom)).to.be.at.most(Date.parse(startedAt))
    expect(manifestOf(backup).cursors).to.have.length(testLanes)
    expect(statSync(backup).mode & 0o777).to.equal(0o700)
  })

  it('is told by verify where a file is cut, changed or missing, or the backup was interrupted', async () => {
    const cut = await problemsAfter((folder, { clickhouse }) =>
      truncateSync(path.join(folder, clickhouse.at(-1)!.path), clickhouse.at(-1)!.bytes - 1),
    )
    expect(cut).to.have.length(1)
    expect(cut[0]).to.match(/^clickhouse\/.* has \d+ bytes instead of \d+$/)
    const changed = await problemsAfter((folder, { postgres }) => {
      const file = path.join(folder, postgres[0]!.path)
      const bytes = readFileSync(file)
      bytes[bytes.length - 1]! ^= 1
      writeFileSync(file, bytes)
    })
    expect(changed).to.deep.equal([`${manifestOf(backup).postgres[0]!.path} was changed: its SHA-256 differs`])
    const missing = await problemsAfter((folder) => rmSync(path.join(folder, 'postgres/organization.jsonl.zst')))
    expect(missing).to.deep.equal(['postgres/organization.jsonl.zst is missing'])
    const interrupted = path.join(testFolder(), 'interrupted')
    cpSync(backup, interrupted, { recursive: true })
    rmSync(path.join(interrupted, 'manifest.json'))
    expect(await refused('backup', 'verify', interrupted)).to.equal('backup_incomplete')
  })

  it('is told by verify where the costs or rows of its files are not those that were recorded', async () => {
    const differing = await problemsAfter((folder, manifest) => {
      manifest.billedUsd[quiet.orgId] = '10'
      manifest.postgres.find(({ table }) => table === 'installation')!.rows = 2
      writeFileSync(path.join(folder, 'manifest.json'), JSON.stringify(manifest))
    })
    expect(differing).to.deep.equal([
      'installation has 1 rows instead of 2',
      `the costs of organization ${quiet.orgId} are $9 instead of $10`,
    ])
  })

  it('links the files of an earlier one where nothing has changed, and has the key only where that is asked for', async () => {
    const next = path.join(base, 'next')
    const key = path.join(dataDir, 'credentials.key')
    mkdirSync(dataDir)
    writeFileSync(key, `${Buffer.alloc(32, 7).toString('base64')}\n`)
    const { stdout } = await commandedIn(dataDir, 'backup', next, '--base', backup, '--with-key', '--json')
    expect(JSON.parse(stdout)).to.deep.include({ hasKey: true })
    expect(manifestOf(backup)).not.to.have.property('key')
    expect(readFileSync(path.join(next, 'credentials.key'))).to.deep.equal(readFileSync(key))
    const linked = manifestOf(next).clickhouse.filter(({ path: file, state }) =>
      manifestOf(backup).clickhouse.some((one) => one.path === file && one.state === state),
    )
    expect(linked).not.to.have.length(0)
    const inodes = (folder: string) => linked.map(({ path: file }) => statSync(path.join(folder, file)).ino)
    expect(inodes(next)).to.deep.equal(inodes(backup))
  })

  it('is written to an empty folder only, and restored into empty stores only', async () => {
    expect(await refused('backup', backup)).to.equal('folder_not_empty')
    expect(await refused('restore', backup)).to.equal('stores_not_empty')
  })

  it('is not restored where it is damaged, of a newer version, or has other lanes', async () => {
    const changed = async (change: (folder: string, manifest: Manifest) => void) => {
      const folder = path.join(testFolder(), 'changed')
      cpSync(backup, folder, { recursive: true })
      const manifest = manifestOf(folder)
      change(folder, manifest)
      writeFileSync(path.join(folder, 'manifest.json'), JSON.stringify(manifest))
      return refused('restore', folder)
    }
    expect(await changed((folder, { postgres }) => rmSync(path.join(folder, postgres[0]!.path)))).to.equal(
      'backup_damaged',
    )
    expect(await changed((_, { migrations }) => migrations.push('999_later'))).to.equal('backup_newer')
    expect(await changed((_, { cursors }) => cursors.pop())).to.equal('other_lanes')
  })

  it('is the product as it was when it is restored into empty stores', async function () {
    this.timeout(120_000)
    const { postgres, nats, clickhouse } = await testStores()
    await quiet.connections.store.rows(`create database ${name}`, [])
    await quiet.connections.clickhouse.command({ query: `CREATE DATABASE ${name} ENGINE = Atomic` })
    const url = new URL(postgres.url)
    url.pathname = `/${name}`
    const restored = path.join(base, 'restored')
    const { code, stdout, stderr } = await inProcess(
      {
        ...process.env,
        TIDEMARK_DATA_DIR: restored,
        TIDEMARK_LANES: String(testLanes),
        POSTGRES_URL: url.href,
        NATS_URL: nats.url,
        CLICKHOUSE_URL: `${clickhouse.url}/${name}`,
        CREDENTIALS_KEY: undefined,
      },
      'restore',
      backup,
      '--json',
    )
    expect(code, stderr).to.equal(0)
    const told = JSON.parse(stdout)
    expect(told.hasKey).to.equal(false)
    // The lines that were sent during the backup and are not in it are still in the streams.
    const facts = async <T>(sql: string): Promise<T[]> =>
      (await quiet.connections.clickhouse.query({ query: sql, format: 'JSONEachRow' })).json<T>()
    const days = await facts<{ org: string; day: string; billed: string }>(
      `SELECT org_id AS org, toString(day) AS day, toString(sum(billed_cost)) AS billed FROM ${name}.cost_daily
       WHERE org_id IN ('${quiet.orgId}', '${busy.orgId}') GROUP BY org_id, day`,
    )
    const billedOf = ({ orgId }: Tenant, day: string) =>
      days.find((one) => one.org === orgId && one.day === day)?.billed
    expect(billedOf(quiet, '2026-01-10')).to.equal('9')
    expect(billedOf(busy, '2026-01-10')).to.equal('4.5')
    expect(Number(billedOf(busy, '2026-01-11') ?? 0)).to.be.within(0, 200)
    const client = new pg.Client({ connectionString: url.href })
    await client.connect()
    try {
      const { rows: organizations } = await client.query('select id::text from organization where id = any ($1)', [
        [quiet.orgId, busy.orgId],
      ])
      expect(organizations).to.have.length(2)
      const { rows: cursors } = await client.query('select lane, cursor::float8 as cursor from lane order by lane')
      expect(cursors).to.deep.equal(manifestOf(backup).cursors)
      const { rows: drawn } = await client.query(`select nextval('generation')::text as n`)
      const [newest] = await facts<{ n: string }>(`SELECT toString(max(generation)) AS n FROM ${name}.cost_day`)
      expect(BigInt(drawn[0].n) > BigInt(newest!.n)).to.equal(true)
    } finally {
      await client.end()
    }
  })
  after(async () => {
    await quiet.connections.clickhouse.command({ query: `DROP DATABASE IF EXISTS ${name}` })
    await quiet.connections.store.rows(`drop database if exists ${name} with (force)`, [])
  })
})
