/** Provisioning as a whole: through the lanes, the calls, the stores and the simulated cloud (S-29). */
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { Registry } from 'prom-client'
import { secretsSealed } from '#actors/catalog/entity.ts'
import { measureProvisioning } from '#config/wiring/metrics.ts'
import { tokens } from '#config/wiring/tokens.ts'
import {
  connectionRemoved,
  connectionSaved,
  databaseBegun,
  databaseRemoved,
  provisioningChanged,
  spaceRemoved,
} from '#streams/catalog.ts'
import { provisioningKinds } from '#streams/cloud/provision.ts'
import { platform, type Platform } from '#test/harness/catalog.ts'
import { mailsTo, resetClock, setClock } from '#test/harness/people.ts'
import { until } from '#test/harness/product.ts'
import { deepIt } from '#test/harness/tier.ts'

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'ok',
    (error: { code: string }) => error.code,
  )

describe('provisioning', () => {
  let p: Platform
  before(async () => void (p = await platform()))
  afterEach(() => p.end())
  after(resetClock)

  deepIt(
    'of a cluster stops at a quota with its bucket, hint and link, and goes on from there once that is mended [S-29] [PROV-07] [PROV-26] [PROV-27] [PROV-30] [PROV-31]',
    async () => {
      await p.fail([{ call: 'provision.node_groups', error: 'quota_exceeded' }])
      const id = await p.begin('kubernetes')
      const failed = await p.become(id, 'failed', 'ready')
      expect(failed.error).to.deep.equal({
        bucket: 'user_action',
        message: 'Simulated fault: quota_exceeded.',
        fixHint: 'Request a higher quota from the cloud, or delete resources you do not need.',
        consoleUrl: 'https://console.example.com/quotas',
        retryable: false,
        stepName: 'node_groups',
      })
      expect(failed.steps.map(({ name, status }) => `${name} ${status}`)).to.deep.equal([
        'validate succeeded',
        'quota_check succeeded',
        'network succeeded',
        'control_plane succeeded',
        'node_groups failed',
        'verify pending',
        'register_space pending',
        'resource_sync pending',
      ])
      await p.command(id, 'retry')
      const ready = await p.become(id, 'ready', 'failed')
      expect(ready.error).to.equal(null)
      expect(ready.steps.map(({ name, attempts }) => [name, attempts])).to.deep.equal([
        ['validate', 1],
        ['quota_check', 1],
        ['network', 1],
        ['control_plane', 1],
        ['node_groups', 2],
        ['verify', 1],
        ['register_space', 1],
        ['resource_sync', 1],
      ])
      const made = p.made()
      expect(made.filter((call) => call === 'provision.network')).to.have.length(1)
      expect(made.filter((call) => call === 'provision.control_plane')).to.have.length(1)
      const uid = ready.steps[3]!.output!['clusterUid']
      const spaces = async () =>
        (
          await p.connections.store.pool.query(
            'select name, kind, region, cluster_uid as uid from space where org_id = $1 and kind = $2',
            [p.orgId, 'cluster'],
          )
        ).rows
      await until('the space of the cluster', async () => (await spaces()).length === 1)
      expect(await spaces()).to.deep.equal([{ name: 'shop', kind: 'cluster', region: 'us-east-1', uid }])
      await until('the cluster in the inventory', async () => {
        const { body } = await p.get('/resources?search=shop&limit=100')
        return body.data.some((one: { resourceUID?: string; uid?: string }) => (one.resourceUID ?? one.uid) === uid)
      })
      await p.command(id, 'delete')
      const deleted = await p.become(id, 'deleted', 'delete_failed')
      expect(deleted.phase).to.equal('deleted')
      expect(p.made().slice(-3)).to.deep.equal([
        'unprovision.node_groups',
        'unprovision.control_plane',
        'unprovision.network',
      ])
      await until('the space goes with it', async () => (await spaces()).length === 0)
      expect(await codeOf(p.command(id, 'delete'))).to.equal('invalid_transition')
    },
  )

  deepIt('goes through throttling without anybody doing anything [S-29] [PROV-32]', async () => {
    await p.fail([{ call: 'provision.create', error: 'throttled', times: 2 }])
    const id = await p.begin('network')
    const ready = await p.become(id, 'ready', 'failed')
    expect([ready.phase, ready.attempts, ready.steps[1]!.attempts]).to.deep.equal(['ready', 1, 1])
  })

  it('is not tried again where the fault is of the service, and that is counted [S-29] [PROV-33]', async () => {
    await p.fail([{ call: 'provision.create', error: 'unsupported_call' }])
    const id = await p.begin('registry')
    const failed = await p.become(id, 'ready', 'failed')
    expect(failed.error).to.include({ bucket: 'system', retryable: false, stepName: 'create' })
    expect(failed.defects.map(({ step, code }) => [step, code])).to.deep.equal([['create', 'unsupported_call']])
    expect(await codeOf(p.command(id, 'retry'))).to.equal('not_retryable')
    const registry = new Registry()
    measureProvisioning(registry, p.connections.store.pool)
    const metrics = await registry.metrics()
    expect(metrics).to.match(/^tidemark_provision_unsupported\{code="unsupported_call"\} [1-9]/m)
    expect(metrics).to.match(/^tidemark_provisioning_jobs\{phase="failed"\} [1-9]/m)
    const changed = { cloudAccountId: p.accountId, jobId: id, name: 'Renamed', userId: 'u-1' }
    await p.ask(provisioningChanged, changed)
    const after = await p.job(id)
    expect([after.name, after.phase, after.steps]).to.deep.equal(['Renamed', 'failed', failed.steps])
  })

  it('of a datastore gives databases and connections, takes each away alone, and tells no secret [S-29] [PROV-08] [PROV-11] [PROV-15] [PROV-28] [PROV-29]', async () => {
    const jobId = await p.begin('datastore')
    const cloudAccountId = p.accountId
    const [databaseId, connectionId, ofServer] = [randomUUID(), randomUUID(), randomUUID()]
    const database = { cloudAccountId, jobId, databaseId }
    const asked = () => p.ask(databaseBegun, { ...database, name: 'shop', owner: 'shop_app', userId: 'u-1' })
    expect(await codeOf(asked())).to.equal('job_not_ready')
    await p.become(jobId, 'ready', 'failed')
    await asked()
    const row = async (table: string, id: string) =>
      (await p.connections.store.pool.query(`select * from ${table} where org_id = $1 and id = $2`, [p.orgId, id]))
        .rows[0]
    await until('the database', async () => (await row('provisioned_database', databaseId)).status === 'available')
    const made = await row('provisioned_database', databaseId)
    expect(made).to.include({ server: `postgres-${jobId.slice(0, 8)}.us-east-1.simulated.example`, port: 5432 })
    expect(made.secret_ref).to.equal(`secret://${jobId}/shop_app`)
    await p.ask(connectionSaved, { cloudAccountId, jobId, connectionId, databaseId, userId: 'u-1' })
    await p.ask(connectionSaved, { cloudAccountId, jobId, connectionId: ofServer, databaseId: null, userId: 'u-1' })
    expect(await row('provisioned_connection', connectionId)).to.include({
      name: 'shop',
      user: 'shop_app',
      secret_ref: `secret://${jobId}/shop_app`,
      port: 5432,
    })
    expect(await row('provisioned_connection', ofServer)).to.include({
      user: 'tidemark_admin',
      secret_ref: `secret://${jobId}/admin`,
    })
    await p.ask(connectionRemoved, { cloudAccountId, jobId, connectionId: ofServer, userId: 'u-1' })
    expect(p.made().filter((call) => call === 'revokeUser')).to.deep.equal([])
    await p.ask(databaseRemoved, { ...database, userId: 'u-1' })
    await until('it is gone', async () => (await row('provisioned_database', databaseId)) === undefined)
    expect(p.made().slice(-4)).to.deep.equal(['createUser', 'createDatabase', 'dropDatabase', 'revokeUser'])
    await until('its connection is gone', async () => (await row('provisioned_connection', connectionId)) === undefined)
    const { secrets, ...shown } = await p.job(jobId)
    expect(secrets).to.match(/^s1\./)
    const { open } = p.product.get(tokens.seal)
    const { admin } = open(secretsSealed, p.orgId, secrets!) as { admin: string }
    expect(admin).to.match(/^sim-[0-9a-f]{32}$/)
    expect(JSON.stringify(shown)).not.to.contain(admin)
  })

  deepIt('of each kind leaves nothing once it is deleted [PROV-06] [PROV-21]', async () => {
    for (const kind of provisioningKinds) {
      const id = await p.begin(kind)
      await p.become(id, 'ready', 'failed')
      expect((await p.job(id)).phase, kind).to.equal('ready')
      await p.command(id, 'delete')
      await p.become(id, 'deleted', 'delete_failed')
      const of = p.product
        .get(tokens.clouds)
        .simulated.madeFor(p.accountId)
        .filter(({ jobId }) => jobId === id)
      expect(of.length, kind).to.be.greaterThan(0)
      expect(
        of.filter(({ goneAt }) => goneAt === undefined),
        kind,
      ).to.deep.equal([])
      const uids = of.flatMap(({ objects }) => objects.map(({ uid }) => uid))
      const listed = 'select from resource where org_id = $1 and uid = any($2) and deleted_at is null'
      await until(
        'the inventory lists nothing of it',
        async () => (await p.connections.store.pool.query(listed, [p.orgId, uids])).rowCount === 0,
      )
    }
  })

  deepIt(
    'of machines has no databases and no connections, and its space stays while it is there [PROV-25] [PROV-29]',
    async () => {
      const jobId = await p.begin('vm_pool')
      await p.become(jobId, 'ready', 'failed')
      const of = { cloudAccountId: p.accountId, jobId, userId: 'u-1' }
      const begun = p.ask(databaseBegun, { ...of, databaseId: randomUUID(), name: 'shop', owner: 'shop' })
      expect(await codeOf(begun)).to.equal('not_a_datastore')
      const saved = p.ask(connectionSaved, { ...of, connectionId: randomUUID(), databaseId: null })
      expect(await codeOf(saved)).to.equal('not_a_datastore')
      expect(await codeOf(p.ask(spaceRemoved, { spaceId: p.spaceId, userId: 'u-1' }))).to.equal('space_in_use')
      expect(await codeOf(p.command(jobId, 'retry'))).to.equal('invalid_transition')
    },
  )

  deepIt('of a datastore takes its databases and connections with it', async () => {
    const jobId = await p.begin('datastore')
    await p.become(jobId, 'ready', 'failed')
    const of = { cloudAccountId: p.accountId, jobId, userId: 'u-1' }
    const count = async () => {
      const sql = `select (select count(*) from provisioned_database where job_id = $1)::int as databases,
        (select count(*) from provisioned_connection where job_id = $1)::int as connections`
      return (await p.connections.store.pool.query(sql, [jobId])).rows[0]
    }
    await p.ask(databaseBegun, { ...of, databaseId: randomUUID(), name: 'shop', owner: 'shop' })
    await p.ask(connectionSaved, { ...of, connectionId: randomUUID(), databaseId: null })
    expect(await count()).to.deep.equal({ databases: 1, connections: 1 })
    await p.command(jobId, 'delete')
    await p.become(jobId, 'deleted', 'delete_failed')
    await until('they are gone', async () => JSON.stringify(await count()) === '{"databases":0,"connections":0}')
  })

  deepIt('that ends is told of by mail a day before, and taken away at its end', async () => {
    await p.signedIn()
    const now = p.connections.clock.now()
    const expiresAt = new Date(now + 25 * 3_600_000).toISOString()
    const id = await p.begin('registry', { expiresAt })
    await p.become(id, 'ready', 'failed')
    await setClock(new Date(now + 2 * 3_600_000), p.orgId)
    const emailSql = 'select u.email from app_user u join member m on m.user_id = u.id where m.org_id = $1'
    const [{ email }] = (await p.connections.store.pool.query(emailSql, [p.orgId])).rows
    const mails = async () => (await mailsTo(email)).filter(({ text }) => text.includes(id))
    await until('the mail', async () => (await mails()).length === 1)
    expect((await mails())[0]).to.include({ subject: 'registry registry will be deleted within a day' })
    await setClock(new Date(now + 26 * 3_600_000), p.orgId)
    await p.become(id, 'deleted', 'delete_failed')
    expect((await p.job(id)).phase).to.equal('deleted')
  })
})
