/**
 * Accounts of Azure: checks of credentials, which are an application or a managed identity in a tenant, both named by
 * GUIDs; and what to run in Azure to connect one.
 */
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { checkKubeconfigs } from '#http/account/kubeconfigs.ts'
import { badInput } from '#http/edge/problem.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { subjectOf, trustCommands } from '#http/identity/token/subject-token.ts'
import { federationCommands, roleCommands, roleDefinition } from '#streams/cloud/azure/permission/policy.ts'
import { guidShape, proofs, type AzurePrincipal } from '#streams/cloud/azure/permission/principal.ts'
import { azureCloudNames, publicCloud } from '#streams/cloud/azure/session/cloud.ts'
import { readAzureCredentials } from '#streams/cloud/azure/session/credentials.ts'
import type { AccountIdentity } from '#streams/cloud/index.ts'
import { clusterRole } from '#streams/cloud/kubernetes/api/permissions.ts'
import { guid } from '#streams/text.ts'

/** @throws Fault `invalid` */
export function checkPrincipal(
  account: AccountIdentity,
  { cloudOf, settings }: Pick<Services, 'cloudOf' | 'settings'>,
): void {
  const principal = account.credentials as AzurePrincipal
  checkKubeconfigs(principal.kubeconfigs ?? {}, settings.allowPrivateAddresses)
  const at = (name: string, code: string, message: string) => badInput({ in: 'body', name, code, message })
  if (proofs.every((name) => principal[name] === undefined) && !settings.azureFederated)
    throw at(
      '/credentials/clientSecret',
      'required',
      'is required, unless certificate, workloadIdentity or managedIdentity is given',
    )
  if (cloudOf(account).driver !== 'real') return
  try {
    readAzureCredentials(principal)
  } catch (error) {
    const { problems = [] } = Fault.from(error).detail
    throw badInput(
      ...problems.map(({ path, code, message }) => ({
        in: 'body' as const,
        name: `/credentials${path}`,
        code,
        message,
      })),
    )
  }
  if (principal.managedIdentity && !settings.mayUseIdentity?.(principal.clientID))
    throw at(
      '/credentials/managedIdentity',
      'value',
      'is not allowed: the operator must name this organization with this client ID in AZURE_MANAGED_IDENTITIES',
    )
  if (!guidShape.test(account.externalId)) throw at('/externalID', 'pattern', 'must be the GUID of a subscription')
}

const exampleFederation = {
  issuer: 'https://tidemark.example.com',
  subject: 'organization:0b9a3f52-6f0e-4d0f-9d51-0c5e3a1f7d10',
}

const Guide = t.Object(
  {
    provider: t.Enum(['azure']),
    role: t.Object(
      {},
      { additionalProperties: true, description: 'input for az role definition create --role-definition' },
    ),
    commands: t.Array(t.String(), {
      description: 'Azure CLI commands in order; the second one creates the application and prints its secret',
    }),
    federation: t.Object(
      {
        issuer: t.String({
          description:
            'the URL from which Entra reads the signing keys of this installation; must be reachable over https',
        }),
        subject: t.String({
          description: "the subject of this organization's tokens: the application must trust no other",
        }),
        commands: t.Array(t.String(), { description: 'without an https issuer: a comment that says so' }),
      },
      { description: 'keyless access: the application trusts tokens of this installation' },
    ),
    clusterRole: t.String({
      description: 'for each AKS cluster: the Kubernetes ClusterRole, ready for kubectl apply',
    }),
  },
  {
    title: 'ConnectGuideAzure',
    examples: [
      {
        provider: 'azure',
        role: { Name: 'Tidemark read', Actions: ['Microsoft.Compute/disks/read'] },
        commands: ['az ad sp create-for-rbac --name tidemark --role Tidemark --scopes /subscriptions/ID'],
        federation: {
          ...exampleFederation,
          commands: federationCommands({ ...exampleFederation, cloud: publicCloud }),
        },
        clusterRole: 'apiVersion: rbac.authorization.k8s.io/v1',
      },
    ],
  },
)
export type AzureGuide = Static<typeof Guide>

export const azureGuides: readonly Route[] = [
  route({
    tags: ['Cloud accounts'],
    method: 'GET',
    path: '/cloud-accounts/guide/azure',
    summary: 'Get the setup guide for Azure: least-privilege role, commands, and keyless access by workload identity',
    description:
      'Lists the permissions of all calls that the service makes; without `write`, they are read-only. Without `subscription` and `container`, the commands contain placeholders.',
    permission: 'space.view',
    query: t.Object({
      write: t.Boolean({
        default: false,
        description: 'true: also permissions to start, stop, scale, change and provision resources',
      }),
      subscription: t.Optional(t.String({ pattern: guid, description: 'subscription ID', maxLength: 36 })),
      container: t.Optional(
        t.String({
          pattern: '^[a-z0-9]{3,24}/[a-z0-9-]{3,63}$',
          maxLength: 88,
          description: 'the container that stores the billing export: ACCOUNT/CONTAINER',
        }),
      ),
      cloud: t.Enum(azureCloudNames, { default: publicCloud, description: 'the cloud of the subscription' }),
    }),
    reply: Guide,
    handle: async ({ caller, query }, { identity }) => {
      const { cloud, ...options } = query
      const [issuer, subject] = [identity.publicUrl(), subjectOf(caller.orgId)]
      return {
        provider: 'azure' as const,
        role: { ...roleDefinition(options) },
        commands: roleCommands(options),
        federation: {
          issuer,
          subject,
          commands: trustCommands(issuer, 'Entra', federationCommands({ issuer, subject, cloud })),
        },
        clusterRole: clusterRole(options.write ? ['read', 'write'] : ['read']),
      }
    },
  }),
]
