import { expect } from 'chai'
import { tokens } from '#config/wiring/tokens.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'

const ours = ['198.51.100.10/32', '203.0.113.7/32']
const principal = 'simulated-aws-role/acct-1'

describe('the access check', () => {
  let org: Tenant
  const idOf = async (uid: string) => (await org.get(`/resources/by-uids?uids=${uid}`)).body.data[0].id as string
  const seen = async (uid: string) => {
    const r = await org.get(`/resources/${await idOf(uid)}/access`)
    expect([r.status, Object.keys(r.body)]).to.deep.equal([200, ['data']])
    return r.body.data
  }
  const cluster = (resourceUid: string, specs: object) => ({
    resourceUid,
    name: resourceUid,
    type: 'aws-eks',
    provider: 'aws' as const,
    cloudAccountId: 'acct-1',
    region: 'us-east-1',
    specs: { ...specs },
  })
  const open = (...public_access_cidrs: string[]) => ({ public_endpoint: true, public_access_cidrs })
  before(async () => {
    org = await tenant()
    await org.publish(resourceDiscovered, [
      cluster('both', open(...ours)),
      cluster('wide', open('198.51.100.0/24', '203.0.113.0/24')),
      cluster('world', open('0.0.0.0/0')),
      cluster('first-only', open(ours[0]!)),
      cluster('private', { public_endpoint: false, public_access_cidrs: ours }),
      cluster('silent', {}),
      { ...cluster('vm', {}), type: 'aws-ec2' },
      { ...cluster('nodes', open(...ours)), type: 'aws-eks-nodegroup' },
      { ...cluster('gke', open(...ours)), type: 'gcp-gke', provider: 'gcp', cloudAccountId: 'acct-2' },
    ])
  })
  afterEach(() => {
    org.product.get(tokens.clouds).simulated.faults.set({ faults: [] })
    org.connections.settings.egressCidrs = [...ours]
  })

  it('reaches a public cluster that lets all our addresses in [ACC-01] [ACC-02] [ACC-03] [ACC-08] [ACC-10] [VER-02]', async () => {
    const network = { reachable: true, publicAccess: true, ourIps: ours, ourIp: '198.51.100.10/32' }
    for (const uid of ['both', 'wide', 'world']) {
      expect(await seen(uid), uid).to.deep.equal({ accessible: true, principal, network })
    }
  })

  it('says private where there is no public endpoint, and which address is missing where there is [ACC-01] [ACC-04] [ACC-05] [ACC-06]', async () => {
    const network = { reachable: false, ourIps: ours, ourIp: ours[0] }
    const refused = (reason: string, publicAccess: boolean) => ({
      accessible: true,
      principal,
      network: { ...network, reason, publicAccess },
    })
    expect(await seen('first-only')).to.deep.equal(refused('ip_not_allowlisted', true))
    expect(await seen('private')).to.deep.equal(refused('private', false))
    expect(await seen('silent')).to.deep.equal(refused('private', false))
  })

  it('blames our own configuration first [ACC-04] [ACC-07]', async () => {
    org.connections.settings.egressCidrs = []
    for (const [uid, publicAccess] of [
      ['both', true],
      ['private', false],
    ] as const) {
      const network = { reachable: false, reason: 'egress_config_error', publicAccess, ourIps: [] }
      expect(await seen(uid)).to.deep.equal({ accessible: true, principal, network })
    }
  })

  it('looks at the network of one kind of cluster only [ACC-09]', async () => {
    expect(await seen('vm')).to.deep.equal({ accessible: true, principal })
    expect(await seen('nodes')).to.deep.equal({ accessible: true, principal })
    expect(await seen('gke')).to.deep.equal({ accessible: true, principal: 'simulated-gcp-role/acct-2' })
  })

  it('answers 200 when the credentials are refused, and passes on what is not the customer’s to mend [ACC-01]', async () => {
    const cloud = org.product.get(tokens.clouds).simulated
    const plan = (error: string) => cloud.faults.set({ faults: [{ call: 'access', error, times: 1 }] })
    plan('access_denied')
    expect(await seen('vm')).to.deep.equal({ accessible: false, principal: '' })
    plan('throttled')
    const r = await org.get(`/resources/${await idOf('vm')}/access`)
    expect([r.status, r.body.code, r.body.bucket, r.body.retryable]).to.deep.equal([
      503,
      'throttled',
      'transient',
      true,
    ])
    expect(await seen('vm')).to.deep.equal({ accessible: true, principal })
  })

  it('knows the clusters of the simulated cloud by what was discovered of them [ACC-05] [ACC-06]', async () => {
    const body = { name: 'staging', provider: 'aws', externalID: 'sim-aws-staging' }
    const { data } = (await org.send('POST', '/cloud-accounts', body)).body
    const found = async () => (await org.get(`/resources?type=aws-eks&cloud_account_id=${data.id}`)).body.data
    await until('the cluster to be discovered', async () => (await found()).length > 0)
    const [{ id }] = await found()
    const r = await org.get(`/resources/${id}/access`)
    expect(r.body.data).to.deep.equal({
      accessible: true,
      principal: 'simulated-aws-role/sim-aws-staging',
      network: { reachable: false, reason: 'private', publicAccess: false, ourIps: ours, ourIp: ours[0] },
    })
  })

  it('answers 404 for a resource there is not', async () => {
    const r = await org.get('/resources/00000000-0000-8000-8000-000000000000/access')
    expect([r.status, r.body.code]).to.deep.equal([404, 'not_found'])
  })
})
