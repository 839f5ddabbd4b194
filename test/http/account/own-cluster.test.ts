import { expect } from 'chai'
import { Fault } from '#engine/value/fault.ts'
import { checkBillPlace, checkCredentials } from '#http/account/check-input.ts'
import { credentialsOf } from '#http/account/credential.ts'
import { checkOrganization } from '#http/account/organization.ts'
import type { Services } from '#http/edge/services.ts'

const kubeconfigOf = (user: object = { token: 'secret' }, cluster: object = {}) =>
  JSON.stringify({
    clusters: [{ name: 'c', cluster: { server: 'https://34.71.86.84:6443', ...cluster } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
  })

const services = (kubernetesInCluster = false): Services =>
  ({
    cloudOf: () => ({ driver: 'real' }),
    settings: { allowPrivateAddresses: false, kubernetesInCluster },
  }) as unknown as Services

/** What was refused, and why. */
function refusal(work: () => unknown): string {
  try {
    work()
    return ''
  } catch (error) {
    const [one] = Fault.from(error).detail['errors'] as { name: string; code: string }[]
    return `${one!.name} ${one!.code}`
  }
}

const rack = { provider: 'azure' as const, externalId: 'cluster/rack' }

/** As a request is checked: the shape of its credentials, then what they say. */
const checked = (credentials: object, { externalId = rack.externalId, inCluster = false } = {}) =>
  refusal(() => {
    const account = { ...rack, externalId }
    checkCredentials({ ...account, credentials: credentialsOf(account, credentials) }, services(inCluster))
  })

describe('credentials of a cluster without a cloud account', () => {
  it('are a kubeconfig, whatever the provider of its nodes', () => {
    expect([
      checked({ kubeconfig: kubeconfigOf() }),
      checked({}),
      checked({ kubeconfig: kubeconfigOf(), inCluster: true }, { inCluster: true }),
      checked({ kubeconfig: kubeconfigOf(), clientSecret: 'x' }),
      checked({ kubeconfig: kubeconfigOf() }, { externalId: 'cluster/' }),
      checked({ kubeconfig: kubeconfigOf() }, { externalId: 'cluster/a/b' }),
    ]).to.deep.equal([
      '',
      '/credentials required',
      '/credentials required',
      '/credentials/clientSecret additionalProperties',
      '/externalID pattern',
      '/externalID pattern',
    ])
  })

  it('run no program, read no file, trust no certificate unchecked, and reach no private network', () => {
    const refused = '/credentials/kubeconfig kubeconfig'
    expect([
      checked({ kubeconfig: kubeconfigOf({ exec: { command: 'sh' } }) }),
      checked({ kubeconfig: kubeconfigOf({ tokenFile: '/etc/passwd' }) }),
      checked({ kubeconfig: kubeconfigOf({ 'auth-provider': { name: 'oidc' } }) }),
      checked({ kubeconfig: kubeconfigOf({ token: 'a' }, { 'insecure-skip-tls-verify': 'true' }) }),
      checked({ kubeconfig: kubeconfigOf({ token: 'a' }, { 'certificate-authority': '/etc/ca' }) }),
      checked({ kubeconfig: kubeconfigOf({ token: 'a' }, { server: 'https://10.0.0.1' }) }),
      checked({ kubeconfig: kubeconfigOf({ token: 'a' }, { server: 'https://169.254.169.254' }) }),
    ]).to.deep.equal(Array.from({ length: 7 }, () => refused))
  })

  it('are the service account of this installation only where the operator has given it to the organization', () => {
    expect([checked({ inCluster: true }), checked({ inCluster: true }, { inCluster: true })]).to.deep.equal([
      '/credentials/inCluster value',
      '',
    ])
  })

  it('may come with prices of nodes', () => {
    const priced = (prices: object) => checked({ kubeconfig: kubeconfigOf(), prices })
    expect([
      priced({ nodes: [{ label: 'pool=large', usdHour: 1.25 }], vcpuUsdHour: 0.02, gibUsdHour: 0.003 }),
      priced({ nodes: [{ label: 'large', usdHour: 1 }] }),
      priced({ vcpuUsdHour: -1 }),
    ]).to.deep.equal(['', '/credentials/prices/nodes/0/label pattern', '/credentials/prices/vcpuUsdHour minimum'])
  })

  it('come without a bill and without an organization, which such a cluster does not have', () => {
    const account = { ...rack, credentials: { kubeconfig: kubeconfigOf() } }
    expect([
      refusal(() => checkBillPlace(account, { location: 's3://bills' }, services())),
      refusal(() => checkBillPlace(account, null, services())),
      refusal(() => checkOrganization(account, {}, services())),
    ]).to.deep.equal(['/billingExport value', '', '/organization value'])
  })
})
