import { expect } from 'chai'
import { systemClock } from '#engine/clock.ts'
import { bucketOf } from '#streams/cloud/connector.ts'
import type { ClusterOptions } from '#streams/cloud/gcp/cluster/cluster.ts'
import { createDatabase, dropDatabase } from '#streams/cloud/gcp/provision/database.ts'
import type { DatabaseRequest } from '#streams/cloud/provision.ts'
import { account, fails, farGoogle, refusing, type FarGoogle } from '#test/streams/cloud/gcp/far-google.ts'
import { cases } from './cases.ts'
import { FarServices } from './far-services.ts'
import { Job, jobId, ownName } from './job.ts'

const server = `/sql/v1beta4/projects/shop-prod/instances/${ownName}`
const both = [`create users/shop_app`, `create databases/shop`]

for (const [engine, title, host] of [
  ['postgres', 'a server of Postgres', {}],
  ['mysql', 'a server of MySQL', { host: '%' }],
] as const)
  describe(`databases on servers of ${engine} in Cloud SQL`, () => {
    let far: FarGoogle
    let services: FarServices
    let job: Job
    let options: ClusterOptions
    beforeEach(async () => {
      services = new FarServices()
      far = await farGoogle(services.answer)
      options = { ...far.options, clock: { now: () => systemClock.now(), sleep: async () => {} } }
      job = new Job(far.options, 'datastore', cases.find((one) => one.title === title)!.config)
      await job.make()
      services.done.length = 0
    })
    afterEach(() => far.close())

    const request = (fields: Partial<DatabaseRequest> = {}): DatabaseRequest => ({
      jobId,
      databaseId: '0f6e7a34-93c5-4d7e-8a51-2f0f1c9d7b11',
      region: 'us-central1',
      name: 'shop',
      owner: 'shop_app',
      engine,
      outputs: job.outputs,
      password: null,
      token: 'token-1',
      ...fields,
    })
    const other = { databaseId: '5b1a5a1e-6f0b-4a0e-b5f2-94d1f3a8c722', token: 'token-2' }
    const create = (fields?: Partial<DatabaseRequest>) => createDatabase(options, account, request(fields))
    const drop = (fields?: Partial<DatabaseRequest>) => dropDatabase(options, account, request(fields))
    const labels = () => Object.keys(services.kept.get(server)!.body['settings'].userLabels)
    const inside = () => [...services.kept.keys()].flatMap((path) => path.split(`${server}/`)[1] ?? [])
    /** As its effect: again after a temporary failure. */
    const persist = async <T>(call: () => Promise<T>): Promise<T> => {
      for (let tries = 0; tries < 100; tries++) {
        try {
          return await call()
        } catch (error) {
          if (bucketOf(error) !== 'transient') throw error
        }
      }
      throw new Error('it never ends')
    }

    it('are created with their owners and dropped with them, each once [PROV-08] [PROV-11]', async () => {
      const { secrets } = await create()
      expect(services.done).to.deep.equal(both)
      expect(services.bodies.get('users/shop_app')).to.deep.equal({ name: 'shop_app', ...host, password: '(secret)' })
      expect(labels()).to.include(`tidemark-database-${request().databaseId}`)
      expect(secrets).to.deep.equal({ shop_app: services.passwords.get('shop_app') })
      // The answer was lost: the next call has another password, which is the valid one.
      const again = await create()
      expect(again.secrets['shop_app']).to.not.equal(secrets['shop_app'])
      expect(again.secrets['shop_app']).to.equal(services.passwords.get('shop_app'))
      expect(services.done).to.deep.equal(both)
      await drop()
      await drop()
      expect(services.done).to.deep.equal([...both, 'delete databases/shop', 'delete users/shop_app'])
      expect(labels()).to.deep.equal(['team', 'cost-center', 'tidemark-job'])
      expect(far.questions.every(({ path }) => !path.includes(secrets['shop_app']!))).to.equal(true)
    })

    it('are created once and nothing is left, although the process is killed after any change', async () => {
      for (let each = 2; each <= 5; each++) {
        Object.assign(services, { loseEach: each, takes: each })
        const { secrets } = await persist(() => create())
        expect(services.done, `each ${each}`).to.deep.equal(both)
        expect(secrets['shop_app']).to.equal(services.passwords.get('shop_app'))
        await persist(() => drop())
        expect([inside(), labels().length], `each ${each}`).to.deep.equal([[], 3])
        services.done.length = 0
      }
    })

    it('of others are neither taken over nor dropped', async () => {
      for (const one of ['users/shop_app', 'databases/shop']) {
        services.kept.set(`${server}/${one}`, { body: { name: one.split('/')[1] }, state: 'ready' })
        expect(await fails(create())).to.equal('user_action already_exists')
        await drop()
        expect([services.done, inside()]).to.deep.equal([[], [one]])
        services.kept.delete(`${server}/${one}`)
      }
      await create()
      expect(await fails(create(other))).to.equal('user_action already_exists')
      await drop(other)
      expect(inside()).to.deep.equal(['users/shop_app', 'databases/shop'])
    })

    it('wait while Google is busy or another changes the server, and say a quota', async () => {
      for (const [status, reason] of [
        [409, 'operationInProgress'],
        [412, 'staleData'],
        [503, 'backendError'],
      ] as const) {
        services.refusals.push({ method: 'PATCH', of: /instances/, answer: refusing(status, reason) })
        expect(await fails(create())).to.match(/^transient /)
      }
      services.failures.set('POST databases', { errors: [{ code: 'QUOTA_EXCEEDED', message: 'Quota of 5.' }] })
      expect(await fails(create())).to.equal('user_action quota_exceeded')
      services.refusals.push({ method: 'PUT', of: /users/, answer: refusing(429, 'rateLimitExceeded') })
      await persist(() => create())
      expect(services.done).to.deep.equal(both)
    })

    it('are refused without their server, with too many labels, and on other engines', async () => {
      expect(await fails(create({ engine: 'redis' }))).to.equal('system unsupported_provisioning')
      const long = await fails(create({ owner: 'a'.repeat(33), name: 'long' }))
      expect(long).to.equal(engine === 'mysql' ? 'user_action name_too_long' : 'nothing')
      await drop({ owner: 'a'.repeat(33), name: 'long' })
      const settings = services.kept.get(server)!.body['settings']
      const many = Array.from({ length: 61 }, (_, at) => [`own-${at}`, 'x'])
      const { userLabels } = settings
      settings.userLabels = { ...userLabels, ...Object.fromEntries(many) }
      expect(await fails(create())).to.equal('user_action quota_exceeded')
      settings.userLabels = { 'tidemark-job': 'another' }
      expect(await fails(create())).to.equal('user_action resource_not_found')
      settings.userLabels = userLabels
      await job.unmake()
      expect(await fails(create())).to.equal('user_action resource_not_found')
      await drop()
    })

    it('say what keeps them from being dropped, and are dropped afterwards', async () => {
      await create()
      const message = 'role "shop_app" cannot be dropped because some objects depend on it'
      services.failures.set('DELETE users', { errors: [{ code: 'INVALID_REQUEST', message }] })
      expect(await fails(drop())).to.equal('user_action resource_in_use')
      expect(inside()).to.deep.equal(['users/shop_app'])
      await drop()
      expect(inside()).to.deep.equal([])
    })
  })
