import { expect } from 'chai'
import { systemClock } from '#engine/clock.ts'
import { gcpCloud } from '#streams/cloud/gcp/connector.ts'
import { federationCommands } from '#streams/cloud/gcp/permission/policy.ts'
import type { Connector } from '#streams/cloud/connector.ts'
import type { DatabaseRequest } from '#streams/cloud/provision.ts'
import { account, email, fails, farGoogle, refusing, type FarGoogle } from './far-google.ts'

describe('the connector of Google Cloud', () => {
  let far: FarGoogle
  let cloud: Connector
  beforeEach(async () => {
    far = await farGoogle(({ path }) =>
      path.endsWith('/instances/web') ? { body: { name: 'web', status: 'RUNNING' } } : refusing(404, 'notFound'),
    )
    cloud = gcpCloud({ ...far.options, clock: systemClock, allowPrivate: false })
  })
  afterEach(() => far.close())

  it('says as whom it asks, and whether Google answers for a resource', async () => {
    const zone = 'projects/shop-prod/zones/us-central1-a/instances'
    const of = (type: string, resourceUid: string) =>
      cloud.access(account, { type, resourceUid, region: 'us-central1' })
    expect(await of('gcp-vm', `${zone}/web`)).to.deep.equal({ accessible: true, principal: email })
    expect(await of('gcp-vm', `${zone}/gone`)).to.deep.equal({ accessible: false, principal: email })
    expect(await of('gcp-kms-key', 'x')).to.deep.equal({ accessible: true, principal: email })
  })

  it('offers nothing that it has not, and says so before anything is asked', async () => {
    expect([cloud.driver, cloud.infrastructureFor]).to.deep.equal(['real', []])
    expect(await fails(cloud.createDatabase(account, {} as DatabaseRequest))).to.equal(
      'system unsupported_provisioning',
    )
    expect(await fails(cloud.dropDatabase(account, {} as DatabaseRequest))).to.equal('system unsupported_provisioning')
    expect(await fails(cloud.createInfrastructure(account, { id: 'i' }))).to.equal('user_action unsupported_action')
    expect([far.asked, far.tokens]).to.deep.equal([[], []])
  })

  it('tells how a pool takes tokens of one organization alone, and what the account is connected with then', () => {
    const [, provider, binding, written] = federationCommands({
      issuer: 'https://tidemark.example.com',
      subject: 'organization:org-1',
      project: 'shop-prod',
    })
    expect(provider)
      .to.include('--issuer-uri https://tidemark.example.com ')
      .and.to.include(`--attribute-condition "assertion.sub=='organization:org-1'"`)
    expect(binding).to.match(/workloadIdentityPools\/tidemark\/subject\/organization:org-1"$/)
    const document = written!
      .replace(/^echo "/, '')
      .replace(/" > tidemark\.json$/, '')
      .replaceAll('\\"', '"')
      .replaceAll(/\$\([^)]*\)[^)]*\)/g, '123')
    expect(JSON.parse(document)).to.deep.equal({
      type: 'external_account',
      audience: '//iam.googleapis.com/projects/123/locations/global/workloadIdentityPools/tidemark/providers/tidemark',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      service_account_impersonation_url: `https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/${email}:generateAccessToken`,
    })
  })
})
