/** Estimates, drift and the catalog at the edge. */
import { expect } from 'chai'
import { cloudFault } from '#streams/cloud/connector.ts'
import { provisioningKinds } from '#streams/cloud/provision.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { doneSteps, offering, plantedProvisionings, plantedSpaces, postgres } from '#test/harness/catalog-edge.ts'
import { tenant, type Answer, type Tenant } from '#test/harness/product.ts'

const told = ({ status, body }: Answer) => [status, body?.code]

describe('before and after something is provisioned', () => {
  let org: Tenant
  let spaceID: string
  before(async () => {
    org = await tenant()
    const account = { cloudAccountId: 'acct-1', provider: 'aws' as const, region: 'us-east-1' }
    await org.publish(resourceDiscovered, [{ ...account, resourceUid: 'i-1', name: 'web', type: 'aws-ec2' }])
    ;[spaceID] = (await plantedSpaces(org, {})) as [string]
  })
  const estimate = (fields: object = {}, of = org) =>
    of.send('POST', '/provisioning-jobs/estimate', { spaceID, kind: 'datastore', config: postgres, ...fields })

  it('says what it would cost, and keeps nothing', async () => {
    const answer = await estimate()
    const ofTables = { source: 'price tables', effectiveOn: '2025-01' }
    // db.m5.large is 0.178 an hour, a gigabyte-month 0.115.
    expect([answer.status, answer.body.data]).to.deep.equal([
      200,
      {
        currency: 'USD',
        hourlyUSD: 0.193753,
        monthlyUSD: 141.44,
        maxHourlyUSD: 0.193753,
        maxMonthlyUSD: 141.44,
        items: [
          {
            name: 'db.m5.large',
            units: 1,
            maxUnits: 1,
            unitHourlyUSD: 0.178,
            hourlyUSD: 0.178,
            monthlyUSD: 129.94,
            price: ofTables,
          },
          {
            name: 'storage, 100 GB',
            units: 100,
            maxUnits: 100,
            unitHourlyUSD: 0.000158,
            hourlyUSD: 0.015753,
            monthlyUSD: 11.5,
            price: ofTables,
          },
        ],
        unknown: ['backups, billed by stored size', 'traffic, billed by usage'],
      },
    ])
    expect((await org.get('/provisioning-jobs')).body.data.total).to.equal(0)
  })

  it('refuses to estimate what could not be asked for [PROV-23]', async () => {
    const { engine: _, ...less } = postgres
    const wrong = await estimate({ config: less })
    expect([wrong.status, wrong.body.errors.map(({ name }: any) => name)]).to.deep.equal([400, ['/config/engine']])
    expect(told(await estimate({ spaceID: 'none' }))).to.deep.equal([404, 'not_found'])
    expect(told(await estimate({}, await tenant()))).to.deep.equal([404, 'not_found'])
    expect(told(await estimate({ name: 'x' }))).to.deep.equal([400, 'invalid_parameter'])
  })

  it('refuses to estimate what a job would be refused for', async () => {
    const [disabled] = (await plantedSpaces(org, { status: 'disabled', region: 'eu-west-1' })) as [string]
    expect(told(await estimate({ spaceID: disabled }))).to.deep.equal([409, 'space_disabled'])
    const component = { kind: 'component', config: { componentID: 'metrics-server', values: {} } }
    expect(told(await estimate(component))).to.deep.equal([422, 'not_a_cluster'])
    const undo = await offering({ provisions: ['registry'] })
    expect(told(await estimate())).to.deep.equal([422, 'unsupported_provisioning'])
    undo()
  })

  it('says how what stands differs from what was asked for, by what its cloud tells', async () => {
    const steps = doneSteps('datastore').map((step) =>
      step.id === 'instance' ? { ...step, output: { id: 'db-1' } } : step,
    )
    const [id] = (await plantedProvisionings(org, { steps })) as [string]
    const asked: any[] = []
    let found: object | null = { ...postgres, backupRetentionDays: 1 }
    const asWanted = async (account: any, request: object) => {
      asked.push([account.id, request])
      return found
    }
    const undo = await offering({ provisions: provisioningKinds, describe: asWanted })
    const path = `/provisioning-jobs/${id}/drift`
    expect((await org.get(path)).body.data).to.deep.equal({
      jobID: id,
      exists: true,
      drift: [{ path: '/backupRetentionDays', wanted: 7, found: 1 }],
    })
    const request = { jobId: id, kind: 'datastore', region: 'us-east-1', clusterUid: null, config: postgres, tags: {} }
    expect(asked).to.deep.equal([['acct-1', { ...request, outputs: { instance: { id: 'db-1' } } }]])
    found = null
    expect((await org.get(path)).body.data).to.deep.equal({ jobID: id, exists: false, drift: [] })
    const [early] = (await plantedProvisionings(org, { phase: 'failed' })) as [string]
    expect(told(await org.get(`/provisioning-jobs/${early}/drift`))).to.deep.equal([409, 'job_not_ready'])
    expect(told(await (await tenant()).get(path))).to.deep.equal([404, 'not_found'])
    undo()
    const refuse = async () => {
      throw cloudFault('user_action', 'credentials_refused', 'The role is gone.', { fixHint: 'Make it again.' })
    }
    const again = await offering({ describe: refuse })
    const refused = await org.get(path)
    again()
    const { code, bucket, retryable, fixHint } = refused.body
    expect([refused.status, code, bucket, retryable, fixHint]).to.deep.equal([
      422,
      'credentials_refused',
      'user_action',
      false,
      'Make it again.',
    ])
  })

  it('lists the catalog, each component by exactly five texts, and shows the values of one [CAT-01] [CAT-02] [G-89]', async () => {
    const { data } = (await org.get('/catalog/components')).body
    expect(data.length).to.equal(8)
    for (const one of data) {
      expect(one).to.have.all.keys('id', 'name', 'category', 'version', 'description')
      for (const text of Object.values(one)) expect(text).to.be.a('string').and.match(/\S/)
    }
    const one = (await org.get('/catalog/components/metrics-server')).body.data
    expect(one.clouds).to.deep.equal(['aws'])
    expect(one.values.properties.resolutionSeconds).to.deep.equal({
      type: 'integer',
      minimum: 10,
      maximum: 120,
      default: 15,
      description: 'seconds between scrapes of the kubelets',
    })
    expect(told(await org.get('/catalog/components/none'))).to.deep.equal([404, 'not_found'])
  })

  it('is for those who may see what is provisioned', async () => {
    const roleless = await fetch(`${org.url}/catalog/components`)
    expect(roleless.status).to.equal(401)
    const viewer = await org.tokenFor('viewer')
    const seen = await fetch(`${org.url}/provisioning-jobs/estimate`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${viewer}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ spaceID, kind: 'datastore', config: postgres }),
    })
    expect(seen.status).to.equal(200)
  })
})
