import { carriedOut } from '#config/command/route.ts'
import { googleBody, googleText, type GoogleGuide } from '#config/command/account-google.ts'
import { azureBody, azurePolicy } from '#config/command/account-azure.ts'
import { required, UsageError, type Command, type Invocation } from '#config/command/command.ts'
import { withInstance } from '#config/instance.ts'
import { unknownPrincipal } from '#streams/cloud/aws/trust.ts'

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const org = { org: text } as const
const aboutOrg = { '--org ID': 'The organization' }

interface Account {
  id: string
  name: string
  provider: string
  externalID: string
  driver: string
  status: string
  permissionVerdict: string
  missingPermissions: readonly string[]
  message?: string
}

interface Guide {
  externalID: string
  principal: string | null
  trustPolicy: object
  permissionPolicy: object
  commands: readonly string[]
  clusterRole: string
  clusterCommands: readonly string[]
  organization?: { stackSet: object; policy: object; commands: readonly string[] }
}

interface Check {
  cloudAccountID: string
  verdict: string
  message: string | null
  permissions: readonly { name: string; access: string; state: string; lost: readonly string[]; statement: object }[]
}

const lineOf = ({ id, status, permissionVerdict, driver, provider, externalID, name, message }: Account): string =>
  [
    `${id}  ${status}  ${permissionVerdict}  ${provider} ${externalID}  ${driver}  ${name}`,
    ...(message ? [message] : []),
  ].join('  ')

/** Clouds that are connected by this command, and asked as they are. */
const connectable = ['aws', 'gcp', 'azure']

/** @throws UsageError */
function cloudIn(
  [provider = '']: readonly string[],
  command: Pick<Command, 'usage'>,
  known: readonly string[] = connectable,
): string {
  if (known.includes(provider)) return provider
  throw new UsageError(`${provider || 'A cloud'} is none of ${known.join(', ')}. Usage: ${command.usage}`)
}

const listCommand: Command = {
  name: 'account list',
  summary: 'List the cloud accounts of an organization',
  usage: 'tidemark account list --org ID [--json]',
  options: org,
  about: aboutOrg,
  async run({ values }) {
    const orgId = required(this, values['org'], '--org')
    return withInstance(async (instance) => {
      const items: Account[] = []
      for (let page = 1; ; page++) {
        const query = { limit: '100', page: String(page) }
        const found = await carriedOut<{ items: Account[]; hasMore: boolean }>(instance, orgId, 'GET /cloud-accounts', {
          query,
        })
        items.push(...found.items)
        if (!found.hasMore) break
      }
      return { data: items, text: items.map(lineOf).join('\n') || 'No cloud account is connected.' }
    })
  },
}

const guideText = (guide: Guide): string => {
  const { principal, trustPolicy, permissionPolicy, commands, organization } = guide
  return [
    ...(principal === null
      ? [`Tidemark has no AWS credentials of its own here: put the ARN of who runs it for ${unknownPrincipal}.`, '']
      : []),
    'Trust policy of the role:',
    JSON.stringify(trustPolicy, null, 2),
    '',
    'What the role may do:',
    JSON.stringify(permissionPolicy, null, 2),
    '',
    'The same by the AWS command line, signed in to the account:',
    ...commands,
    ...(organization ? ['', ...organizationLines(organization)] : []),
  ].join('\n')
}

const organizationLines = ({ stackSet, policy, commands }: NonNullable<Guide['organization']>): string[] => [
  'Of the management account the role also lists the organization:',
  JSON.stringify(policy, null, 2),
  '',
  'The template of a StackSet that creates the role in every member; save it as tidemark-role.json:',
  JSON.stringify(stackSet, null, 2),
  '',
  'Both by the AWS command line, signed in to the management account:',
  ...commands,
]

/** What `kubectl apply` takes as it is: how to let the role in stands in comments. */
const clusterText = ({ clusterRole, clusterCommands }: Guide): string =>
  [
    clusterRole.trimEnd(),
    '# Then, for each cluster, with this saved as tidemark.yaml:',
    ...clusterCommands.map((one) => `#   ${one}`),
  ].join('\n')

const policyCommand: Command = {
  name: 'account policy',
  summary: 'Print the least that a cloud must allow, and how to allow it',
  usage:
    'tidemark account policy aws|gcp|azure|kubernetes --org ID [--write] [--organization] [--bucket NAME] [--project ID] [--parent folders/ID|organizations/ID] [--subscription ID] [--container ACCOUNT/NAME] [--json]',
  positionals: 1,
  options: {
    ...org,
    write: flag,
    organization: flag,
    bucket: text,
    project: text,
    parent: text,
    subscription: text,
    container: text,
  },
  about: {
    'aws|gcp|azure|kubernetes': 'The cloud, or the role that lets it into clusters of Kubernetes',
    ...aboutOrg,
    '--write': 'Also what starts, stops, scales, changes and provisions; else it can only look',
    '--organization': 'Also the role of all members of an organization, as a StackSet creates it, at AWS',
    '--bucket NAME': 'The bucket that holds the bill, at AWS',
    '--project ID': 'The project, at Google Cloud',
    '--parent folders/ID|organizations/ID':
      'The folder or organization whose projects are all connected, at Google Cloud',
    '--subscription ID': 'The subscription, at Azure',
    '--container ACCOUNT/NAME': 'The storage account and the container that hold the bill, at Azure',
  },
  async run({ values, positionals }) {
    const cloud = cloudIn(positionals, this, [...connectable, 'kubernetes'])
    const orgId = required(this, values['org'], '--org')
    if (cloud === 'azure') return azurePolicy({ values })
    const { bucket, project, parent } = values
    const write = String(values['write'] === true)
    if (cloud === 'gcp')
      return withInstance(async (instance) => {
        const query = {
          write,
          ...(typeof project === 'string' && { project }),
          ...(typeof parent === 'string' && { parent }),
        }
        const guide = await carriedOut<GoogleGuide>(instance, orgId, 'GET /cloud-accounts/guide/gcp', { query })
        return { data: guide, text: googleText(guide) }
      })
    const query = {
      provider: 'aws',
      write,
      organization: String(values['organization'] === true),
      ...(typeof bucket === 'string' && { billing_bucket: bucket }),
    }
    return withInstance(async (instance) => {
      const guide = await carriedOut<Guide>(instance, orgId, 'GET /cloud-accounts/guide', { query })
      return { data: guide, text: cloud === 'kubernetes' ? clusterText(guide) : guideText(guide) }
    })
  },
}

const arn = /^arn:aws[\w-]*:iam::(\d{12}):role\/.+$/

/** What `account connect` asks for, by what was typed. @throws UsageError */
function bodyOf({ values }: Pick<Invocation, 'values'>, externalID: string, command: Pick<Command, 'usage'>) {
  const roleARN = required(command, values['role-arn'], '--role-arn')
  const [, account] = arn.exec(roleARN) ?? []
  if (account === undefined)
    throw new UsageError(`--role-arn ${roleARN} does not look like arn:aws:iam::123456789012:role/tidemark`)
  const { name, regions, billing } = values
  return {
    name: typeof name === 'string' ? name : `AWS ${account}`,
    provider: 'aws',
    externalID: account,
    credentials: { roleARN, externalID },
    ...(typeof regions === 'string' && { regions: regions.split(/[\s,]+/).filter((region) => region !== '') }),
    ...(typeof billing === 'string' && { billingExport: { kind: 'focus', location: billing } }),
  }
}

/** What clouds besides AWS are connected by. */
const others: Readonly<Record<string, typeof googleBody | typeof azureBody>> = { gcp: googleBody, azure: azureBody }

const connectCommand: Command = {
  name: 'account connect',
  summary: 'Connect a cloud account: what it may do is checked, and its first discovery begins',
  usage:
    'tidemark account connect aws --role-arn ARN|gcp --key FILE|azure --subscription ID --tenant ID --client ID --secret-file FILE --org ID [--name NAME] [--project ID] [--regions R,R] [--billing URL] [--json]',
  positionals: 1,
  options: {
    ...org,
    'role-arn': text,
    key: text,
    project: text,
    subscription: text,
    tenant: text,
    client: text,
    'secret-file': text,
    name: text,
    regions: text,
    billing: text,
  },
  about: {
    'aws|gcp|azure': 'The cloud',
    ...aboutOrg,
    '--role-arn ARN': 'The role that account policy tells how to make, at AWS',
    '--key FILE': 'The key of the service account, or the configuration of the pool, at Google Cloud',
    '--project ID': 'The project at Google Cloud; default that of the key',
    '--subscription ID': 'The subscription, at Azure',
    '--tenant ID': 'The tenant of the application, at Azure',
    '--client ID': 'The application that account policy tells how to make, at Azure',
    '--secret-file FILE': 'Holds its client secret; left out where a federated token stands for it',
    '--name NAME': 'What you call the account; default the cloud and its number or project',
    '--regions R,R': 'Regions to look through; default every enabled one',
    '--billing URL':
      'Where its bills are exported to: s3://BUCKET/PREFIX, bigquery://PROJECT/DATASET, or https://ACCOUNT.blob.core.windows.net/CONTAINER/DIRECTORY; default Cost Explorer at AWS, nowhere at Google Cloud and Azure',
  },
  async run({ values, positionals }) {
    const cloud = cloudIn(positionals, this)
    const orgId = required(this, values['org'], '--org')
    const bodyFor = (externalID: string) => others[cloud]?.({ values }, this) ?? bodyOf({ values }, externalID, this)
    bodyFor('')
    return withInstance(async (instance) => {
      const { externalID } = await carriedOut<{ externalID: string }>(
        instance,
        orgId,
        'GET /cloud-accounts/external-id',
      )
      const body = bodyFor(externalID)
      const account = await carriedOut<Account>(instance, orgId, 'POST /cloud-accounts', { body })
      const isWrong = account.status === 'error'
      return { data: account, text: lineOf(account), ...(isWrong && { code: 1 }) }
    })
  },
}

function checkText({ verdict, message, permissions }: Check): string {
  const lines = permissions
    .filter(({ state }) => state !== 'granted')
    .flatMap(({ name, state, lost, statement }) => [
      `${state}  ${name}  without it: ${lost.join('; ')}`,
      ...(state === 'missing' ? [`  add ${JSON.stringify(statement)}`] : []),
    ])
  const granted = permissions.filter(({ state }) => state === 'granted').length
  const counted = permissions.length > 0 ? [`${granted} of ${permissions.length} permissions granted`] : []
  return [`${verdict}${message === null ? '' : `: ${message}`}`, ...counted, ...lines].join('\n')
}

const checkCommand: Command = {
  name: 'account check',
  summary: 'Check the permissions of a cloud account one by one: which it has, what is lost, what to add',
  usage: 'tidemark account check ID --org ID [--json]',
  positionals: 1,
  options: org,
  about: { ID: 'As account list shows it', ...aboutOrg },
  async run({ values, positionals: [id] }) {
    const cloudAccountID = required(this, id, 'ID')
    const orgId = required(this, values['org'], '--org')
    return withInstance(async (instance) => {
      const check = await carriedOut<Check>(instance, orgId, 'POST /cloud-accounts/:cloudAccountID/check', {
        params: { cloudAccountID },
      })
      const isWrong =
        check.verdict === 'none' ||
        check.permissions.some(({ state, access }) => state === 'missing' && access === 'read')
      return { data: check, text: checkText(check), ...(isWrong && { code: 1 }) }
    })
  },
}

export const accountCommands: readonly Command[] = [listCommand, policyCommand, connectCommand, checkCommand]
