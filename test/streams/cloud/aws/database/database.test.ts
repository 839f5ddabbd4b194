import { expect } from 'chai'
import { createDatabase, dropDatabase, type DatabaseTools } from '#streams/cloud/aws/provision/database.ts'
import { bucketOf } from '#streams/cloud/connector.ts'
import type { DatabaseRequest } from '#streams/cloud/provision.ts'
import { amount } from '#test/harness/tier.ts'
import { account, fails } from '#test/streams/cloud/aws/stub-session.ts'
import { farMysql } from './far-mysql.ts'
import { farPostgres } from './far-postgres.ts'
import { administrator, authority, host, notAsked, wireTo, type FarServer, type Wire } from './far-server.ts'

const toHere = async () => [{ address: '127.0.0.1', family: 4 }]

for (const [engine, start] of [
  ['postgres', farPostgres],
  ['mysql', farMysql],
] as const)
  describe(`databases on RDS servers of ${engine}`, function () {
    this.timeout(120_000)
    let far: FarServer
    let wire: Wire
    const options: DatabaseTools = {
      caller: notAsked,
      allowPrivate: true,
      resolve: toHere,
      authorities: async () => authority,
    }
    before(async () => {
      far = await start()
    })
    after(() => far.stop())
    beforeEach(async () => {
      wire = await wireTo(far.port)
    })
    afterEach(async () => {
      wire.close()
      expect(await far.contents(), 'left').to.deep.equal({})
    })

    const request = (fields: Partial<DatabaseRequest> = {}): DatabaseRequest => ({
      jobId: 'job-1',
      databaseId: 'db-1',
      region: 'us-east-1',
      name: 'shop',
      owner: 'shop_app',
      engine,
      outputs: { secret: { host, port: wire.port, user: administrator.user } },
      password: administrator.password,
      token: 'token-1',
      ...fields,
    })
    const mark = 'Created by Tidemark, token-1'
    const both = { 'database shop': mark, 'role shop_app': mark }

    it('are created with an owner of their own, to whom alone they are open, and dropped with it [PROV-08] [PROV-11]', async () => {
      const { secrets } = await createDatabase(options, account, request())
      expect(await far.contents()).to.deep.equal(both)
      expect(Object.keys(secrets)).to.deep.equal(['shop_app'])
      const first = secrets['shop_app']!
      expect(first).to.have.length.greaterThan(30)
      expect(await far.signIn('shop', 'shop_app', first)).to.equal(true)
      const other = request({ databaseId: 'db-2', name: 'bills', owner: 'bills_app', token: 'token-2' })
      const { secrets: others } = await createDatabase(options, account, other)
      expect(await far.signIn('shop', 'bills_app', others['bills_app']!)).to.equal(false)
      // The answer was lost: the next call has another password, which is the valid one.
      const again = (await createDatabase(options, account, request())).secrets['shop_app']!
      expect(again).to.not.equal(first)
      expect([await far.signIn('shop', 'shop_app', first), await far.signIn('shop', 'shop_app', again)]).to.deep.equal([
        false,
        true,
      ])
      await dropDatabase(options, account, other)
      expect(await far.contents()).to.deep.equal(both)
      await dropDatabase(options, account, request())
      await dropDatabase(options, account, request())
    })

    it('are created once and nothing is left, although the process is killed after any message to the server', async () => {
      /** As its effect: again after a temporary failure. */
      const persist = async (call: () => Promise<unknown>) => {
        for (let tries = 0; tries < 200; tries++) {
          try {
            return await call()
          } catch (error) {
            if (bucketOf(error) !== 'transient') throw error
          }
        }
        throw new Error('it never ends')
      }
      let isKilled = true
      for (let at = 1; isKilled; at += amount(15, 1, 1)) {
        Object.assign(wire, { cutAfter: at, messages: 0 })
        await persist(() => createDatabase(options, account, request()))
        expect(await far.contents(), `at ${at}`).to.deep.equal(both)
        await persist(() => dropDatabase(options, account, request()))
        expect(await far.contents(), `at ${at}`).to.deep.equal({})
        isKilled = wire.messages > at
      }
    })

    it('of others are neither taken over nor dropped', async () => {
      await far.query('create database shop')
      expect(await fails(createDatabase(options, account, request()))).to.equal('user_action already_exists')
      await dropDatabase(options, account, request())
      expect(await far.contents()).to.deep.equal({ 'database shop': null })
      await far.query('drop database shop')
      await far.query('create role shop_app')
      expect(await fails(createDatabase(options, account, request()))).to.equal('user_action already_exists')
      await dropDatabase(options, account, request())
      expect(await far.contents()).to.deep.equal({ 'role shop_app': null })
      await far.query('drop role shop_app')
      await createDatabase(options, account, request())
      const other = request({ databaseId: 'db-2', token: 'token-2' })
      expect(await fails(createDatabase(options, account, other))).to.equal('user_action already_exists')
      await dropDatabase(options, account, other)
      expect(await far.contents()).to.deep.equal(both)
      await dropDatabase(options, account, request())
    })

    it('end with a clear error where the server cannot be reached or trusted, and create nothing', async () => {
      const refused = (fields: Partial<DatabaseRequest>, more: Partial<DatabaseTools> = {}) =>
        fails(createDatabase({ ...options, ...more }, account, request(fields)))
      expect(await refused({}, { allowPrivate: false })).to.equal('user_action server_unreachable')
      expect(await refused({}, { resolve: async () => [] })).to.equal('transient server_unreachable')
      const closed = { secret: { host, port: 1, user: administrator.user } }
      expect(await refused({ outputs: closed })).to.equal('transient server_unreachable')
      expect(await refused({ password: 'another' })).to.equal('user_action server_credentials_refused')
      expect(await refused({ password: null })).to.equal('user_action server_credentials_refused')
      const elsewhere = { secret: { host: 'other.example.com', port: wire.port, user: administrator.user } }
      expect(await refused({ outputs: elsewhere })).to.equal('user_action tls_refused')
      expect(await refused({}, { authorities: async () => '' })).to.equal('user_action tls_refused')
      expect(await refused({ engine: 'redis' })).to.equal('system unsupported_provisioning')
    })

    it('say what the owner still has elsewhere, and drop the rest', async () => {
      await createDatabase(options, account, request())
      const release = await far.entangle('shop_app')
      expect(await fails(dropDatabase(options, account, request()))).to.equal('user_action resource_in_use')
      expect(await far.contents()).to.deep.equal({ 'role shop_app': mark })
      await release()
      await dropDatabase(options, account, request())
    })
  })
