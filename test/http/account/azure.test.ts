import { expect } from 'chai'
import { Fault } from '#engine/value/fault.ts'
import { azureGuides, type AzureGuide } from '#http/account/azure.ts'
import { googleGuides, type GoogleGuide } from '#http/account/google.ts'
import { checkBillPlace, checkCredentials } from '#http/account/check-input.ts'
import type { Services } from '#http/edge/services.ts'
import { selfSigned } from '#test/streams/cloud/azure/self-signed.ts'

const tenantID = 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee'
const good = { tenantID, clientID: '99999999-8888-7777-6666-555555555555', clientSecret: 'secret' }
const subscription = '11111111-2222-3333-4444-555555555555'

const services = (driver: string, azureFederated = false): Services =>
  ({ cloudOf: () => ({ driver }), settings: { allowPrivateAddresses: false, azureFederated } }) as unknown as Services

/** What was refused, and why. */
function refusal(work: () => void): string {
  try {
    work()
    return ''
  } catch (error) {
    const [one] = Fault.from(error).detail['errors'] as { name: string; code: string }[]
    return `${one!.name} ${one!.code}`
  }
}

const checked = (credentials: object, { externalId = subscription, driver = 'real', federated = false } = {}) =>
  refusal(() => checkCredentials({ provider: 'azure', externalId, credentials }, services(driver, federated)))

describe('credentials of Azure', () => {
  it('are an application of a tenant by GUIDs, for a subscription', () => {
    expect([
      checked(good),
      checked({ ...good, tenantID: tenantID.toUpperCase() }),
      checked({ ...good, tenantID: 'contoso.onmicrosoft.com' }),
      checked({ ...good, tenantID: `${tenantID}/../x` }),
      checked({ ...good, clientID: 'tidemark' }),
      checked(good, { externalId: 'Production' }),
    ]).to.deep.equal([
      '',
      '',
      '/credentials/tenantID pattern',
      '/credentials/tenantID pattern',
      '/credentials/clientID pattern',
      '/externalID pattern',
    ])
  })

  it('have a secret, but where the organization may use the federated token of the installation', () => {
    const { clientSecret: _, ...bare } = good
    expect([checked(bare), checked(bare, { federated: true }), checked(bare, { driver: 'simulated' })]).to.deep.equal([
      '/credentials/clientSecret required',
      '',
      '/credentials/clientSecret required',
    ])
  })

  it('have instead a certificate, tokens that the application trusts, or an identity that the operator allows', () => {
    const { clientSecret: _, ...bare } = good
    const { certificate, key } = selfSigned()
    const managed = {
      provider: 'azure' as const,
      externalId: subscription,
      credentials: { ...bare, managedIdentity: true },
    }
    const may = (mayUseIdentity: (clientID: string) => boolean) => {
      const { settings, ...others } = services('real')
      return refusal(() => checkCredentials(managed, { ...others, settings: { ...settings, mayUseIdentity } }))
    }
    expect([
      checked({ ...bare, certificate: key + certificate }),
      checked({ ...bare, certificate }),
      checked({ ...bare, workloadIdentity: true, cloud: 'AzureUSGovernment' }),
      checked({ ...bare, workloadIdentity: true, cloud: 'https://evil.example' }),
      checked({ ...good, workloadIdentity: true }),
      may((clientID) => clientID === good.clientID),
      may(() => false),
    ]).to.deep.equal([
      '',
      '/credentials/certificate value',
      '',
      '/credentials/cloud value',
      '/credentials oneOf',
      '',
      '/credentials/managedIdentity value',
    ])
  })

  it('hold no kubeconfig that runs or reads something', () => {
    const kubeconfig = JSON.stringify({
      clusters: [{ name: 'c', cluster: { server: 'https://example.com' } }],
      users: [{ name: 'u', user: { exec: { command: 'sh' } } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    })
    expect(checked({ ...good, kubeconfigs: { '/subscriptions/s': kubeconfig } })).to.equal(
      '/credentials/kubeconfigs/~1subscriptions~1s kubeconfig',
    )
  })

  it('are of whatever a simulated account is', () => {
    expect(checked({ ...good, tenantID: 'x', clientID: 'y' }, { driver: 'simulated', externalId: 'sim-1' })).to.equal(
      '',
    )
  })

  it('come with bills in a container of Azure and nowhere else', () => {
    const account = { provider: 'azure' as const, externalId: subscription, credentials: good }
    const placed = (location: string, driver = 'real') =>
      refusal(() => checkBillPlace(account, { location }, services(driver)))
    const inCloud = (cloud: string, location: string) =>
      refusal(() => checkBillPlace({ ...account, credentials: { ...good, cloud } }, { location }, services('real')))
    expect([
      inCloud('AzureUSGovernment', 'https://bills.blob.core.usgovcloudapi.net/exports'),
      inCloud('AzureUSGovernment', `/subscriptions/${subscription}`),
      inCloud('AzureUSGovernment', 'https://bills.blob.core.windows.net/exports'),
      inCloud('AzureCloud', 'https://bills.blob.core.usgovcloudapi.net/exports'),
      placed('https://bills.blob.core.usgovcloudapi.net/exports'),
    ]).to.deep.equal(['', '', ...Array.from({ length: 3 }, () => '/billingExport/location value')])
    expect([
      placed('https://bills.blob.core.windows.net/exports'),
      placed('https://bills.blob.core.windows.net/exports/daily/costs/'),
      placed(`/subscriptions/${subscription}`),
      placed('s3://bills/exports'),
      placed('http://bills.blob.core.windows.net/exports'),
      placed('https://bills.blob.core.windows.net.example.com/exports'),
      placed('https://bills.blob.core.windows.net/exports/../other'),
      placed('https://bills.blob.core.windows.net/exports?sig=1'),
      placed('/subscriptions/../../x'),
      placed('https://bills.blobXcoreXwindows.net/exports'),
      placed('s3://bills/exports', 'simulated'),
    ]).to.deep.equal(['', '', '', ...Array.from({ length: 7 }, () => '/billingExport/location pattern'), ''])
  })
})

describe('the guide for Azure', () => {
  it('has the role of the subscription, and lets the application trust tokens of the caller alone', async () => {
    const asked = { caller: { orgId: 'org-1' }, query: { write: false, subscription, cloud: 'AzureUSGovernment' } }
    const identity = { publicUrl: () => 'https://tidemark.example.com' }
    const guide = (await azureGuides[0]!.handle(asked as never, { identity } as never)) as AzureGuide
    const { commands, ...federation } = guide.federation
    expect(federation).to.deep.equal({ issuer: 'https://tidemark.example.com', subject: 'organization:org-1' })
    expect(commands).to.deep.equal([
      `az ad app federated-credential create --id CLIENT-ID --parameters '{"name":"tidemark","issuer":"https://tidemark.example.com","subject":"organization:org-1","audiences":["api://AzureADTokenExchangeUSGov"]}'`,
    ])
    expect(guide.role).to.include({ Name: 'Tidemark read' })
    expect(guide.commands[1]).to.contain(`--scopes /subscriptions/${subscription}`)
  })

  it('has no commands that trust this installation without an https address, but says what is missing', async () => {
    const asked = { caller: { orgId: 'org-1' }, query: { write: false, cloud: 'AzureCloud' } } as never
    for (const address of ['', 'http://127.0.0.1:8080']) {
      const services = { identity: { publicUrl: () => address } } as never
      const azure = (await azureGuides[0]!.handle(asked, services)) as AzureGuide
      const google = (await googleGuides[0]!.handle(asked, services)) as GoogleGuide
      expect([...azure.federation.commands, ...google.federation.commands]).to.deep.equal([
        '# PUBLIC_URL must be set to an https address that Entra can reach, such as https://tidemark.example.com.',
        '# PUBLIC_URL must be set to an https address that Google can reach, such as https://tidemark.example.com.',
      ])
    }
  })
})
