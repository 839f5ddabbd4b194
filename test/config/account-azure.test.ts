import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { azureBody, googleBody } from '#config/command/cost/account-connect.ts'
import { azureText } from '#config/command/cost/account-policy.ts'
import { federationCommands, roleCommands, roleDefinition } from '#streams/cloud/azure/permission/policy.ts'

const ids = {
  subscription: '11111111-2222-3333-4444-555555555555',
  tenant: 'AAAAAAAA-bbbb-cccc-dddd-eeeeeeeeeeee',
  client: '99999999-8888-7777-6666-555555555555',
}

describe('connecting Azure by commands', () => {
  it('takes GUIDs and a secret from a file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'azure-'))
    const file = join(folder, 'secret')
    await writeFile(file, 'secret~1\n')
    const values = {
      ...ids,
      'secret-file': file,
      regions: 'westeurope, eastus',
      billing: 'https://b.blob.core.windows.net/c',
    }
    expect(azureBody(values, 'usage')).to.deep.equal({
      name: `Azure ${ids.subscription}`,
      provider: 'azure',
      externalID: ids.subscription,
      credentials: { tenantID: ids.tenant.toLowerCase(), clientID: ids.client, clientSecret: 'secret~1' },
      regions: ['westeurope', 'eastus'],
      billingExport: { kind: 'focus', location: 'https://b.blob.core.windows.net/c' },
    })
    await rm(folder, { recursive: true })
  })

  it('takes a certificate from a file, or what the installation has itself, in any of the clouds', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'azure-'))
    const file = join(folder, 'certificate.pem')
    await writeFile(file, 'PEM\n')
    const of = (values: object) => azureBody({ ...ids, ...values }, 'usage').credentials
    const bare = { tenantID: ids.tenant.toLowerCase(), clientID: ids.client }
    expect([
      of({ 'certificate-file': file }),
      of({ 'workload-identity': true, 'azure-cloud': 'AzureChinaCloud' }),
      of({ 'managed-identity': true }),
    ]).to.deep.equal([
      { ...bare, certificate: 'PEM' },
      { ...bare, workloadIdentity: true, cloud: 'AzureChinaCloud' },
      { ...bare, managedIdentity: true },
    ])
    expect(() => of({ 'azure-cloud': 'Germany' })).to.throw(
      '--azure-cloud must be one of AzureCloud, AzureUSGovernment, AzureChinaCloud, got Germany',
    )
    expect(googleBody({ 'attached-identity': true, project: 'shop-prod' }, 'usage').credentials).to.deep.equal({
      attachedIdentity: true,
    })
    await rm(folder, { recursive: true })
  })

  it('names the subscription itself where its costs are queried', () => {
    expect(azureBody({ ...ids, billing: 'cost-management' }, 'usage').billingExport).to.deep.equal({
      kind: 'cost-management',
      location: `/subscriptions/${ids.subscription}`,
    })
  })

  it('says which of them is missing, none, or cannot be read', () => {
    const { client: _, ...two } = ids
    expect(() => azureBody(two, 'usage')).to.throw('--client')
    expect(() => azureBody({ ...ids, tenant: 'contoso' }, 'usage')).to.throw('--tenant must be a GUID, got contoso')
    const unreadable = { ...ids, 'secret-file': '/nowhere/secret' }
    expect(() => azureBody(unreadable, 'usage')).to.throw('Cannot read --secret-file')
  })

  it('prints a role for its subscription, commands that make it and let it read the bill, and how to do without a password', () => {
    const options = { write: false, subscription: 's-1', container: 'bills/exports' }
    const [role, commands] = [roleDefinition(options), roleCommands(options)]
    const [issuer, subject] = ['https://tidemark.example.com', 'organization:org-1']
    const federation = { issuer, subject, commands: federationCommands({ issuer, subject, cloud: 'AzureChinaCloud' }) }
    const text = azureText({ provider: 'azure', role: { ...role }, commands, federation, clusterRole: '' })
    expect(role.AssignableScopes).to.deep.equal(['/subscriptions/s-1'])
    expect(commands.map((one) => one.slice(0, 34))).to.deep.equal([
      'az role definition create --role-d',
      'az ad sp create-for-rbac --name ti',
      'az role assignment create --assign',
    ])
    expect(commands[2]).to.contain('--name bills ').and.contain('/containers/exports')
    expect(text).to.contain('"Name": "Tidemark read"')
    expect(JSON.parse(/'(\{.*\})'/.exec(commands[0]!)![1]!)).to.deep.equal(role)
    expect(text.split('\n').at(-1)).to.equal(
      `az ad app federated-credential create --id CLIENT-ID --parameters '{"name":"tidemark","issuer":"https://tidemark.example.com","subject":"organization:org-1","audiences":["api://AzureADTokenExchangeChina"]}'`,
    )
  })
})
