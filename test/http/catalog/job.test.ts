/** Provisioning jobs: what their actor is asked for, and what is refused before there is one. */
import { expect } from 'chai'
import { Fault } from '#engine/value/fault.ts'
import { provisioningKinds, type ProvisioningKind } from '#streams/cloud/provision.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { configExample } from '#http/catalog/example.ts'
import {
  answeringCatalog,
  changedRow,
  offering,
  plantedProvisionings,
  plantedSpaces,
  postgres,
  type Asked,
} from '#test/harness/catalog-edge.ts'
import { tenant, type Answer, type Tenant } from '#test/harness/product.ts'

const told = ({ status, body }: Answer) => [status, body?.code]
const wrongs = ({ status, body }: Answer) => [status, ...(body.errors ?? []).map((e: any) => `${e.name} ${e.code}`)]

const secret = 'arn:aws:secretsmanager:us-east-1:123456789012:secret:rds!db-1-AbCdEf'

describe('a provisioning job', () => {
  let org: Tenant
  let spaceID: string
  let clusterID: string
  let asked: Asked[]
  let end: () => void
  let withdraw: () => void
  let refusal: Fault | undefined
  before(async () => {
    withdraw = await offering({ provisions: provisioningKinds })
    ;({ asked, end } = await answeringCatalog(async ({ name, data }) => {
      if (refusal) throw refusal
      if (name === 'provisioning.begun')
        await plantedProvisionings(org, {
          id: data.jobId,
          cloud_account_id: data.cloudAccountId,
          space_id: data.spaceId,
          kind: data.kind,
          name: data.name,
          config: data.config,
          tags: data.tags,
          expires_at: data.expiresAt,
          phase: 'queued',
          steps: [],
          completed_at: null,
        })
      else if (name === 'provisioning.changed') {
        const { name: called, tags, expiresAt } = data
        const said = { ...(called && { name: called }), ...(tags && { tags }) }
        await changedRow(org, 'provisioning_job', data.jobId, {
          ...said,
          ...(expiresAt !== undefined && { expires_at: expiresAt }),
        })
      } else {
        const phase = data.verb === 'retry' ? 'queued' : 'deleting'
        await changedRow(org, 'provisioning_job', data.jobId, { phase })
      }
      return { jobId: data.jobId }
    }))
    org = await tenant()
    const account = { cloudAccountId: 'acct-1', provider: 'aws' as const, region: 'us-east-1' }
    const server = (name: string, specs: object, fields: object = {}) => ({
      ...account,
      resourceUid: `arn:aws:rds:us-east-1:123456789012:db:${name}`,
      name,
      type: 'aws-rds',
      specs: { engine: 'postgres', master_secret_arn: secret, ...specs },
      ...fields,
    })
    await org.publish(resourceDiscovered, [
      { ...account, resourceUid: 'i-1', name: 'web', type: 'aws-ec2' },
      server('orders', {}),
      server('plain', { master_secret_arn: null }),
      server('replica', { is_replica: true }),
      server('oracle', { engine: 'oracle-ee' }),
      server('away', {}, { region: 'eu-west-1' }),
    ])
  })
  after(() => {
    end()
    withdraw()
  })
  beforeEach(async () => {
    asked.length = 0
    refusal = undefined
    for (const table of ['provisioning_job', 'space'])
      await org.connections.store.pool.query(`delete from ${table} where org_id = $1`, [org.orgId])
    ;[spaceID, clusterID] = (await plantedSpaces(
      org,
      {},
      { name: 'Shop', kind: 'cluster', cluster_uid: 'eks-shop' },
    )) as [string, string]
  })
  const make = (kind: ProvisioningKind, config: object = configExample(kind), fields: object = {}) =>
    org.send('POST', '/provisioning-jobs', {
      spaceID: kind === 'component' ? clusterID : spaceID,
      kind,
      config,
      ...fields,
    })
  const install = (fields: object) =>
    org.send('POST', '/provisioning-jobs/install-component', { spaceID: clusterID, ...fields })

  it('is asked for where its space is, and answered before it has begun [PROV-01] [G-86]', async () => {
    const expiresAt = '2040-01-01T01:00:00+01:00'
    const given = { name: ' Orders ', tags: { team: 'shop' }, expiresAt }
    const made = await make('datastore', postgres, given)
    const { id, createdAt: _c, updatedAt: _u, ...rest } = made.body.data
    expect([made.status, made.headers.get('location')]).to.deep.equal([202, `/provisioning-jobs/${id}`])
    expect(rest).to.deep.equal({
      orgID: org.orgId,
      spaceID,
      kind: 'datastore',
      name: 'Orders',
      config: postgres,
      tags: { team: 'shop' },
      phase: 'queued',
      steps: [],
      attempts: 1,
      createdBy: 'u-1',
      createdByName: null,
      expiresAt: '2040-01-01T00:00:00.000Z',
    })
    const [{ name, data }] = asked as [Asked]
    const { userId, ...command } = data
    expect([name, command]).to.deep.equal([
      'provisioning.begun',
      {
        cloudAccountId: 'acct-1',
        jobId: id,
        spaceId: spaceID,
        provider: 'aws',
        region: 'us-east-1',
        clusterUid: null,
        kind: 'datastore',
        name: 'Orders',
        config: postgres,
        tags: { team: 'shop' },
        expiresAt: '2040-01-01T00:00:00.000Z',
      },
    ])
    expect(userId).to.match(/\S/)
  })

  it('names a server of the inventory on which somebody can create databases', async () => {
    const named = (name: string, more: object = {}) =>
      make('existing_datastore', { serverUID: `arn:aws:rds:us-east-1:123456789012:db:${name}`, ...more })
    expect({
      managed: told(await named('orders')),
      given: told(await named('plain', { secretARN: secret })),
      none: told(await named('plain')),
      replica: told(await named('replica')),
      oracle: told(await named('oracle')),
      machine: told(await make('existing_datastore', { serverUID: 'i-1' })),
      unknown: told(await named('nothing')),
    }).to.deep.equal({
      managed: [202, undefined],
      given: [202, undefined],
      none: [422, 'credentials_missing'],
      replica: [422, 'not_a_server'],
      oracle: [422, 'not_a_server'],
      machine: [422, 'not_a_server'],
      unknown: [404, 'not_found'],
    })
    expect(wrongs(await named('away'))).to.deep.equal([400, '/config/serverUID region'])
    expect(wrongs(await named('orders', { secretARN: 'hunter2' }))).to.deep.equal([400, '/config/secretARN pattern'])
  })

  it('is of each of eight kinds, named by its config, else by what it is [PROV-21] [PROV-24] [G-86]', async () => {
    const names: Record<string, string> = {}
    for (const kind of provisioningKinds) {
      const answer = await make(kind)
      expect(answer.status, `${kind} ${JSON.stringify(answer.body)}`).to.equal(202)
      names[kind] = answer.body.data.name.replace(answer.body.data.id.slice(0, 8), '<id>')
    }
    expect(names).to.deep.equal({
      kubernetes: 'shop',
      datastore: 'postgres-<id>',
      vm_pool: 'workers',
      network: 'shop',
      registry: 'images',
      load_balancer: 'shop',
      component: 'ingress-nginx',
      existing_datastore: 'orders',
    })
    for (const [engine, status] of Object.entries({ postgres: 202, mysql: 202, redis: 202, oracle: 400 }))
      expect((await make('datastore', { ...postgres, engine })).status, engine).to.equal(status)
    expect(wrongs(await make('vm' as ProvisioningKind, {}))).to.deep.equal([400, '/kind enum'])
  })

  it('is not there where its config is wrong: each error by its place, and nothing is asked for [PROV-22] [PROV-23] [PROV-25]', async () => {
    expect(wrongs(await make('kubernetes', {}))).to.deep.equal([
      400,
      ...['name', 'version', 'nodeGroups', 'vpcID', 'subnetIDs'].map((name) => `/config/${name} required`),
    ])
    const { multiAZ: _, ...less } = postgres
    expect(wrongs(await make('datastore', less))).to.deep.equal([400, '/config/multiAZ required'])
    expect(wrongs(await make('datastore', { ...postgres, size: 1 }))).to.deep.equal([
      400,
      '/config/size additionalProperties',
    ])
    const pool = configExample('vm_pool')
    expect(wrongs(await make('vm_pool', { ...pool, listenerPorts: [80, 70_000] }))).to.deep.equal([
      400,
      '/config/listenerPorts/1 maximum',
    ])
    expect(wrongs(await make('vm_pool', { ...pool, min: 9 }))).to.deep.equal([400, '/config/max minimum'])
    expect(wrongs(await make('component', { componentID: 'flux', values: { prune: 1 } }))).to.deep.equal([
      400,
      '/config/values/prune type',
    ])
    expect(told(await make('component', { componentID: 'none', values: {} }))).to.deep.equal([404, 'not_found'])
    expect(wrongs(await make('registry', 'x' as never))).to.deep.equal([400, '/config type'])
    expect(wrongs(await make('registry', undefined, { tags: { 'tidemark:job': 'x', a: 'b', '': 'c' } }))).to.deep.equal(
      [400, '/tags/tidemark:job name', '/tags/ name'],
    )
    expect(wrongs(await make('registry', undefined, { expiresAt: '2020-01-01T00:00:00Z' }))).to.deep.equal([
      400,
      '/expiresAt range',
    ])
    expect(asked).to.deep.equal([])
  })

  it('is refused where its space cannot take it [G-25] [G-87] [G-89]', async () => {
    const to = (space: string) => make('registry', undefined, { spaceID: space })
    const theirs = (await plantedSpaces(await tenant(), {}))[0]!
    expect(told(await to(theirs))).to.deep.equal([404, 'not_found'])
    const [disabled, orphan] = (await plantedSpaces(
      org,
      { status: 'disabled', region: 'eu-west-1' },
      { cloud_account_id: 'gone' },
    )) as [string, string]
    expect(told(await to(disabled))).to.deep.equal([409, 'space_disabled'])
    expect(told(await to(orphan))).to.deep.equal([404, 'not_found'])
    const component = configExample('component')
    expect(told(await make('component', component, { spaceID }))).to.deep.equal([422, 'not_a_cluster'])
    const undo = await offering({ provisions: ['registry'] })
    expect(told(await make('network'))).to.deep.equal([422, 'unsupported_provisioning'])
    expect((await to(spaceID)).status).to.equal(202)
    undo()
    await org.send('PATCH', '/cloud-accounts/acct-1', { enabled: false })
    expect(told(await to(spaceID))).to.deep.equal([422, 'capability_missing'])
    expect(asked.length).to.equal(1)
    await org.send('PATCH', '/cloud-accounts/acct-1', { enabled: true })
    refusal = Fault.refused('too_many_jobs', 'An organization has 100 live jobs at most.')
    expect(told(await to(spaceID))).to.deep.equal([422, 'too_many_jobs'])
  })

  it('installs a component into a cluster, its values read by the schema of the component [PROV-20] [CAT-02] [G-89]', async () => {
    const made = await install({ componentID: 'ingress-nginx', values: { replicas: 3 } })
    const { kind, config, name } = made.body.data
    expect([made.status, kind, name, config]).to.deep.equal([
      202,
      'component',
      'ingress-nginx',
      { componentID: 'ingress-nginx', values: { replicas: 3 } },
    ])
    expect(asked[0]!.data).to.deep.include({ spaceId: clusterID, clusterUid: 'eks-shop', kind: 'component' })
    expect((await install({ componentID: 'flux' })).body.data.config).to.deep.equal({ componentID: 'flux', values: {} })
    expect(told(await install({ componentID: 'none', values: {} }))).to.deep.equal([404, 'not_found'])
    expect(wrongs(await install({ componentID: 'ingress-nginx', values: { replicas: 99 } }))).to.deep.equal([
      400,
      '/values/replicas maximum',
    ])
    expect(wrongs(await install({ componentID: 'ingress-nginx', values: { replica: 1 } }))).to.deep.equal([
      400,
      '/values/replica additionalProperties',
    ])
    expect(told(await install({ componentID: 'flux', spaceID }))).to.deep.equal([422, 'not_a_cluster'])
    const [google] = (await plantedSpaces(org, {
      kind: 'cluster',
      cluster_uid: 'gke',
      provider: 'gcp',
      region: 'us-central1',
    })) as [string]
    expect(told(await install({ componentID: 'cluster-autoscaler', spaceID: google }))).to.deep.equal([
      422,
      'unsupported_provisioning',
    ])
    expect(asked.length).to.equal(2)
  })

  it('changes its name, tags and end by PATCH and PUT alike, and nothing else [PROV-04] [PROV-05]', async () => {
    for (const method of ['PATCH', 'PUT']) {
      const [id] = (await plantedProvisionings(org, { space_id: spaceID })) as [string]
      const path = `/provisioning-jobs/${id}`
      const before = (await org.get(path)).body.data
      const change = (fields: object) => org.send(method, path, fields)
      const named = await change({ name: 'Live' })
      expect([named.status, named.body.data]).to.deep.equal([200, { ...before, name: 'Live' }])
      const given = { tags: { team: 'shop' }, expiresAt: '2040-01-01T00:00:00.000Z' }
      expect((await change(given)).body.data).to.deep.equal({ ...before, name: 'Live', ...given })
      expect((await change({ expiresAt: null })).body.data).to.not.have.property('expiresAt')
      expect(wrongs(await change({ config: postgres }))).to.deep.equal([400, '/config additionalProperties'])
      expect(wrongs(await change({ name: '' }))).to.deep.equal([400, '/name minLength', '/name pattern'])
      expect(told(await org.send(method, '/provisioning-jobs/none', { name: 'x' }))).to.deep.equal([404, 'not_found'])
    }
    expect(new Set(asked.map(({ name }) => name))).to.deep.equal(new Set(['provisioning.changed']))
  })

  it('is retried and deleted by its actor, whose refusals are the answer [PROV-06] [PROV-07] [PROV-33] [G-87]', async () => {
    const [id] = (await plantedProvisionings(org, { phase: 'failed' })) as [string]
    const path = `/provisioning-jobs/${id}`
    const retried = await org.send('POST', `${path}/retry`)
    expect([retried.status, retried.body.data.phase]).to.deep.equal([202, 'queued'])
    const deleted = await org.send('DELETE', path)
    expect([deleted.status, deleted.body.data.phase]).to.deep.equal([202, 'deleting'])
    const verbs = asked.map(({ data }) => [data.cloudAccountId, data.jobId, data.verb])
    expect(verbs).to.deep.equal([
      ['acct-1', id, 'retry'],
      ['acct-1', id, 'delete'],
    ])
    refusal = Fault.conflict('not_retryable', 'The failure is of bucket system.')
    expect(told(await org.send('POST', `${path}/retry`))).to.deep.equal([409, 'not_retryable'])
    refusal = Fault.conflict('job_active', 'The job is in progress.')
    expect(told(await org.send('DELETE', path))).to.deep.equal([409, 'job_active'])
    const other = await tenant()
    expect(told(await other.send('DELETE', path))).to.deep.equal([404, 'not_found'])
    expect(told(await other.send('POST', `${path}/retry`))).to.deep.equal([404, 'not_found'])
  })

  it('is made once under one Idempotency-Key, and who asked for what is written down', async () => {
    const who = await org.signedIn()
    const once = async () => {
      const answer = await fetch(`${org.url}/provisioning-jobs`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${who.token}`,
          'Content-Type': 'application/json',
          'Idempotency-Key': `key-${org.orgId}`,
        },
        body: JSON.stringify({ spaceID, kind: 'registry', config: configExample('registry') }),
      })
      return ((await answer.json()) as any).data.id as string
    }
    const jobID = await once()
    expect(await once()).to.equal(jobID)
    await who.send('PATCH', `/provisioning-jobs/${jobID}`, { name: 'x' })
    await who.send('POST', `/provisioning-jobs/${jobID}/retry`)
    await who.send('DELETE', `/provisioning-jobs/${jobID}`)
    const { items } = (await who.get('/security-events?limit=100')).body.data
    const own = items.filter(({ detail }: any) => detail.jobID === jobID).toReversed()
    expect(own.map(({ type, detail }: any) => [type, detail])).to.deep.equal([
      ['provisioning_created', { jobID, spaceID, kind: 'registry' }],
      ['provisioning_changed', { jobID }],
      ['provisioning_retried', { jobID }],
      ['provisioning_deleted', { jobID }],
    ])
  })
})
