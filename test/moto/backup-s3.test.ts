// tier: deep
/** Backups in an object store. */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import http, { type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import {
  CreateBucketCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { expect } from 'chai'
import { root } from '#config/process/root.ts'
import { billingLine } from '#streams/billing/messages.ts'
import { commandEnv, inFolder } from '#test/harness/command.ts'
import { describeMoto } from '#test/harness/moto.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { testFolder } from '#test/harness/stores.ts'

const bucket = 'backups'
const keys = { accessKeyId: 'test', secretAccessKey: 'test' }

describeMoto('a backup in an object store', (moto) => {
  const dataDir = testFolder()
  let s3: S3Client
  let org: Tenant
  let env: NodeJS.ProcessEnv
  before(async function () {
    this.timeout(180_000)
    s3 = new S3Client({ region: 'us-east-1', endpoint: moto().url, forcePathStyle: true, credentials: keys })
    await s3.send(new CreateBucketCommand({ Bucket: bucket }))
    org = await tenant()
    await org.publish(billingLine, lines('2026-01-10', 4, 2.25))
    env = {
      BACKUP_ENDPOINT: moto().url,
      BACKUP_ACCESS_KEY_ID: keys.accessKeyId,
      BACKUP_SECRET_ACCESS_KEY: keys.secretAccessKey,
    }
  })
  after(() => s3.destroy())

  const lines = (usageDate: string, count: number, costUSD: number) =>
    Array.from({ length: count }, (_, n) => ({
      ...billingLine.examples[0]!,
      lineId: `l-${usageDate}-${n}`,
      cloudAccountId: 'acct-1',
      costUSD,
      usageDate,
      exportedAt: '2026-02-01T00:00:00Z',
    })) as never
  const run = async (...args: string[]) => JSON.parse((await inFolder(dataDir, env, ...args, '--json')).stdout)
  const refused = (...args: string[]) =>
    inFolder(dataDir, env, ...args, '--json').then(
      () => expect.fail('it was accepted'),
      (error: { stdout: string }) => JSON.parse(error.stdout),
    )
  const names = async (prefix: string) => {
    const found = await s3.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: `${prefix}/` }))
    return (found.Contents ?? []).map(({ Key }) => Key!.slice(prefix.length + 1))
  }
  const manifest = async (prefix: string) => {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: `${prefix}/manifest.json` }))
    return JSON.parse(await Body!.transformToString())
  }

  it('is whole, has the costs of each organization, and nothing is written over it', async function () {
    this.timeout(120_000)
    await run('backup', `s3://${bucket}/hourly/1`)
    const verified = await run('backup', 'verify', `s3://${bucket}/hourly/1`)
    expect(verified.problems).to.deep.equal([])
    expect(verified.billedUsd[org.orgId]).to.equal('9')
    expect(await names('hourly/1'))
      .to.include('manifest.json')
      .and.not.include('in-progress.json')
    expect((await refused('backup', `s3://${bucket}/hourly/1`)).error.code).to.equal('folder_not_empty')
    expect((await refused('backup', `s3://${bucket}`)).error.code).to.equal('s3_address')
  })

  it('copies within the object store what has not changed since an earlier one, and is whole without that', async function () {
    this.timeout(120_000)
    await org.publish(billingLine, lines('2026-03-10', 2, 1.5))
    const taken = await run('backup', `s3://${bucket}/hourly/2`, '--base', `s3://${bucket}/hourly/1`)
    expect(taken.reused).to.be.above(0)
    const [first, second] = [await manifest('hourly/1'), await manifest('hourly/2')]
    const pathsOf = ({ clickhouse }: { clickhouse: { path: string; state: string }[] }) =>
      clickhouse.map((file) => `${file.path} ${file.state}`)
    const shared = pathsOf(second).filter((one) => pathsOf(first).includes(one))
    expect(shared).to.have.length(taken.reused)
    const verified = await run('backup', 'verify', `s3://${bucket}/hourly/2`)
    expect(verified.problems).to.deep.equal([])
    expect(verified.billedUsd[org.orgId]).to.equal('12')
  })

  it('is restored into empty stores, with the costs it was taken with', async function () {
    this.timeout(120_000)
    const { clickhouse, store } = org.connections
    const name = `restored_${randomBytes(4).toString('hex')}`
    await store.rows(`create database ${name}`, [])
    await clickhouse.command({ query: `CREATE DATABASE ${name} ENGINE = Atomic` })
    try {
      const own = await commandEnv(dataDir)
      const postgres = new URL(own['POSTGRES_URL']!)
      postgres.pathname = `/${name}`
      const elsewhere = {
        ...env,
        TIDEMARK_DATA_DIR: testFolder(),
        POSTGRES_URL: postgres.href,
        CLICKHOUSE_URL: own['CLICKHOUSE_URL']!.replace(/[^/]+$/, name),
      }
      const { stdout } = await inFolder(dataDir, elsewhere, 'restore', `s3://${bucket}/hourly/2`, '--json')
      expect(JSON.parse(stdout).billedUsd[org.orgId]).to.equal('12')
      const query = `SELECT toString(sum(billed_cost)) AS billed FROM ${name}.cost_daily WHERE org_id = '${org.orgId}'`
      const result = await clickhouse.query({ query, format: 'JSONEachRow' })
      expect(await result.json()).to.deep.equal([{ billed: '12' }])
    } finally {
      await clickhouse.command({ query: `DROP DATABASE IF EXISTS ${name}` })
      await store.rows(`drop database if exists ${name} with (force)`, [])
    }
  })

  it('is refused by verify when an object is missing or was changed', async function () {
    this.timeout(120_000)
    const [{ path: name }] = (await manifest('hourly/2')).postgres
    await s3.send(new PutObjectCommand({ Bucket: bucket, Key: `hourly/2/${name}`, Body: 'x' }))
    const { problems } = await refused('backup', 'verify', `s3://${bucket}/hourly/2`)
    expect(problems).to.have.length(1)
    expect(problems[0]).to.match(new RegExp(`^${name} has 1 bytes instead of \\d+$`))
  })

  it('that is killed half-way is refused by verify, and cleaned up by the next run, which leaves other things alone', async function () {
    this.timeout(180_000)
    const halfway = await stoppedAfter(moto().url, 10)
    const args = [
      '--disable-warning=ExperimentalWarning',
      path.join(root, 'config/main.ts'),
      'backup',
      `s3://${bucket}/hourly/3`,
    ]
    const own = { ...(await commandEnv(dataDir)), ...env, BACKUP_ENDPOINT: halfway.url }
    const child = spawn(process.execPath, args, { env: own, stdio: 'ignore' })
    await halfway.reached
    child.kill('SIGKILL')
    await once(child, 'exit')
    halfway.server.closeAllConnections()
    halfway.server.close()
    const left = await names('hourly/3')
    expect(left).to.include('in-progress.json').and.not.include('manifest.json')
    expect(left.length).to.be.above(1)
    expect((await refused('backup', 'verify', `s3://${bucket}/hourly/3`)).error.code).to.equal('backup_incomplete')

    // The next run has the same name. One with another name does it for those of yesterday.
    await s3.send(
      new PutObjectCommand({
        Bucket: bucket,
        Key: 'hourly/old/in-progress.json',
        Body: '{"startedAt":"2026-01-01T00:00:00Z"}',
      }),
    )
    await s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'hourly/old/postgres/a', Body: 'x' }))
    await s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'hourly/other/a', Body: 'x' }))
    await run('backup', `s3://${bucket}/hourly/3`)
    expect((await run('backup', 'verify', `s3://${bucket}/hourly/3`)).problems).to.deep.equal([])
    expect(await names('hourly/old')).to.deep.equal([])
    expect(await names('hourly/other')).to.deep.equal(['a'])
    expect((await refused('backup', `s3://${bucket}/hourly/other`)).error.code).to.equal('folder_not_empty')
  })
})

/** The object store, which answers nothing any more after this many objects were stored. */
async function stoppedAfter(
  url: string,
  count: number,
): Promise<{ url: string; reached: Promise<void>; server: Server }> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let stored = 0
  const server = http.createServer((req, res) => {
    if (req.method === 'PUT' && ++stored > count) return resolve()
    const { hostname, port } = new URL(url)
    const { method, headers } = req
    const to = http.request({ hostname, port, path: req.url, method, headers }, (answer) => {
      res.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(res)
    })
    req.pipe(to)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, reached: promise, server }
}
