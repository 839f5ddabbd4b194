/** What each cloud is to grant, and the commands that grant it. */

import { command, withApi } from '#config/command/line/build.ts'
import { optional, org, toggle } from '#config/command/line/flag.ts'
import type { AzureGuide } from '#http/account/azure.ts'
import type { GoogleGuide } from '#http/account/google.ts'
import type { ConnectGuide } from '#http/account/guide.ts'
import { unknownPrincipal } from '#streams/cloud/aws/permission/trust.ts'
import { azureCloudNames, publicCloud } from '#streams/cloud/azure/session/cloud.ts'
import { cloud } from './cloud.ts'

const awsText = ({ principal, trustPolicy, permissionPolicy, commands, organization }: ConnectGuide): string =>
  [
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

const organizationLines = ({ stackSet, policy, commands }: NonNullable<ConnectGuide['organization']>): string[] => [
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
const clusterText = ({ clusterRole, clusterCommands }: ConnectGuide): string =>
  [
    clusterRole.trimEnd(),
    '# Save this as tidemark.yaml, then run for each cluster:',
    ...clusterCommands.map((one) => `#   ${one}`),
  ].join('\n')

const googleText = ({ role, commands, federation, clusterCommands }: GoogleGuide): string =>
  [
    'Role of the service account:',
    JSON.stringify(role, null, 2),
    '',
    'gcloud commands, signed in to the project (the last one writes the key for "account connect"):',
    ...commands,
    '',
    'To connect without a key instead, if Google can reach this installation over HTTPS, replace the last command with:',
    ...federation.commands,
    '',
    'For each GKE cluster, with the output of "account policy kubernetes" saved as tidemark.yaml:',
    ...clusterCommands,
  ].join('\n')

export const azureText = ({ role, commands, federation }: AzureGuide): string =>
  [
    'Role definition of the application:',
    JSON.stringify(role, null, 2),
    '',
    'Azure CLI commands, signed in to the tenant (the second one prints tenant, appId and password):',
    ...commands,
    '',
    'To connect without the password, if Entra can reach this installation over HTTPS, with the appId:',
    ...federation.commands,
  ].join('\n')

export const accountPolicy = command({
  name: 'account policy',
  summary: 'Print the minimum permissions Tidemark needs, and the commands that grant them',
  usage:
    'aws|gcp|azure|kubernetes --org ORG [--write] [--organization] [--bucket NAME] [--project ID] [--parent folders/ID|organizations/ID] [--subscription ID] [--container ACCOUNT/NAME] [--azure-cloud NAME] [--json]',
  takes: {
    cloud: cloud(['aws', 'gcp', 'azure', 'kubernetes'], 'Cloud provider, or kubernetes for the ClusterRole'),
    org,
    write: toggle('Include permissions to start, stop, scale, modify and provision; default read-only'),
    organization: toggle('AWS: include the StackSet template that creates the role in all member accounts'),
    bucket: optional('NAME', 'AWS and Google Cloud: bucket that contains the billing export'),
    project: optional('ID', 'Google Cloud: project'),
    parent: optional(
      'folders/ID|organizations/ID',
      'Google Cloud: folder or organization whose projects are connected',
    ),
    subscription: optional('ID', 'Azure: subscription'),
    container: optional('ACCOUNT/NAME', 'Azure: storage account and container of the billing export'),
    'azure-cloud': optional('NAME', `Azure: ${azureCloudNames.join(', ')}; default: ${publicCloud}`),
  },
  run: async ({ cloud, org: named, write, organization, bucket: billing_bucket, project, parent, ...azure }) => {
    return withApi(named, async (api) => {
      if (cloud === 'azure') {
        const { 'azure-cloud': environment, ...about } = azure
        const query = { write, ...about, cloud: environment }
        const data = await api.ask<AzureGuide>('GET /cloud-accounts/guide/azure', { query })
        return { data, text: azureText(data) }
      }
      if (cloud === 'gcp') {
        const query = { write, project, parent, billing_bucket }
        const data = await api.ask<GoogleGuide>('GET /cloud-accounts/guide/gcp', { query })
        return { data, text: googleText(data) }
      }
      const query = { provider: 'aws', write, organization, billing_bucket }
      const data = await api.ask<ConnectGuide>('GET /cloud-accounts/guide', { query })
      return { data, text: cloud === 'kubernetes' ? clusterText(data) : awsText(data) }
    })
  },
})
