import { everyItem } from '#config/command/line/api.ts'
import { command, askCommand, routeCommand, withApi } from '#config/command/line/build.ts'
import type { Command } from '#config/command/line/command.ts'
import { argument, org } from '#config/command/line/flag.ts'
import { listOf } from '#config/command/line/table.ts'
import type { AccountCheck } from '#http/account/check.ts'
import type { ConnectedAccount } from '#http/account/cloud-account.ts'
import { awsBody, azureBody, connectFlags, googleBody, kubernetesBody } from './account-connect.ts'
import { accountPolicy } from './account-policy.ts'
import { cloud } from './cloud.ts'

const list = listOf<ConnectedAccount>(
  {
    ID: 'id',
    NAME: 'name',
    PROVIDER: 'provider',
    'EXTERNAL ID': 'externalID',
    DRIVER: 'driver',
    STATUS: 'status',
    PERMISSIONS: 'permissionVerdict',
    MESSAGE: 'message',
  },
  'No cloud accounts are connected.',
)

const connectUsage =
  'aws --role-arn ARN|gcp --key FILE|azure --subscription ID --tenant ID --client ID --secret-file FILE|kubernetes --cluster NAME --kubeconfig FILE --org ORG [--name NAME] [--project ID] [--regions R,R] [--billing URL] [--json]'

const bodies = { aws: awsBody, gcp: googleBody, azure: azureBody, kubernetes: kubernetesBody }

function checkText({ verdict, message, permissions }: AccountCheck): string {
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

export const accountCommands: readonly Command[] = [
  askCommand({
    name: 'account list',
    summary: 'List the cloud accounts of an organization',
    usage: '--org ORG [--json]',
    takes: { org },
    run: async (api) => list(await everyItem(api, 'GET /cloud-accounts')),
  }),
  accountPolicy,
  command({
    name: 'account connect',
    summary: 'Connect a cloud account: check its permissions and start the first discovery',
    usage: connectUsage,
    takes: {
      provider: cloud(['aws', 'gcp', 'azure', 'kubernetes'], 'Cloud provider, or a cluster without one'),
      org,
      ...connectFlags,
    },
    run: ({ provider, org: named, ...typed }) => {
      const bodyFor = (externalID: string) =>
        bodies[provider](typed, `tidemark account connect ${connectUsage}`, externalID)
      // What was mistyped is said before the stores are opened.
      bodyFor('')
      return withApi(named, async (api) => {
        const asked = 'GET /cloud-accounts/external-id'
        const { externalID } = await api.ask<{ externalID: string }>(asked)
        const body = bodyFor(externalID)
        const data = await api.ask<ConnectedAccount>('POST /cloud-accounts', { body })
        return { data, text: list([data]).text, code: data.status === 'error' ? 1 : 0 }
      })
    },
  }),
  routeCommand({
    name: 'account check',
    summary: 'Check each permission of a cloud account: what is granted, what is missing and how to add it',
    usage: 'ID --org ORG [--json]',
    takes: { id: argument('ID', 'Account ID from "account list"'), org },
    route: 'POST /cloud-accounts/:cloudAccountID/check',
    ask: ({ id: cloudAccountID }) => ({ params: { cloudAccountID } }),
    show: (data: AccountCheck) => {
      const isWrong =
        data.verdict === 'none' ||
        data.permissions.some(({ state, access }) => state === 'missing' && access === 'read')
      return { data, text: checkText(data), code: isWrong ? 1 : 0 }
    },
  }),
]
