import { carriedOut } from '#config/command/line/route.ts'
import { googleBody, googleText, type GoogleGuide } from './account-google.ts'
import { azureBody, azurePolicy } from './account-azure.ts'
import {
  aboutOrg,
  requireValue,
  requireOrg,
  UsageError,
  type Command,
  type Invocation,
} from '#config/command/line/command.ts'
import { table } from '#config/command/line/table.ts'
import { withOrganization } from '#config/command/line/engine.ts'
import { unknownPrincipal } from '#streams/cloud/aws/permission/trust.ts'

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const org = { org: text } as const

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

const header = ['ID', 'NAME', 'PROVIDER', 'EXTERNAL ID', 'DRIVER', 'STATUS', 'PERMISSIONS', 'MESSAGE']

const tableOf = (accounts: readonly Account[]): string =>
  table(
    header,
    accounts.map((one) => [
      one.id,
      one.name,
      one.provider,
      one.externalID,
      one.driver,
      one.status,
      one.permissionVerdict,
      one.message,
    ]),
    'No cloud accounts are connected.',
  )

/** Clouds that are connected by this command, and asked as they are. */
const connectable = ['aws', 'gcp', 'azure']

/** @throws UsageError */
function cloudIn(
  [provider = '']: readonly string[],
  command: Pick<Command, 'usage'>,
  known: readonly string[] = connectable,
): string {
  if (known.includes(provider)) return provider
  throw new UsageError(
    `Cloud must be one of ${known.join(', ')}${provider && `, got ${provider}`}. Usage: ${command.usage}`,
  )
}

const listCommand: Command = {
  name: 'account list',
  summary: 'List the cloud accounts of an organization',
  usage: 'tidemark account list --org ORG [--json]',
  options: org,
  about: aboutOrg,
  async run({ values }) {
    const named = requireOrg(this, values['org'])
    return withOrganization(named, async (instance, orgId) => {
      const items: Account[] = []
      for (let page = 1; ; page++) {
        const query = { limit: '100', page: String(page) }
        const found = await carriedOut<{ items: Account[]; hasMore: boolean }>(instance, orgId, 'GET /cloud-accounts', {
          query,
        })
        items.push(...found.items)
        if (!found.hasMore) break
      }
      return { data: items, text: tableOf(items) }
    })
  },
}

const guideText = (guide: Guide): string => {
  const { principal, trustPolicy, permissionPolicy, commands, organization } = guide
  return [
    ...(principal === null
      ? [
          `Tidemark has no AWS credentials here. Replace ${unknownPrincipal} with the ARN of the identity it runs as.`,
          '',
        ]
      : []),
    'Trust policy of the role:',
    JSON.stringify(trustPolicy, null, 2),
    '',
    'Permission policy of the role:',
    JSON.stringify(permissionPolicy, null, 2),
    '',
    'AWS CLI commands, signed in to the account:',
    ...commands,
    ...(organization ? ['', ...organizationLines(organization)] : []),
  ].join('\n')
}

const organizationLines = ({ stackSet, policy, commands }: NonNullable<Guide['organization']>): string[] => [
  'Additional policy for the role in the management account, to list the organization:',
  JSON.stringify(policy, null, 2),
  '',
  'StackSet template that creates the role in every member account (save as tidemark-role.json):',
  JSON.stringify(stackSet, null, 2),
  '',
  'AWS CLI commands, signed in to the management account:',
  ...commands,
]

/** What `kubectl apply` takes as it is: how to let the role in stands in comments. */
const clusterText = ({ clusterRole, clusterCommands }: Guide): string =>
  [
    clusterRole.trimEnd(),
    '# Save this as tidemark.yaml, then run for each cluster:',
    ...clusterCommands.map((one) => `#   ${one}`),
  ].join('\n')

const policyCommand: Command = {
  name: 'account policy',
  summary: 'Print the minimum permissions Tidemark needs, and the commands that grant them',
  usage:
    'tidemark account policy aws|gcp|azure|kubernetes --org ORG [--write] [--organization] [--bucket NAME] [--project ID] [--parent folders/ID|organizations/ID] [--subscription ID] [--container ACCOUNT/NAME] [--json]',
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
    'aws|gcp|azure|kubernetes': 'Cloud provider, or kubernetes for the ClusterRole',
    ...aboutOrg,
    '--write': 'Include permissions to start, stop, scale, modify and provision; default read-only',
    '--organization': 'AWS: include the StackSet template that creates the role in all member accounts',
    '--bucket NAME': 'AWS and Google Cloud: bucket that contains the billing export',
    '--project ID': 'Google Cloud: project',
    '--parent folders/ID|organizations/ID': 'Google Cloud: folder or organization whose projects are connected',
    '--subscription ID': 'Azure: subscription',
    '--container ACCOUNT/NAME': 'Azure: storage account and container of the billing export',
  },
  async run({ values, positionals }) {
    const cloud = cloudIn(positionals, this, [...connectable, 'kubernetes'])
    const named = requireOrg(this, values['org'])
    if (cloud === 'azure') return azurePolicy({ values })
    const { bucket, project, parent } = values
    const write = String(values['write'] === true)
    if (cloud === 'gcp')
      return withOrganization(named, async (instance, orgId) => {
        const query = {
          write,
          ...(typeof project === 'string' && { project }),
          ...(typeof parent === 'string' && { parent }),
          ...(typeof bucket === 'string' && { billing_bucket: bucket }),
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
    return withOrganization(named, async (instance, orgId) => {
      const guide = await carriedOut<Guide>(instance, orgId, 'GET /cloud-accounts/guide', { query })
      return { data: guide, text: cloud === 'kubernetes' ? clusterText(guide) : guideText(guide) }
    })
  },
}

const arn = /^arn:aws[\w-]*:iam::(\d{12}):role\/.+$/

/** What `account connect` asks for, by what was typed. @throws UsageError */
function bodyOf({ values }: Pick<Invocation, 'values'>, externalID: string, command: Pick<Command, 'usage'>) {
  const roleARN = requireValue(command, values['role-arn'], '--role-arn')
  const [, account] = arn.exec(roleARN) ?? []
  if (account === undefined)
    throw new UsageError(`--role-arn must look like arn:aws:iam::123456789012:role/tidemark, got ${roleARN}`)
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
  summary: 'Connect a cloud account: check its permissions and start the first discovery',
  usage:
    'tidemark account connect aws --role-arn ARN|gcp --key FILE|azure --subscription ID --tenant ID --client ID --secret-file FILE --org ORG [--name NAME] [--project ID] [--regions R,R] [--billing URL] [--json]',
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
    'aws|gcp|azure': 'Cloud provider',
    ...aboutOrg,
    '--role-arn ARN': 'AWS: role created with "account policy"',
    '--key FILE': 'Google Cloud: service account key, or workload identity pool configuration',
    '--project ID': 'Google Cloud: project; default: the project of the key',
    '--subscription ID': 'Azure: subscription',
    '--tenant ID': 'Azure: tenant of the application',
    '--client ID': 'Azure: application (client) created with "account policy"',
    '--secret-file FILE': 'Azure: file with the client secret; omit when using a federated token',
    '--name NAME': 'Display name; default: the cloud and the account number, project or subscription',
    '--regions R,R': 'Regions to discover; default: all enabled regions',
    '--billing URL':
      'Location of the billing export: s3://BUCKET/PREFIX, bigquery://PROJECT/DATASET, gs://BUCKET/PREFIX, or https://ACCOUNT.blob.core.windows.net/CONTAINER/DIRECTORY; default: Cost Explorer on AWS, none on Google Cloud and Azure',
  },
  async run({ values, positionals }) {
    const cloud = cloudIn(positionals, this)
    const named = requireOrg(this, values['org'])
    const bodyFor = (externalID: string) => others[cloud]?.({ values }, this) ?? bodyOf({ values }, externalID, this)
    bodyFor('')
    return withOrganization(named, async (instance, orgId) => {
      const { externalID } = await carriedOut<{ externalID: string }>(
        instance,
        orgId,
        'GET /cloud-accounts/external-id',
      )
      const body = bodyFor(externalID)
      const account = await carriedOut<Account>(instance, orgId, 'POST /cloud-accounts', { body })
      const isWrong = account.status === 'error'
      return { data: account, text: tableOf([account]), ...(isWrong && { code: 1 }) }
    })
  },
}

function checkText({ verdict, message, permissions }: Check): string {
  const lines = permissions
    .filter(({ state }) => state !== 'granted')
    .flatMap(({ name, state, lost, statement }) => [
      `${state}  ${name}  required for: ${lost.join('; ')}`,
      ...(state === 'missing' ? [`  add ${JSON.stringify(statement)}`] : []),
    ])
  const granted = permissions.filter(({ state }) => state === 'granted').length
  const counted = permissions.length > 0 ? [`${granted} of ${permissions.length} permissions granted`] : []
  return [`${verdict}${message === null ? '' : `: ${message}`}`, ...counted, ...lines].join('\n')
}

const checkCommand: Command = {
  name: 'account check',
  summary: 'Check each permission of a cloud account: what is granted, what is missing and how to add it',
  usage: 'tidemark account check ID --org ORG [--json]',
  positionals: 1,
  options: org,
  about: { ID: 'Account ID from "account list"', ...aboutOrg },
  async run({ values, positionals: [id] }) {
    const cloudAccountID = requireValue(this, id, 'ID')
    const named = requireOrg(this, values['org'])
    return withOrganization(named, async (instance, orgId) => {
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
