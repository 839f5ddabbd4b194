import { expect } from 'chai'
import { connectionActor, type ConnectionNeeds } from '#actors/catalog/database/connection.ts'
import { databaseActor, type DatabaseNeeds } from '#actors/catalog/database/database.ts'
import type { ProvisioningJob } from '#actors/catalog/entity.ts'
import { freshSteps } from '#actors/catalog/job/step.ts'
import {
  connectionForgotten,
  connectionRemoved,
  connectionSaved,
  databaseBegun,
  databaseForgotten,
  databaseRemoved,
  databaseReported,
  databaseResealed,
} from '#streams/catalog.ts'
import { failures } from '#test/harness/catalog-job.ts'
import { MemoryActor } from '#test/harness/turn.ts'

const jobId = '6b0f6f0e-1e4a-4a36-9a43-0f9f2b9f6a01'
const databaseId = '7b0f6f0e-1e4a-8a36-9a43-0f9f2b9f6a01'
const connectionId = '8b0f6f0e-1e4a-8a36-9a43-0f9f2b9f6a01'
const of = { cloudAccountId: 'acct-1', jobId }

const outputs: Record<string, Record<string, unknown>> = {
  instance: { host: 'db.example', port: 5432 },
  secret: { user: 'tidemark_admin', host: 'db.example', port: 5432, secretRef: `secret://${jobId}/admin` },
}
const job = (fields: Partial<ProvisioningJob> = {}) => ({
  id: jobId,
  kind: 'datastore' as const,
  phase: 'ready' as const,
  steps: freshSteps('datastore').map((step) => {
    const output = outputs[step.name]
    return { ...step, status: 'succeeded' as const, ...(output && { output }) }
  }),
  ...fields,
})

class Database {
  readonly actor = new MemoryActor(databaseActor, { place: 'acct-1', key: databaseId })

  begin(found: ReturnType<typeof job> | undefined = job(), names: string[] = [], owner = 'shop_app') {
    const needs: DatabaseNeeds = {
      jobs: new Map([[databaseId, found]]),
      names: new Map([[databaseId, names]]),
      connections: new Map(),
    }
    const data = { ...of, databaseId, name: 'shop', owner, userId: 'u-1' }
    return this.actor.take(databaseBegun, data, { needs })
  }

  remove(userId = 'u-1') {
    return this.actor.take(databaseRemoved, { ...of, databaseId, userId }, { needs: {} })
  }

  report(said: object, call = this.actor.state.call) {
    const needs = { connections: new Map([[databaseId, ['c-1', 'c-2']]]) }
    return this.actor.take(databaseReported, { ...of, databaseId, call, ...said } as never, { needs })
  }
}

const done = { status: 'done', secretRef: `secret://${jobId}/shop_app`, secret: 's1.a.b' }

describe('a database', () => {
  it('is made by one call on the server of a ready datastore, and told of with its server and the name of its secret [PROV-08] [PROV-10]', () => {
    const database = new Database()
    const begun = database.begin()
    expect(begun.replies).to.deep.equal([{ databaseId }])
    const { call } = database.actor.state
    expect(begun.calls.map(({ name, input }) => [name, input])).to.deep.equal([
      ['provision-database', { ...of, databaseId, call }],
    ])
    expect(database.actor.state).to.include({ status: 'creating', server: 'db.example', port: 5432, secretRef: null })
    database.report(done)
    expect(database.actor.state).to.include({
      status: 'available',
      call: '',
      secretRef: done.secretRef,
      secret: 's1.a.b',
    })
  })

  it('belongs to a datastore that is ready, and has a name of its own [PROV-29]', () => {
    const refused = (...about: Parameters<Database['begin']>) => new Database().begin(...about).refused
    expect({
      none: new Database().actor.take(
        databaseBegun,
        { ...of, databaseId, name: 'shop', owner: 'shop_app', userId: 'u-1' },
        { needs: { jobs: new Map(), names: new Map(), connections: new Map() } },
      ).refused,
      pool: refused(job({ kind: 'vm_pool' }) as never),
      busy: refused(job({ phase: 'verifying' }) as never),
      deleting: refused(job({ phase: 'deleting' }) as never),
      taken: refused(job(), ['shop']),
      another: refused(job(), ['billing']),
    }).to.deep.equal({
      none: 'not_found',
      pool: 'not_a_datastore',
      busy: 'job_not_ready',
      deleting: 'job_not_ready',
      taken: 'already_exists',
      another: undefined,
    })
    const twice = new Database()
    twice.begin()
    expect(twice.begin().refused).to.equal('already_exists')
  })

  it('has an owner who is not the administrator of the server, by name or by the name of the secret [PROV-08]', () => {
    const refused = (owner: string) => new Database().begin(job(), [], owner).refused
    expect([refused('tidemark_admin'), refused('admin'), refused('admin_2')]).to.deep.equal([
      'already_exists',
      'already_exists',
      undefined,
    ])
  })

  it('that could not be made says why, and can be taken away [PROV-30]', () => {
    const database = new Database()
    database.begin()
    database.report({ status: 'failed', failure: failures.quota })
    expect(database.actor.state.status).to.equal('failed')
    expect(database.actor.state.error).to.deep.equal({
      bucket: 'user_action',
      message: 'Too many.',
      fixHint: 'Ask for more.',
      consoleUrl: 'https://console.example.com/quotas',
      retryable: false,
      stepName: 'create_database',
      code: 'quota_exceeded',
    })
    expect(database.remove().refused).to.equal(undefined)
    expect(database.actor.state).to.include({ status: 'deleting', error: null })
  })

  it('is dropped by one call, and its connections go with it [PROV-11]', () => {
    const database = new Database()
    expect(database.remove().refused).to.equal('not_found')
    database.begin()
    expect(database.remove().refused).to.equal('database_busy')
    const first = database.actor.state.call
    database.report(done)
    const removing = database.remove()
    expect([removing.replies, removing.calls.length, database.actor.state.status]).to.deep.equal([
      [{ databaseId }],
      1,
      'deleting',
    ])
    expect(database.remove().refused).to.equal('database_busy')
    expect(database.report(done, first).removed).to.equal(false)
    const gone = database.report({ status: 'done' })
    expect(gone.removed).to.equal(true)
    expect(gone.emitted).to.deep.equal(
      ['c-1', 'c-2'].map((id) => ({ type: 'connection.forgotten', data: { ...of, connectionId: id } })),
    )
  })

  it('that is of another job is missing', () => {
    const database = new Database()
    database.begin()
    database.report(done)
    const data = { ...of, jobId: 'another', databaseId, userId: 'u-1' }
    expect(database.actor.take(databaseRemoved, data, { needs: {} }).refused).to.equal('not_found')
  })

  it('goes with its server without a call, and takes the secret that was sealed anew unless it has another by then', () => {
    const database = new Database()
    database.begin()
    database.report(done)
    const reseal = (was: string) =>
      database.actor.take(
        databaseResealed,
        { cloudAccountId: 'acct-1', databaseId, was, sealed: 's1.new.b' },
        { needs: {} },
      )
    reseal('s1.other.b')
    expect(database.actor.state.secret).to.equal('s1.a.b')
    reseal('s1.a.b')
    expect(database.actor.state.secret).to.equal('s1.new.b')
    const gone = database.actor.take(databaseForgotten, { ...of, databaseId }, { needs: {} })
    expect([gone.removed, gone.calls]).to.deep.equal([true, []])
  })
})

describe('a connection', () => {
  const available = {
    id: databaseId,
    jobId,
    name: 'shop',
    owner: 'shop_app',
    status: 'available' as const,
    secretRef: `secret://${jobId}/shop_app`,
  }
  const save = (fields: object = {}, found: object = {}) => {
    const actor = new MemoryActor(connectionActor, { place: 'acct-1', key: connectionId })
    const needs: ConnectionNeeds = {
      jobs: new Map([[connectionId, job()]]),
      databases: new Map([[connectionId, available]]),
      ...found,
    }
    const data = { ...of, connectionId, databaseId: null, userId: 'u-1', ...fields }
    return { actor, done: actor.take(connectionSaved, data as never, { needs }) }
  }
  const shown = ({ actor }: ReturnType<typeof save>) => {
    const { databaseId: ofDatabase, name, host, port, user, secretRef } = actor.state
    return { databaseId: ofDatabase, name, host, port, user, secretRef }
  }

  it('of a server is by its administrator, of a database by its owner, unless somebody says otherwise [PROV-12] [PROV-16] [PROV-28]', () => {
    expect(shown(save())).to.deep.equal({
      databaseId: null,
      name: 'server',
      host: 'db.example',
      port: 5432,
      user: 'tidemark_admin',
      secretRef: `secret://${jobId}/admin`,
    })
    expect(shown(save({ databaseId }))).to.deep.equal({
      databaseId,
      name: 'shop',
      host: 'db.example',
      port: 5432,
      user: 'shop_app',
      secretRef: `secret://${jobId}/shop_app`,
    })
    const own = { name: 'reports', user: 'reader', secretRef: 'secret://vault/reader' }
    expect(shown(save({ databaseId, ...own }))).to.include(own)
  })

  it('is of a datastore that is ready, and of a database of that job that is there [PROV-29]', () => {
    const jobs = (fields: object) => ({ jobs: new Map([[connectionId, job(fields)]]) })
    const databases = (fields: object) => ({ databases: new Map([[connectionId, { ...available, ...fields }]]) })
    expect({
      none: save({}, { jobs: new Map() }).done.refused,
      pool: save({}, jobs({ kind: 'vm_pool' })).done.refused,
      failed: save({}, jobs({ phase: 'failed' })).done.refused,
      noDatabase: save({ databaseId }, { databases: new Map() }).done.refused,
      ofAnother: save({ databaseId }, databases({ jobId: 'another' })).done.refused,
      creating: save({ databaseId }, databases({ status: 'creating' })).done.refused,
    }).to.deep.equal({
      none: 'not_found',
      pool: 'not_a_datastore',
      failed: 'job_not_ready',
      noDatabase: 'not_found',
      ofAnother: 'not_found',
      creating: 'database_busy',
    })
  })

  it('is taken away as a record, without a call: the user of the database stays [PROV-15] [PROV-19]', () => {
    const { actor } = save({ databaseId })
    const remove = (of: object) => actor.take(connectionRemoved, { ...of, connectionId, userId: 'u-1' } as never)
    expect(remove({ ...of, jobId: 'another' }).refused).to.equal('not_found')
    const removed = remove(of)
    expect([removed.removed, removed.replies, removed.calls, removed.emitted]).to.deep.equal([
      true,
      [{ connectionId }],
      [],
      [],
    ])
    expect(remove(of).refused).to.equal('not_found')
    expect(save().actor.take(connectionForgotten, { ...of, connectionId }).removed).to.equal(true)
  })
})
