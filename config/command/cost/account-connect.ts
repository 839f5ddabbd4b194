/** What the API is sent to connect an account of each cloud, from what was typed. */
import { readFileSync } from 'node:fs'
import { requireValue, UsageError } from '#config/command/line/command.ts'
import { choiceOr, optional, toggle, type FlagValues } from '#config/command/line/flag.ts'
import { parseJson } from '#engine/value/json.ts'
import { providers } from '#streams/names.ts'
import { guidShape } from '#streams/cloud/azure/permission/principal.ts'
import { azureCloudNames, publicCloud } from '#streams/cloud/azure/session/cloud.ts'

export const connectFlags = {
  'role-arn': optional('ARN', 'AWS: role created with "account policy"'),
  key: optional('FILE', 'Google Cloud: service account key, or workload identity pool configuration'),
  project: optional('ID', 'Google Cloud: project; default: the project of the key'),
  subscription: optional('ID', 'Azure: subscription'),
  tenant: optional('ID', 'Azure: tenant of the application'),
  client: optional('ID', 'Azure: application (client) created with "account policy"'),
  'secret-file': optional('FILE', 'Azure: file with the client secret'),
  'certificate-file': optional('FILE', 'Azure: PEM file with the certificate of the application and its private key'),
  'workload-identity': toggle('Azure: the application trusts tokens of Tidemark for the organization'),
  'managed-identity': toggle('Azure: the client is a managed identity of the machine; the operator must allow it'),
  'azure-cloud': optional('NAME', `Azure: ${azureCloudNames.join(', ')}; default: ${publicCloud}`),
  'attached-identity': toggle('Google Cloud: the service account of the machine; the operator must allow it'),
  cluster: optional('NAME', 'Kubernetes cluster without a cloud account: its name here; cannot be changed'),
  kubeconfig: optional(
    'FILE',
    'Kubernetes: kubeconfig with a server, its certificates, and a token or client certificate',
  ),
  'in-cluster': toggle('Kubernetes: the cluster in which Tidemark runs, by its own service account'),
  nodes: choiceOr(
    'CLOUD',
    providers,
    'aws',
    'Kubernetes: cloud of the nodes (aws, gcp, azure), which decides their on-demand prices; default: aws',
  ),
  prices: optional('FILE', 'Kubernetes: JSON file with prices of nodes'),
  name: optional(
    'NAME',
    'Display name; default: the cloud and the account number, project or subscription, or the cluster',
  ),
  regions: optional('R,R', 'Regions to discover; default: all enabled regions'),
  billing: optional(
    'URL',
    'Location of the billing export: s3://BUCKET/PREFIX, bigquery://PROJECT/DATASET, gs://BUCKET/PREFIX, or https://ACCOUNT.blob.core.windows.net/CONTAINER/DIRECTORY; on Azure also cost-management, which queries the costs of the subscription; default: Cost Explorer on AWS, none on Google Cloud and Azure',
  ),
}

type Typed = Partial<FlagValues<typeof connectFlags>>

/** What accounts of all clouds have. */
const commonBody = ({ name, regions, billing }: Typed, usualName: string, billingKind: string) => ({
  name: name ?? usualName,
  ...(regions !== undefined && { regions: regions.split(/[\s,]+/).filter((region) => region !== '') }),
  ...(billing !== undefined && { billingExport: { kind: billingKind, location: billing } }),
})

const arn = /^arn:aws[\w-]*:iam::(\d{12}):role\/.+$/

/** `externalID`: what the role requires. @throws UsageError */
export function awsBody(typed: Typed, usage: string, externalID: string) {
  const roleARN = requireValue(typed['role-arn'], '--role-arn', usage)
  const [, account] = arn.exec(roleARN) ?? []
  if (account === undefined)
    throw new UsageError(`--role-arn must look like arn:aws:iam::123456789012:role/tidemark, got ${roleARN}`)
  return {
    ...commonBody(typed, `AWS ${account}`, 'focus'),
    provider: 'aws',
    externalID: account,
    credentials: { roleARN, externalID },
  }
}

/** @throws UsageError */
export function googleBody(typed: Typed, usage: string) {
  const document = typed['attached-identity']
    ? undefined
    : (documentIn('--key', requireValue(typed.key, '--key', usage)) as Record<string, string | undefined>)
  const id = requireValue(typed.project ?? document?.['project_id'], '--project', usage)
  return {
    ...commonBody(typed, `Google Cloud ${id}`, typed.billing?.startsWith('gs://') ? 'storage' : 'bigquery'),
    provider: 'gcp',
    externalID: id,
    credentials: googleCredentials(document),
  }
}

function googleCredentials(document: Record<string, string | undefined> | undefined) {
  if (document === undefined) return { attachedIdentity: true }
  return document['type'] === 'external_account' ? { workloadIdentity: document } : { serviceAccount: document }
}

function documentIn(flag: string, file: string): Record<string, unknown> {
  try {
    const found: unknown = parseJson(readFileSync(file, 'utf8'))
    if (typeof found === 'object' && found !== null && !Array.isArray(found)) return found as Record<string, unknown>
  } catch (error) {
    throw new UsageError(`Cannot read ${flag} ${file}: ${(error as Error).message}`)
  }
  throw new UsageError(`${flag} ${file} must be a JSON file.`)
}

/** The secret comes from a file: what is typed here others on the machine can see. @throws UsageError */
export function azureBody(typed: Typed, usage: string) {
  const guid = (name: 'subscription' | 'tenant' | 'client'): string => {
    const given = requireValue(typed[name], `--${name}`, usage)
    if (guidShape.test(given)) return given.toLowerCase()
    throw new UsageError(`--${name} must be a GUID, got ${given}`)
  }
  const [subscription, tenantID, clientID] = [guid('subscription'), guid('tenant'), guid('client')]
  const { billing, ...more } = typed
  const isQueried = billing === 'cost-management'
  const location = isQueried ? `/subscriptions/${subscription}` : billing
  return {
    ...commonBody(
      { ...more, ...(location !== undefined && { billing: location }) },
      `Azure ${subscription}`,
      isQueried ? 'cost-management' : 'focus',
    ),
    provider: 'azure',
    externalID: subscription,
    credentials: { tenantID, clientID, ...proofOf(typed), ...cloudIn(typed) },
  }
}

/** The API says if there are several, or none. @throws UsageError */
function proofOf(typed: Typed) {
  const [secret, certificate] = [typed['secret-file'], typed['certificate-file']]
  return {
    ...(secret !== undefined && { clientSecret: textIn('--secret-file', secret) }),
    ...(certificate !== undefined && { certificate: textIn('--certificate-file', certificate) }),
    ...(typed['workload-identity'] && { workloadIdentity: true }),
    ...(typed['managed-identity'] && { managedIdentity: true }),
  }
}

function cloudIn({ 'azure-cloud': cloud }: Typed) {
  if (cloud === undefined) return {}
  if (azureCloudNames.some((name) => name === cloud)) return { cloud }
  throw new UsageError(`--azure-cloud must be one of ${azureCloudNames.join(', ')}, got ${cloud}`)
}

/** A cluster without a cloud account. @throws UsageError */
export function kubernetesBody(typed: Typed, usage: string) {
  const cluster = requireValue(typed.cluster, '--cluster', usage)
  const { kubeconfig: file, prices, nodes = 'aws' } = typed
  if ((file === undefined) === !typed['in-cluster'])
    throw new UsageError(`Give either --kubeconfig or --in-cluster. Usage: ${usage}`)
  return {
    ...commonBody(typed, `Kubernetes ${cluster}`, 'focus'),
    provider: nodes,
    externalID: `cluster/${cluster}`,
    credentials: {
      ...(file === undefined ? { inCluster: true } : { kubeconfig: textIn('--kubeconfig', file) }),
      ...(prices !== undefined && { prices: documentIn('--prices', prices) }),
    },
  }
}

function textIn(flag: string, file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    throw new UsageError(`Cannot read ${flag} ${file}`)
  }
}
