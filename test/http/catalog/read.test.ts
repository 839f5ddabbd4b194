/** What is shown of jobs, databases and connections: exactly the fields of G-86 and G-88, and nothing of their secrets. */
import { expect } from 'chai'
import {
  at,
  doneSteps,
  plantedConnections,
  plantedDatabases,
  plantedProvisionings,
  plantedSpaces,
  postgres,
} from '#test/harness/catalog-edge.ts'
import { colleague, type Founder } from '#test/harness/people.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'

const canary = 'sealed-canary-5f1c'

describe('what is provisioned', () => {
  let org: Tenant
  let other: Tenant
  before(async () => {
    org = await tenant()
    other = await tenant()
  })

  it('is listed newest first, narrowed by space, kind and phase [PROV-02] [G-86]', async () => {
    const [near, far] = (await plantedSpaces(org, { name: 'Near' }, { name: 'Far', region: 'eu-west-1' })) as [
      string,
      string,
    ]
    const ids = await plantedProvisionings(
      org,
      { space_id: near, created_at: '2030-01-01T00:00:00.000Z' },
      { space_id: near, created_at: '2030-01-02T00:00:00.000Z', kind: 'registry', phase: 'failed' },
      { space_id: far, created_at: '2030-01-03T00:00:00.000Z', phase: 'deleted' },
    )
    await plantedProvisionings(other, { space_id: near })
    const list = async (query: string) => {
      const { items, ...rest } = (await org.get(`/provisioning-jobs?${query}`)).body.data
      return [items.map(({ id }: any) => ids.indexOf(id)).join(' '), rest]
    }
    const page = (total: number, fields: object = {}) => ({ total, page: 1, limit: 20, hasMore: false, ...fields })
    expect(await list('')).to.deep.equal(['2 1 0', page(3)])
    expect(await list(`space_id=${near}`)).to.deep.equal(['1 0', page(2)])
    expect(await list(`space_id=${near}&kind=registry,network`)).to.deep.equal(['1', page(1)])
    expect(await list('phase=ready,deleted')).to.deep.equal(['2 0', page(2)])
    expect(await list('space_id=none')).to.deep.equal(['', page(0)])
    expect(await list('limit=2')).to.deep.equal(['2 1', page(3, { limit: 2, hasMore: true })])
    expect(await list('limit=2&page=2')).to.deep.equal(['0', page(3, { limit: 2, page: 2 })])
    expect((await org.get('/provisioning-jobs?limit=500')).body.data.limit).to.equal(100)
    for (const query of ['phase=done', 'kind=vm', 'limit=0'])
      expect((await org.get(`/provisioning-jobs?${query}`)).status, query).to.equal(400)
  })

  it('is shown with its steps, their outputs and the failure, and without what is kept sealed [PROV-03] [PROV-30] [PROV-31] [G-86]', async () => {
    const failure = {
      bucket: 'user_action',
      message: 'The quota is used up.',
      retryable: false,
      fixHint: 'Ask for more.',
      consoleUrl: 'https://console.example.com/quotas',
      stepName: 'instance',
    }
    const steps = [
      { ...doneSteps('datastore')[0], output: { zones: 2 } },
      { id: 'instance', name: 'instance', status: 'failed', attempts: 2, startedAt: at, error: failure },
      { id: 'verify', name: 'verify', status: 'pending', attempts: 0 },
    ]
    const [id] = (await plantedProvisionings(org, {
      space_id: 's-1',
      phase: 'failed',
      current_step: 'instance',
      steps,
      error: failure,
      attempts: 2,
      tags: { team: 'shop' },
      completed_at: null,
      expires_at: '2030-02-01T00:00:00.000Z',
      secrets: canary,
      awaited: { call: canary, step: 'instance', isUndo: false, tries: 0, since: at },
    })) as [string]
    const answer = await org.get(`/provisioning-jobs/${id}`)
    expect(answer.body.data).to.deep.equal({
      id,
      orgID: org.orgId,
      spaceID: 's-1',
      kind: 'datastore',
      name: 'orders',
      config: postgres,
      tags: { team: 'shop' },
      phase: 'failed',
      currentStep: 'instance',
      steps,
      error: failure,
      attempts: 2,
      createdBy: 'u-1',
      createdByName: null,
      createdAt: at,
      updatedAt: at,
      expiresAt: '2030-02-01T00:00:00.000Z',
    })
    expect(JSON.stringify(answer.body)).to.not.contain(canary)
    expect(JSON.stringify((await org.get('/provisioning-jobs')).body)).to.not.contain(canary)
    expect((await other.get(`/provisioning-jobs/${id}`)).status).to.equal(404)
  })

  it('says what who asked for it is called, where that is a member', async () => {
    const member = await colleague({ accessToken: org.token, orgId: org.orgId } as Founder, 'viewer')
    const ids = await plantedProvisionings(org, { created_by: member.userId, space_id: 'named' })
    await plantedProvisionings(other, { created_by: member.userId, space_id: 'named' })
    const nameOf = async (of: Tenant, path: string) => {
      const { data } = (await of.get(path)).body
      return (data.items?.[0] ?? data).createdByName
    }
    expect(await nameOf(org, `/provisioning-jobs/${ids[0]}`)).to.equal('Ben')
    expect(await nameOf(org, '/provisioning-jobs?space_id=named')).to.equal('Ben')
    expect(await nameOf(other, '/provisioning-jobs?space_id=named')).to.equal(null)
  })

  it('has databases, by name, each with how it is reached and the name of its secret alone [PROV-09] [PROV-10] [G-88]', async () => {
    const [jobID] = (await plantedProvisionings(org, {})) as [string]
    const [shop, orders] = (await plantedDatabases(
      org,
      { job_id: jobID, secret: canary },
      { job_id: jobID, name: 'orders', status: 'creating', secret_ref: null },
      { job_id: 'another' },
    )) as [string, string]
    const record = {
      id: shop,
      jobID,
      name: 'shop',
      owner: 'shop_app',
      status: 'available',
      server: 'orders.example',
      port: 5432,
      secretRef: 'secret://job-1/shop_app',
      createdAt: at,
    }
    const path = `/provisioning-jobs/${jobID}/databases`
    const listed = await org.get(path)
    expect(listed.body.data).to.deep.equal([
      { ...record, id: orders, name: 'orders', status: 'creating', secretRef: null },
      record,
    ])
    const one = await org.get(`${path}/${shop}`)
    expect(one.body.data).to.deep.equal(record)
    expect(JSON.stringify([listed.body, one.body])).to.not.contain(canary)
    const [elsewhere] = (await plantedProvisionings(org, {})) as [string]
    expect((await org.get(`/provisioning-jobs/${elsewhere}/databases/${shop}`)).status).to.equal(404)
    expect((await org.get('/provisioning-jobs/none/databases')).status).to.equal(404)
    for (const hidden of [path, `${path}/${shop}`]) expect((await other.get(hidden)).status, hidden).to.equal(404)
  })

  it('has connections of the server and of each database, each shown in its own scope alone [PROV-13] [PROV-14] [PROV-17] [PROV-18] [PROV-28]', async () => {
    const [jobID] = (await plantedProvisionings(org, {})) as [string]
    const [shop, more] = (await plantedDatabases(org, { job_id: jobID }, { job_id: jobID, name: 'more' })) as [
      string,
      string,
    ]
    const [whole, own] = (await plantedConnections(
      org,
      { job_id: jobID },
      { job_id: jobID, database_id: shop, name: 'Shop', user: 'shop_app', secret_ref: 'secret://job-1/shop_app' },
    )) as [string, string]
    const ofJob = {
      id: whole,
      jobID,
      scope: 'job',
      name: 'orders',
      host: 'orders.example',
      port: 5432,
      user: 'admin',
      secretRef: 'secret://job-1/admin',
      createdAt: at,
    }
    const ofShop = {
      ...ofJob,
      id: own,
      databaseID: shop,
      scope: 'database',
      name: 'Shop',
      user: 'shop_app',
      secretRef: 'secret://job-1/shop_app',
    }
    const path = `/provisioning-jobs/${jobID}`
    const got = async (at_: string) => (await org.get(`${path}${at_}`)).body.data
    expect(await got('/connections')).to.deep.equal([ofJob])
    expect(await got(`/connections/${whole}`)).to.deep.equal(ofJob)
    expect(await got(`/databases/${shop}/connections`)).to.deep.equal([ofShop])
    expect(await got(`/databases/${shop}/connections/${own}`)).to.deep.equal(ofShop)
    expect(await got(`/databases/${more}/connections`)).to.deep.equal([])
    const astray = [
      `/connections/${own}`,
      `/databases/${shop}/connections/${whole}`,
      `/databases/${more}/connections/${own}`,
    ]
    for (const at_ of astray) expect((await org.get(`${path}${at_}`)).status, at_).to.equal(404)
    expect((await other.get(`${path}/connections`)).status).to.equal(404)
  })
})
