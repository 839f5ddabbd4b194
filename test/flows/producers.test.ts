import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { promisify } from 'node:util'
import { jetstream } from '@nats-io/jetstream'
import { expect } from 'chai'
import { billingLine } from '#streams/billing/messages.ts'
import { natsAddress } from '#config/state/connect.ts'
import { addressWith, newPassword, userAccountsText } from '#config/embedded/nats-accounts.ts'
import { root } from '#config/process/root.ts'
import { tenant, testProduct, until, type Tenant } from '#test/harness/product.ts'
import { inherited, testFolder, testStores } from '#test/harness/stores.ts'
import { deepIt } from '#test/harness/tier.ts'

describe('what producers publish', () => {
  const account = 'shop/prod.eu'
  let org: Tenant
  beforeEach(async () => void (org = await tenant()))

  const envelope = (uid: string, cloudAccountId: string, fields: object = {}, head: object = {}) => ({
    id: randomUUID(),
    type: 'resource.discovered',
    schemaVersion: 1,
    orgId: org.orgId,
    time: new Date().toISOString(),
    data: {
      resourceUid: uid,
      name: uid,
      type: 'aws-ec2',
      provider: 'aws',
      cloudAccountId,
      region: 'eu-west-1',
      tags: {},
      ...fields,
    },
    ...head,
  })
  /** As any NATS client publishes. */
  const send = async (token: string, message: { id: string; orgId: string }) => {
    const client = jetstream((await testProduct()).connections.nats)
    return client.publish(`ingest.resource.${org.orgId}.${token}`, JSON.stringify(message))
  }
  const one = async (uid: string) => {
    await until(`${uid} in the inventory`, async () => (await found(uid)).length > 0)
    return (await found(uid))[0]
  }
  const found = async (uid: string) => (await org.get(`/resources/by-uids?uids=${encodeURIComponent(uid)}`)).body.data
  const dead = async () => {
    const sql = 'select code, message_id from dead_letter where org_id = $1 order by at, id'
    return (await org.connections.store.pool.query(sql, [org.orgId])).rows
  }
  /** What is published behind it has taken effect: so has everything before it that went the same way. */
  const behind = async (token: string, cloudAccountId: string) => {
    const uid = `behind-${randomUUID()}`
    await send(token, envelope(uid, cloudAccountId))
    await one(uid)
  }
  const base64url = (id: string) => Buffer.from(id).toString('base64url')

  it('takes effect once under the raw account, under its token, and under base64url of the account or the uid [STREAM-06]', async () => {
    const ways = [
      ['raw', 'acct-1', 'acct-1'],
      ['escaped', account, `=${base64url(account)}`],
      ['account in base64url', 'acct-1', base64url('acct-1')],
      ['arn:aws:ec2/i-1', 'acct-1', base64url('arn:aws:ec2/i-1')],
      ['uid of an odd account', account, base64url('uid of an odd account')],
    ] as const
    for (const [uid, cloudAccountId, token] of ways) {
      const message = envelope(uid, cloudAccountId)
      const acks = [await send(token, message), await send(token, message), await send(token, message)]
      expect(acks.map(({ stream, duplicate }) => [/^LANE-\d$/.test(stream), duplicate])).to.deep.equal([
        [true, false],
        [true, false],
        [true, false],
      ])
      await behind(token, cloudAccountId)
      const shown = await one(uid)
      expect(shown, uid).to.include({ uid, cloudAccountID: cloudAccountId })
      expect(shown.updatedAt, uid).to.equal(shown.createdAt)
      const rows = await org.facts(
        'SELECT count() AS n FROM resource_state WHERE org_id = {org:String} AND resource_uid = {uid:String}',
        { uid },
      )
      expect(Number(rows[0].n), uid).to.equal(1)
    }
    expect(await dead()).to.deep.equal([])
    expect((await org.get('/cloud-accounts')).body.data.items.map((a: any) => a.id)).to.deep.equal(['acct-1', account])
  })

  deepIt(
    'changes nothing when it is older than what is known, and does not bring back what was deleted; its past cost stays',
    async () => {
      const day = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10)
      const line = { cloudAccountId: 'acct-1', provider: 'aws', resourceUid: 'i-1', serviceName: 'ec2' } as const
      await org.publish(billingLine, [
        { ...line, lineId: `${day}/1`, usageDate: day, costUSD: 12.5, exportedAt: `${day}T23:00:00Z` },
      ])
      const cost = async () =>
        (await org.get(`/reports/costs/breakdown?dims=provider&from=${day}&to=${day}`)).body.data.totalUSD
      expect(await cost()).to.equal(12.5)
      const at = (ms: number) => ({ time: new Date(Date.now() + ms).toISOString() })
      await send('acct-1', envelope('i-1', 'acct-1', { name: 'new', status: 'running' }, at(-1000)))
      await send('acct-1', envelope('i-1', 'acct-1', { name: 'old', status: 'stopped' }, at(-60_000)))
      await behind('acct-1', 'acct-1')
      expect(await one('i-1')).to.include({ name: 'new', status: 'running' })
      const [before, now] = [at(-500), at(0)]
      const gone = { ...envelope('i-1', 'acct-1'), type: 'resource.deleted', ...now }
      await send('acct-1', {
        ...gone,
        data: { resourceUid: 'i-1', provider: 'aws', cloudAccountId: 'acct-1' },
      } as never)
      await send('acct-1', envelope('i-1', 'acct-1', {}, before))
      await behind('acct-1', 'acct-1')
      expect(await found('i-1')).to.deep.equal([])
      expect(await cost()).to.equal(12.5)
      await send('acct-1', envelope('i-1', 'acct-1', { name: 'again' }, at(1)))
      expect(await one('i-1')).to.include({ name: 'again' })
    },
  )

  it('is set aside with its reason when it names another organization, another kind or nothing we know', async () => {
    const other = await tenant()
    const foreign = envelope('i-foreign', 'acct-1', {}, { orgId: other.orgId })
    const unknown = envelope('i-unknown', 'acct-1', {}, { type: 'resource.exploded' })
    const metric = envelope('i-metric', 'acct-1', {}, { type: 'metric.sample' })
    const nameless = envelope('i-nameless', 'acct-1', { name: undefined })
    const future = envelope('i-future', 'acct-1', {}, { time: new Date(Date.now() + 2 * 86_400_000).toISOString() })
    const list = [foreign, unknown, metric, nameless, future]
    for (const message of list) await send('acct-1', message)
    await behind('acct-1', 'acct-1')
    const codes = ['foreign_organization', 'unknown_type', 'wrong_subject', 'validation_failed', 'time_invalid']
    expect(await dead()).to.have.deep.members(list.map(({ id }, i) => ({ code: codes[i], message_id: id })))
    expect((await org.get('/resources/count')).body.data.count).to.equal(1)
    expect((await other.get('/resources/count')).body.data.count).to.equal(0)
    expect((await other.get('/cloud-accounts')).body.data.total).to.equal(0)
  })
})

describe('the programs of docs/producers.md', () => {
  const run = promisify(execFile)
  const examples = path.join(root, 'docs/examples')
  let org: Tenant
  let NATS: string

  before(async () => {
    org = await tenant()
    const { nats } = await testStores()
    const id = 'producer-0a1b2c3d4e5f'
    const { password, hash } = newPassword()
    await nats.setUsers!(userAccountsText([{ id, kind: 'producer', orgId: org.orgId, hash }]))
    NATS = addressWith(natsAddress(nats.url), id, password)
  })
  after(async () => (await testStores()).nats.setUsers!(''))

  async function arrivesFrom(word: string, file: string, ...args: string[]): Promise<void> {
    const uid = `i-${word}`
    const { stdout } = await run(file, args, { env: { ...inherited, NATS, ORG: org.orgId } })
    expect(stdout).to.match(/^resource\.discovered LANE-\d \d+\nmetric\.sample LANE-\d \d+\n$/)
    const found = async () => (await org.get(`/resources/by-uids?uids=${uid}`)).body.data
    const sql = 'SELECT value FROM metric_sample FINAL WHERE org_id = {org:String} AND resource_uid = {uid:String}'
    await until(
      `${uid} and its sample`,
      async () => (await found()).length + (await org.facts(sql, { uid })).length === 2,
    )
    expect((await found())[0]).to.include({ uid, name: `from-${word}`, cloudAccountID: 'acct-1', status: 'running' })
    expect(await org.facts(sql, { uid })).to.deep.equal([{ value: 12.5 }])
  }
  /** Skips a test with one line where what it needs is not here. */
  const needs = async (
    test: Mocha.Context,
    what: string,
    file: string,
    args: string[],
    options = {},
  ): Promise<void> => {
    await run(file, args, options).catch(() => {
      console.log(`      ${what} is not here: its program was not run`)
      test.skip()
    })
  }

  it('publish from Node', () => arrivesFrom('node', process.execPath, path.join(examples, 'producer.mjs')))

  it('publish from Python', async function () {
    await needs(this, 'python3 with nats-py', 'python3', ['-c', 'import nats'])
    await arrivesFrom('python', 'python3', path.join(examples, 'producer.py'))
  })

  it('publish from Go', async function () {
    this.timeout(180_000)
    const built = path.join(testFolder(), 'producer')
    const env = { ...process.env, GOPROXY: 'off', GOFLAGS: '-mod=readonly' }
    const cwd = path.join(examples, 'producer-go')
    await needs(this, 'go with the module nats.go', 'go', ['build', '-o', built, '.'], { cwd, env })
    await arrivesFrom('go', built)
  })
})
