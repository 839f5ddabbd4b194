import { expect } from 'chai'
import { createDatabase, dropDatabase, type DatabaseTools } from '#streams/cloud/aws/provision/database.ts'
import type { DatabaseRequest } from '#streams/cloud/provision.ts'
import { account, fails } from '#test/streams/cloud/aws/stub-session.ts'
import { farMysql, type FarMysql } from './far-mysql.ts'
import { administrator, authority, host, notAsked } from './far-server.ts'

describe('databases on MySQL servers', () => {
  let far: FarMysql
  const options: DatabaseTools = {
    caller: notAsked,
    allowPrivate: true,
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    authorities: async () => authority,
  }
  const request = (fields: Partial<DatabaseRequest> = {}): DatabaseRequest => ({
    jobId: 'job-1',
    databaseId: 'db-1',
    region: 'us-east-1',
    name: 'shop_a',
    owner: 'shop_app',
    engine: 'mysql',
    outputs: { secret: { host, port: far.port, user: administrator.user } },
    password: administrator.password,
    token: 'token-1',
    ...fields,
  })
  const mark = 'Created by Tidemark, token-1'

  beforeEach(async () => {
    far = await farMysql()
  })
  afterEach(() => far.stop())

  it('open to the owner alone, not also databases whose name fits a pattern', async () => {
    for (const isPartial of [false, true]) {
      far.isPartial = isPartial
      const { secrets } = await createDatabase(options, account, request())
      const password = secrets['shop_app']!
      await far.query('create database shopxa')
      expect(await far.signIn('shop_a', 'shop_app', password)).to.equal(true)
      expect(await far.signIn('shopxa', 'shop_app', password)).to.equal(false)
      await far.query('drop database shopxa')
      await dropDatabase(options, account, request())
    }
  })

  it('never put the password of an owner or administrator into a statement', async () => {
    const { secrets } = await createDatabase(options, account, request())
    const again = await createDatabase(options, account, request())
    const passwords = [secrets['shop_app']!, again.secrets['shop_app']!, administrator.password]
    expect(far.statements.length).to.be.greaterThan(8)
    expect(far.statements.filter((one) => passwords.some((password) => one.includes(password)))).to.deep.equal([])
  })

  it('are neither taken over nor dropped if another has created and filled one before ours was marked', async () => {
    far.refuseNext('create database', 1205)
    expect(await fails(createDatabase(options, account, request()))).to.equal('transient cloud_unavailable')
    expect(await far.contents()).to.deep.equal({ 'role shop_app': mark })
    far.databases.set('shop_a', ['orders'])
    expect(await fails(createDatabase(options, account, request()))).to.equal('user_action already_exists')
    await dropDatabase(options, account, request())
    expect(await far.contents()).to.deep.equal({ 'database shop_a': null })
  })

  it('leave nothing if another has created one of that name at the same moment', async () => {
    far.refuseNext('create database', 1007)
    expect(await fails(createDatabase(options, account, request()))).to.equal('user_action already_exists')
    expect(await far.contents()).to.deep.equal({})
  })

  it('end the sessions of the owner when they are dropped', async () => {
    const { secrets } = await createDatabase(options, account, request())
    const { createConnection } = await import('mysql2/promise')
    const session = await createConnection({
      host: '127.0.0.1',
      port: far.port,
      database: 'shop_a',
      user: 'shop_app',
      password: secrets['shop_app']!,
      ssl: { ca: authority, verifyIdentity: false },
    })
    session.on('error', () => {})
    expect(far.sessionsOf('shop_app')).to.equal(1)
    await dropDatabase(options, account, request())
    expect(far.sessionsOf('shop_app')).to.equal(0)
    expect(await far.contents()).to.deep.equal({})
  })

  it('say what MySQL does not accept before anything is created', async () => {
    const owner = 'an_owner_with_more_than_32_letters'
    expect(await fails(createDatabase(options, account, request({ owner })))).to.equal('user_action name_too_long')
    far.isOld = true
    expect(await fails(createDatabase(options, account, request()))).to.equal('user_action unsupported_provisioning')
    far.isOld = false
    for (const [number, expected] of [
      [1044, 'user_action permission_missing'],
      [1040, 'transient cloud_unavailable'],
      [3669, 'user_action rejected'],
    ] as const) {
      far.refuseNext('create user', number)
      expect(await fails(createDatabase(options, account, request()))).to.equal(expected)
    }
    expect(await far.contents()).to.deep.equal({})
  })
})
