import { expect } from 'chai'
import { bucketOf } from '#streams/cloud/connector.ts'
import { createDatabase, dropDatabase, type DatabaseOptions } from '#streams/cloud/azure/provision/database.ts'
import type { DatabaseRequest } from '#streams/cloud/provision.ts'
import { amount } from '#test/harness/tier.ts'
import { farMysql } from '#test/streams/cloud/aws/database/far-mysql.ts'
import { farPostgres } from '#test/streams/cloud/aws/database/far-postgres.ts'
import {
  administrator,
  authority,
  host,
  wireTo,
  type FarServer,
  type Wire,
} from '#test/streams/cloud/aws/database/far-server.ts'
import { fails } from '#test/streams/cloud/aws/stub-session.ts'

for (const [engine, start] of [
  ['postgres', farPostgres],
  ['mysql', farMysql],
] as const)
  describe(`databases on flexible servers of ${engine} in Azure`, function () {
    this.timeout(120_000)
    let far: FarServer
    let wire: Wire
    const toHere = async () => [{ address: '127.0.0.1', family: 4 }]
    const options: DatabaseOptions = { allowPrivate: true, resolve: toHere, authorities: authority }
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
      region: 'westeurope',
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

    it('are created with owners that get in, and dropped with them, each once [PROV-08] [PROV-11]', async () => {
      const { secrets } = await createDatabase(options, request())
      expect(await far.contents()).to.deep.equal(both)
      expect(await far.signIn('shop', 'shop_app', secrets['shop_app']!)).to.equal(true)
      await dropDatabase(options, request())
      await dropDatabase(options, request())
    })

    it('are created once and nothing is left, although the process is killed after any message to the server', async () => {
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
      for (let at = 3; isKilled; at += amount(20, 4, 1)) {
        Object.assign(wire, { cutAfter: at, messages: 0 })
        await persist(() => createDatabase(options, request()))
        expect(await far.contents(), `at ${at}`).to.deep.equal(both)
        await persist(() => dropDatabase(options, request()))
        expect(await far.contents(), `at ${at}`).to.deep.equal({})
        isKilled = wire.messages > at
      }
    })

    it('end with a clear error where the server cannot be reached or trusted, and create nothing', async () => {
      const refused = (fields: Partial<DatabaseRequest>, more: Partial<DatabaseOptions> = {}) =>
        fails(createDatabase({ ...options, ...more }, request(fields)))
      expect(await refused({}, { allowPrivate: false })).to.equal('user_action server_unreachable')
      expect(await refused({ password: null })).to.equal('user_action server_credentials_refused')
      expect(await refused({ password: 'another' })).to.equal('user_action server_credentials_refused')
      // The public authorities of Azure have not signed the certificate of the stand-in.
      const { authorities: _, ...asInstalled } = options
      expect(await fails(createDatabase(asInstalled, request()))).to.equal('user_action tls_refused')
      expect(await refused({ engine: 'redis' })).to.equal('system unsupported_provisioning')
    })
  })
