/** Databases and connections: what their actors are asked for, and what is refused before they are. */
import { expect } from 'chai'
import { Fault } from '#engine/value/fault.ts'
import {
  answeringCatalog,
  changedRow,
  plantedConnections,
  plantedDatabases,
  plantedProvisionings,
  postgres,
  takenRow,
  type Asked,
} from '#test/harness/catalog-edge.ts'
import { tenant, type Answer, type Tenant } from '#test/harness/product.ts'

const told = ({ status, body }: Answer) => [status, body?.code]
const wrongs = ({ status, body }: Answer) => [status, ...(body.errors ?? []).map((e: any) => `${e.name} ${e.code}`)]
/** What an actor was asked for, but for who asked. */
const commands = (list: Asked[]) =>
  list.map(({ name, data }) => {
    const { userId: _, ...rest } = data
    return [name, rest] as const
  })

let org: Tenant
let jobID: string
let path: string
let asked: Asked[]
let end: () => void
let refusal: Fault | undefined

/** The actors' part, done at once. */
async function answer({ name, data }: Asked): Promise<object> {
  if (refusal) throw refusal
  const { jobId: job_id, databaseId, connectionId } = data
  if (name === 'database.begun') {
    const { name: called, owner } = data
    const row = { id: databaseId, job_id, name: called, owner, status: 'creating', secret_ref: null }
    await plantedDatabases(org, row)
  } else if (name === 'database.removed')
    await changedRow(org, 'provisioned_database', databaseId, { status: 'deleting' })
  else if (name === 'connection.removed') await takenRow(org, 'provisioned_connection', connectionId)
  else {
    const { user = 'admin', secretRef = 'secret://job-1/admin', name: called = 'orders' } = data
    const row = { id: connectionId, job_id, database_id: databaseId, name: called, user, secret_ref: secretRef }
    await plantedConnections(org, row)
  }
  return { databaseId, connectionId }
}

const answered = () => {
  before(async () => {
    ;({ asked, end } = await answeringCatalog(answer))
  })
  after(() => end())
  beforeEach(async () => {
    org = await tenant()
    asked.length = 0
    refusal = undefined
    ;[jobID] = (await plantedProvisionings(org, {})) as [string]
    path = `/provisioning-jobs/${jobID}`
  })
}

describe('a database of a provisioned server', () => {
  answered()
  const make = (fields: object = {}) =>
    org.send('POST', `${path}/databases`, { name: 'shop', owner: 'shop_app', ...fields })

  it('is made with its owner, and shown while it is creating [PROV-08] [G-88]', async () => {
    const made = await make()
    const { id, createdAt: _, ...rest } = made.body.data
    expect([made.status, made.headers.get('location')]).to.deep.equal([201, `${path}/databases/${id}`])
    expect(rest).to.deep.equal({
      jobID,
      name: 'shop',
      owner: 'shop_app',
      status: 'creating',
      server: 'orders.example',
      port: 5432,
      secretRef: null,
    })
    expect((await org.get(`${path}/databases`)).body.data).to.deep.equal([made.body.data])
    expect(commands(asked)).to.deep.equal([
      ['database.begun', { cloudAccountId: 'acct-1', jobId: jobID, databaseId: id, name: 'shop', owner: 'shop_app' }],
    ])
  })

  it('has a name and an owner of small letters, digits and _, from a letter on [G-88]', async () => {
    for (const name of ['', 'Shop', '1shop', 'shop-app', 'shop;drop', `s${'x'.repeat(63)}`]) {
      expect((await make({ name })).status, name).to.equal(400)
      expect((await make({ owner: name })).status, name).to.equal(400)
    }
    expect(wrongs(await org.send('POST', `${path}/databases`, { name: 'shop' }))).to.deep.equal([
      400,
      '/owner required',
    ])
    expect(asked).to.deep.equal([])
    expect((await make({ name: `s${'x'.repeat(62)}` })).status).to.equal(201)
  })

  it('is of a datastore that keeps databases alone, and of one that is ready [PROV-29] [G-88]', async () => {
    const [pool, redis, early] = (await plantedProvisionings(
      org,
      { kind: 'vm_pool', config: {} },
      { config: { ...postgres, engine: 'redis' } },
      { phase: 'provisioning' },
    )) as [string, string, string]
    const at = (id: string) => org.send('POST', `/provisioning-jobs/${id}/databases`, { name: 'shop', owner: 'app' })
    expect(told(await at(pool))).to.deep.equal([409, 'not_a_datastore'])
    expect(told(await at(redis))).to.deep.equal([409, 'not_a_datastore'])
    expect(told(await at('none'))).to.deep.equal([404, 'not_found'])
    expect(asked).to.deep.equal([])
    for (const code of ['job_not_ready', 'already_exists']) {
      refusal = Fault.conflict(code, 'It cannot be.')
      expect(told(await at(early))).to.deep.equal([409, code])
    }
  })

  it('is dropped by its actor, of its own job alone [PROV-11]', async () => {
    const { id } = (await make()).body.data
    const [elsewhere] = (await plantedProvisionings(org, {})) as [string]
    expect(told(await org.send('DELETE', `/provisioning-jobs/${elsewhere}/databases/${id}`))).to.deep.equal([
      404,
      'not_found',
    ])
    refusal = Fault.conflict('database_busy', 'It is being made.')
    expect(told(await org.send('DELETE', `${path}/databases/${id}`))).to.deep.equal([409, 'database_busy'])
    refusal = undefined
    asked.length = 0
    expect((await org.send('DELETE', `${path}/databases/${id}`)).status).to.equal(204)
    expect(commands(asked)).to.deep.equal([
      ['database.removed', { cloudAccountId: 'acct-1', jobId: jobID, databaseId: id }],
    ])
    expect((await org.get(`${path}/databases/${id}`)).body.data.status).to.equal('deleting')
  })
})

describe('a connection', () => {
  answered()

  it('of a server is made with what is said, or with nothing at all [PROV-12] [PROV-28] [G-88]', async () => {
    const made = await org.send('POST', `${path}/connections`)
    const { id, createdAt: _, ...rest } = made.body.data
    expect([made.status, made.headers.get('location')]).to.deep.equal([201, `${path}/connections/${id}`])
    expect(rest).to.deep.equal({
      jobID,
      scope: 'job',
      name: 'orders',
      host: 'orders.example',
      port: 5432,
      user: 'admin',
      secretRef: 'secret://job-1/admin',
    })
    const given = { name: ' Reports ', user: 'reader', secretRef: 'secret://vault/reader' }
    const { data } = (await org.send('POST', `${path}/connections`, given)).body
    expect([data.name, data.user, data.secretRef]).to.deep.equal(['Reports', 'reader', 'secret://vault/reader'])
    const at = { cloudAccountId: 'acct-1', jobId: jobID, databaseId: null }
    expect(commands(asked)).to.deep.equal([
      ['connection.saved', { ...at, connectionId: id }],
      ['connection.saved', { ...at, connectionId: data.id, ...given, name: 'Reports' }],
    ])
  })

  it('of a database is made in its scope, and forgotten there alone [PROV-15] [PROV-16] [PROV-19]', async () => {
    const [shop, more] = (await plantedDatabases(org, { job_id: jobID }, { job_id: jobID, name: 'more' })) as [
      string,
      string,
    ]
    const own = `${path}/databases/${shop}/connections`
    const made = await org.send('POST', own, { name: 'Shop' })
    const { id, scope, databaseID } = made.body.data
    expect([made.status, made.headers.get('location'), scope, databaseID]).to.deep.equal([
      201,
      `${own}/${id}`,
      'database',
      shop,
    ])
    for (const elsewhere of [`${path}/connections/${id}`, `${path}/databases/${more}/connections/${id}`])
      expect(told(await org.send('DELETE', elsewhere)), elsewhere).to.deep.equal([404, 'not_found'])
    expect((await org.send('DELETE', `${own}/${id}`)).status).to.equal(204)
    expect((await org.get(own)).body.data).to.deep.equal([])
    const whole = (await org.send('POST', `${path}/connections`)).body.data.id
    expect((await org.send('DELETE', `${path}/connections/${whole}`)).status).to.equal(204)
    const at = { cloudAccountId: 'acct-1', jobId: jobID }
    expect(commands(asked).filter(([name]) => name === 'connection.removed')).to.deep.equal([
      ['connection.removed', { ...at, connectionId: id }],
      ['connection.removed', { ...at, connectionId: whole }],
    ])
    expect((await org.get(`${path}/databases/${shop}`)).body.data.status).to.equal('available')
  })

  it('takes the name of a secret, and never a secret [G-88]', async () => {
    const make = (fields: object) => org.send('POST', `${path}/connections`, fields)
    expect(wrongs(await make({ secretRef: 'hunter2' }))).to.deep.equal([400, '/secretRef pattern'])
    expect(wrongs(await make({ secretRef: 'secret://' }))).to.deep.equal([400, '/secretRef pattern'])
    expect(wrongs(await make({ password: 'hunter2' }))).to.deep.equal([400, '/password additionalProperties'])
    expect(wrongs(await make({ user: '' }))).to.deep.equal([400, '/user minLength'])
    expect(told(await org.send('POST', `${path}/databases/none/connections`))).to.deep.equal([404, 'not_found'])
    expect(asked).to.deep.equal([])
    refusal = Fault.conflict('job_not_ready', 'The server is not there yet.')
    expect(told(await make({}))).to.deep.equal([409, 'job_not_ready'])
  })

  it('and a database leave word of who asked for them', async () => {
    const who = await org.signedIn()
    const { id: databaseID } = (await who.send('POST', `${path}/databases`, { name: 'shop', owner: 'app' })).body.data
    const { id: connectionID } = (await who.send('POST', `${path}/connections`)).body.data
    await who.send('DELETE', `${path}/connections/${connectionID}`)
    await who.send('DELETE', `${path}/databases/${databaseID}`)
    const { items } = (await who.get('/security-events?limit=100')).body.data
    const own = items.filter(({ type }: any) => type.startsWith('provisioning_')).toReversed()
    expect(own.map(({ type, detail }: any) => [type, detail])).to.deep.equal([
      ['provisioning_database_created', { jobID, databaseID }],
      ['provisioning_connection_created', { jobID, connectionID }],
      ['provisioning_connection_deleted', { jobID, connectionID }],
      ['provisioning_database_deleted', { jobID, databaseID }],
    ])
  })
})
