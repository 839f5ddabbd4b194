/** The clouds whose clusters take components: their APIs as far as they are asked, and jobs there. */
import { objectsOf } from '#actors/catalog/components/render.ts'
import { systemClock } from '#engine/clock.ts'
import * as aws from '#streams/cloud/aws/provision/index.ts'
import * as azure from '#streams/cloud/azure/provision/index.ts'
import type { CloudAccount } from '#streams/cloud/connector.ts'
import * as gcp from '#streams/cloud/gcp/provision/index.ts'
import { unpaced } from '#test/harness/kubernetes.ts'
import {
  account as subscriptionAccount,
  armError,
  subscription,
  tenant,
} from '#test/streams/cloud/azure/answer-server.ts'
import { account as projectAccount, refusing } from '#test/streams/cloud/gcp/far-google.ts'
import { ProvisioningRun, type ProvisioningCalls } from '#test/streams/cloud/provisioning-job.ts'
import type { CloudApi } from './far-cluster.ts'

/** Values by which objects of own kinds exist too. */
const all: Readonly<Record<string, object>> = {
  'cert-manager': { acmeEmail: 'ops@example.com' },
  flux: { repositoryURL: 'https://example.com/acme/fleet.git' },
}

interface ComponentJob {
  componentID: string
  id: string
  /** After a fault. */
  failed: () => void
}

type Run = Pick<ProvisioningRun<unknown>, 'make' | 'unmake' | 'step' | 'describe' | 'request' | 'outputs'>

export interface TestCloud extends CloudApi {
  title: string
  provider: CloudAccount['provider']
  /** Starts jobs in the cluster whose cloud is at `url`. */
  open: (url: string) => (job: ComponentJob) => Run
}

interface Definition<Options> extends CloudApi {
  title: string
  region: string
  account: CloudAccount
  calls: ProvisioningCalls<Options>
  optionsAt: (url: string) => Options
}

const cloudOf = <Options>({ calls, region, account, optionsAt, ...api }: Definition<Options>): TestCloud => ({
  ...api,
  provider: account.provider,
  open: (url) => {
    const options = optionsAt(url)
    return ({ componentID, id, failed }) => {
      const config = { componentID, values: all[componentID] ?? {} }
      const spec = { jobId: id, kind: 'component', config, clusterUid: api.uid } as const
      const objects = objectsOf({ ...spec, region, provider: account.provider })
      return new ProvisioningRun({ calls, options, account, region, failed }, { ...spec, ...objects })
    }
  },
})

const commonOptions = (url: string) => ({
  caller: unpaced({ budgetMin: 1e6, pausesMs: { first: 0, doubledTo: 0 } }),
  endpoint: url,
  clock: systemClock,
  allowPrivate: true,
})

const assumedRole =
  '<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>' +
  '<AccessKeyId>AKIA</AccessKeyId><SecretAccessKey>secret</SecretAccessKey><SessionToken>token</SessionToken>' +
  '<Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>'

const eksUid = 'arn:aws:eks:us-east-1:123456789012:cluster/shop'

export const eks = cloudOf({
  title: 'EKS',
  uid: eksUid,
  region: 'us-east-1',
  account: {
    id: 'acct-1',
    orgId: 'o1',
    provider: 'aws',
    externalId: '123456789012',
    name: 'Production',
    regions: [],
    credentials: { roleARN: 'arn:aws:iam::123456789012:role/tidemark', externalID: 'x' },
  },
  calls: aws,
  optionsAt: (url) => ({
    ...commonOptions(url),
    base: async () => ({ accessKeyId: 'AKIA', secretAccessKey: 'secret' }),
  }),
  signIn: (_, body) =>
    body.includes('Action=AssumeRole') ? { headers: { 'content-type': 'text/xml' }, body: assumedRole } : undefined,
  describe: (path, url, isThere) => {
    if (path !== '/clusters/shop') return undefined
    if (isThere) return { body: { cluster: { name: 'shop', arn: eksUid, endpoint: url, status: 'ACTIVE' } } }
    const headers = { 'x-amzn-errortype': 'ResourceNotFoundException' }
    return { status: 404, headers, body: { message: 'No cluster found for name: shop.' } }
  },
})

export const gkePath = 'projects/shop-prod/locations/us-central1/clusters/shop'

export const gke = cloudOf({
  title: 'GKE',
  uid: `//container.googleapis.com/${gkePath}`,
  region: 'us-central1',
  account: projectAccount,
  calls: gcp,
  optionsAt: commonOptions,
  signIn: (path) =>
    path === '/token' ? { body: { access_token: 'google', expires_in: 3600, token_type: 'Bearer' } } : undefined,
  describe: (path, url, isThere) => {
    if (path !== `/v1/${gkePath}`) return undefined
    if (!isThere) return refusing(404, 'NOT_FOUND', `Not found: ${gkePath}.`)
    return { body: { name: 'shop', location: 'us-central1', status: 'RUNNING', endpoint: url } }
  },
})

/** As the inventory has it, and as requests have it. */
export const aksPath =
  `/subscriptions/${subscription}/resourceGroups/rg/providers/Microsoft.ContainerService/managedClusters/shop`.toLowerCase()

/** As AKS answers for a cluster that signs in with Entra. */
const kubeconfig = (url: string) =>
  `clusters: [{ cluster: { server: '${url}' }, name: shop }]\nusers: [{ name: u, user: { exec: { command: kubelogin } } }]`

export const aks = cloudOf({
  title: 'AKS',
  uid: aksPath,
  region: 'westeurope',
  account: subscriptionAccount,
  calls: azure,
  optionsAt: commonOptions,
  signIn: (path, body) =>
    path === `/${tenant}/oauth2/v2.0/token`
      ? { body: { token_type: 'Bearer', expires_in: 3600, access_token: new URLSearchParams(body).get('scope') } }
      : undefined,
  describe: (path, url, isThere) => {
    if (!path.startsWith(aksPath)) return undefined
    if (!isThere)
      return armError(
        404,
        'ResourceNotFound',
        "The Resource 'Microsoft.ContainerService/managedClusters/shop' under resource group 'rg' was not found.",
      )
    if (path === aksPath) return { body: { id: aksPath, name: 'shop', location: 'westeurope', properties: {} } }
    return { body: { kubeconfigs: [{ name: 'user', value: Buffer.from(kubeconfig(url)).toString('base64') }] } }
  },
})
