/** Settings of what is done at clouds, and who is told of it; part of `settings.ts`. */
import { address, isSet, setting, text, word } from '#config/setting.ts'

export const cloudSettings = {
  cloudDriver: setting(
    'CLOUD_DRIVER',
    undefined as 'simulated' | 'real' | undefined,
    '',
    'Which clouds accounts are in: real, those of their providers, but for accounts whose externalID begins with sim-; simulated, a made-up one of this installation for all; real unless given, simulated with TIDEMARK_TEST_HOOKS=1.',
    word('simulated', 'real'),
  ),
  awsEndpoint: setting(
    'AWS_ENDPOINT',
    undefined as string | undefined,
    '',
    'Where AWS is asked, instead of its own addresses: a stand-in of it.',
    address('http:', 'https:'),
  ),
  gcpEndpoint: setting(
    'GCP_ENDPOINT',
    undefined as string | undefined,
    '',
    'Where Google Cloud is asked, instead of its own addresses: a stand-in of it.',
    address('http:', 'https:'),
  ),
  azureEndpoint: setting(
    'AZURE_ENDPOINT',
    undefined as string | undefined,
    '',
    'Where Azure is asked, instead of its own addresses: a stand-in of it.',
    address('http:', 'https:'),
  ),
  azureFederatedOrg: setting(
    'AZURE_FEDERATED_ORG',
    undefined as string | undefined,
    '',
    'The organization whose accounts of Azure need no client secret: they are asked by the federated token of this installation, and no other may borrow it.',
    text,
  ),
  azureFederatedTokenFile: setting(
    'AZURE_FEDERATED_TOKEN_FILE',
    undefined as string | undefined,
    '',
    'File of that token, which is read anew for each sign-in.',
    text,
  ),
  executor: setting(
    'EXECUTOR',
    'embedded' as 'embedded' | 'stream',
    '',
    'Who makes the calls that start and stop resources: embedded, this product; stream, whoever reads exec.intent and reports on exec.result.',
    word('embedded', 'stream'),
  ),
  notifyTerminal: setting(
    'REMEDIATION_NOTIFY_TERMINAL',
    false,
    '',
    'Whether owners and admins are also told by mail how workflows end.',
    isSet,
  ),
  notifyProvisioning: setting(
    'PROVISIONING_NOTIFY',
    false,
    '',
    'Whether owners and admins are told by mail of provisioning jobs that failed for a fault of the service or of its connector.',
    isSet,
  ),
  simulationSeed: setting(
    'SIMULATION_SEED',
    'tidemark',
    '',
    'What the simulated cloud is made from: the same seed, the same cloud.',
    text,
  ),
  simulationDir: setting(
    'SIMULATION_DIR',
    undefined as string | undefined,
    '',
    'Folder in which the simulated cloud keeps what was done to it, the data folder unless given: processes that share it see one cloud.',
    text,
  ),
}
