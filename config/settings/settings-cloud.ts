/** Settings for calls to clouds and their notifications; part of `settings.ts`. */
import { guidShape } from '#streams/cloud/azure/permission/principal.ts'
import { address, isSet, list, setting, text, word } from './setting.ts'

function managedIdentities(value: string): string[] {
  const entries = list(value)
  for (const entry of entries) {
    const [orgId, clientID = '', ...more] = entry.split(':')
    if (!orgId || !guidShape.test(clientID) || more.length > 0)
      throw new Error('must be ORG:CLIENT-ID, separated by commas; a client ID is a GUID')
  }
  return entries
}

export const cloudSettings = {
  cloudDriver: setting(
    'CLOUD_DRIVER',
    undefined as 'simulated' | 'real' | undefined,
    '',
    'Cloud mode: real uses the cloud providers, except for accounts whose externalID starts with sim-; simulated uses the built-in simulated cloud for all accounts; default: real, or simulated with TIDEMARK_TEST_HOOKS=1.',
    word('simulated', 'real'),
  ),
  awsEndpoint: setting(
    'AWS_ENDPOINT',
    undefined as string | undefined,
    '',
    'AWS endpoint override, for an AWS emulator.',
    address('http:', 'https:'),
  ),
  gcpEndpoint: setting(
    'GCP_ENDPOINT',
    undefined as string | undefined,
    '',
    'Google Cloud endpoint override, for an emulator.',
    address('http:', 'https:'),
  ),
  azureEndpoint: setting(
    'AZURE_ENDPOINT',
    undefined as string | undefined,
    '',
    'Azure endpoint override, for an emulator.',
    address('http:', 'https:'),
  ),
  azureFederatedOrg: setting(
    'AZURE_FEDERATED_ORG',
    undefined as string | undefined,
    '',
    'Organization whose Azure accounts without other credentials use the federated token in AZURE_FEDERATED_TOKEN_FILE; no other organization can use that token.',
    text,
  ),
  azureFederatedTokenFile: setting(
    'AZURE_FEDERATED_TOKEN_FILE',
    undefined as string | undefined,
    '',
    'File with that token; re-read for each sign-in.',
    text,
  ),
  azureManagedIdentities: setting(
    'AZURE_MANAGED_IDENTITIES',
    [] as readonly string[],
    '',
    'Managed identities of the machine that Azure accounts may use, each with its organization: ORG:CLIENT-ID, separated by commas; no other organization can use them.',
    managedIdentities,
  ),
  gcpAttachedIdentityOrg: setting(
    'GCP_ATTACHED_IDENTITY_ORG',
    undefined as string | undefined,
    '',
    'Organization whose Google Cloud accounts may use the service account of the machine; no other organization can use it.',
    text,
  ),
  kubernetesInClusterOrg: setting(
    'KUBERNETES_IN_CLUSTER_ORG',
    undefined as string | undefined,
    '',
    'Organization that may connect the cluster in which this installation runs, by its own service account; no other organization can use that account.',
    text,
  ),
  azureTenant: setting(
    'AZURE_TENANT_ID',
    undefined as string | undefined,
    '',
    'Tenant of the application that ingest uses to read Blob Storage; requires AZURE_CLIENT_ID and AZURE_CLIENT_SECRET.',
    text,
  ),
  azureClient: setting(
    'AZURE_CLIENT_ID',
    undefined as string | undefined,
    '',
    'Client ID of the application that ingest uses to read Blob Storage.',
    text,
  ),
  azureClientSecret: setting(
    'AZURE_CLIENT_SECRET',
    undefined as string | undefined,
    '',
    'Client secret of that application.',
    text,
  ),
  googleCredentials: setting(
    'GOOGLE_APPLICATION_CREDENTIALS',
    undefined as string | undefined,
    '',
    'Service account key file that ingest uses to read Cloud Storage.',
    text,
  ),
  executor: setting(
    'EXECUTOR',
    'embedded' as 'embedded' | 'stream',
    '',
    'Who changes resources: embedded (Tidemark itself) or stream (external executors that read exec.intent and report on exec.result).',
    word('embedded', 'stream'),
  ),
  notifyTerminal: setting(
    'REMEDIATION_NOTIFY_TERMINAL',
    false,
    '',
    'Whether owners and admins also get an email when a workflow ends.',
    isSet,
  ),
  notifyProvisioning: setting(
    'PROVISIONING_NOTIFY',
    false,
    '',
    'Whether owners and admins get an email when a provisioning job fails because of a service or connector error.',
    isSet,
  ),
  simulationSeed: setting(
    'SIMULATION_SEED',
    'tidemark',
    '',
    'Seed of the simulated cloud; the same seed creates the same cloud.',
    text,
  ),
  simulationDir: setting(
    'SIMULATION_DIR',
    undefined as string | undefined,
    '',
    'Folder for the state of the simulated cloud; processes that share it see the same cloud; default: the data folder.',
    text,
  ),
}
