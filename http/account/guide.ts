/** What a person who connects an account copies into their cloud: the minimum permissions of the service. */
import { t, type Static } from '#engine/value/schema.ts'
import { Driver } from '#http/account/driver.ts'
import { route, type Route } from '#http/edge/route.ts'
import { clusterRole, groupName } from '#streams/cloud/kubernetes/api/permissions.ts'
import { policyDocument } from '#streams/cloud/aws/permission/policy.ts'
import { organizationPolicy, stackSetCommands, stackSetTemplate } from '#streams/cloud/aws/permission/stack-set.ts'
import { trustPolicy, unknownPrincipal } from '#streams/cloud/aws/permission/trust.ts'
import type { Provider } from '#streams/names.ts'

/** In the format of IAM. */
const Document = t.Object({}, { additionalProperties: true })

const Guide = t.Object(
  {
    provider: t.Enum(['aws']),
    externalID: t.String({ description: "the external ID that the role's trust policy must require" }),
    principal: t.Union([t.String(), t.Null()], {
      description:
        'the principal that assumes the role; null if this installation has no AWS credentials of its own, or AWS is unavailable',
    }),
    drivers: t.Object(
      { aws: Driver, gcp: Driver, azure: Driver },
      { description: 'by cloud: the source of data for accounts connected with credentials' },
    ),
    roleName: t.String({ description: 'the role name used in the commands' }),
    trustPolicy: Document,
    permissionPolicy: Document,
    commands: t.Array(t.String(), { description: 'the same as AWS CLI commands, in order' }),
    clusterRole: t.String({
      description: 'for each EKS cluster: the Kubernetes ClusterRole for group tidemark, ready for kubectl apply',
    }),
    clusterCommands: t.Array(t.String(), {
      description: 'grants the role access to a cluster as a member of that group',
    }),
    organization: t.Optional(
      t.Object(
        {
          stackSet: Document,
          policy: Document,
          commands: t.Array(t.String(), { description: 'the same as AWS CLI commands, in order' }),
        },
        {
          description:
            'with organization=true: the StackSet template that creates the role in all member accounts, and the additional ' +
            "permissions of the management account's role",
        },
      ),
    ),
  },
  {
    title: 'ConnectGuide',
    examples: [
      {
        provider: 'aws',
        externalID: 'tidemark-4f1c0b7a9d3e5f60718293a4b5c6d7e8',
        principal: 'arn:aws:iam::210987654321:role/tidemark',
        drivers: { aws: 'real', gcp: 'real', azure: 'real' },
        roleName: 'tidemark',
        trustPolicy: trustPolicy(
          'tidemark-4f1c0b7a9d3e5f60718293a4b5c6d7e8',
          'arn:aws:iam::210987654321:role/tidemark',
        ),
        permissionPolicy: {
          Version: '2012-10-17',
          Statement: [
            { Sid: 'TidemarkMetricsRead', Effect: 'Allow', Action: ['cloudwatch:GetMetricData'], Resource: '*' },
          ],
        },
        commands: ['aws iam get-role --role-name tidemark'],
        clusterRole: 'apiVersion: rbac.authorization.k8s.io/v1',
        clusterCommands: ['kubectl apply -f tidemark.yaml'],
      },
    ],
  },
)
export type ConnectGuide = Static<typeof Guide>

const roleName = 'tidemark'

/** For a POSIX shell: JSON contains single quotes only in names, where they are escaped. */
const quoteForShell = (value: unknown): string => `'${JSON.stringify(value).replaceAll("'", `'\\''`)}'`

const commandsOf = (trust: unknown, policy: unknown): string[] => [
  `aws iam create-role --role-name ${roleName} --assume-role-policy-document ${quoteForShell(trust)}`,
  `aws iam put-role-policy --role-name ${roleName} --policy-name ${roleName} --policy-document ${quoteForShell(policy)}`,
  `aws iam get-role --role-name ${roleName} --query Role.Arn --output text`,
]

const organizationCommands = [
  `aws iam put-role-policy --role-name ${roleName} --policy-name ${roleName}-organization --policy-document ${quoteForShell(organizationPolicy)}`,
  ...stackSetCommands,
]

const clusterCommands = [
  'kubectl apply -f tidemark.yaml',
  `aws eks create-access-entry --cluster-name CLUSTER --principal-arn "$(aws iam get-role --role-name ${roleName} --query Role.Arn --output text)" --kubernetes-groups ${groupName}`,
]

export const guides: readonly Route[] = [
  route({
    tags: ['Cloud accounts'],
    method: 'GET',
    path: '/cloud-accounts/guide',
    summary: 'Get the setup guide for AWS: trust policy, least-privilege permissions, commands',
    description:
      'Lists the permissions of all calls that the service makes; without `write`, they are read-only. If `principal` is ' +
      "null, put the ARN of the service's own principal into the trust policy.",
    permission: 'space.view',
    query: t.Object({
      provider: t.Enum(['aws'], { default: 'aws' }),
      write: t.Boolean({
        default: false,
        description: 'true: also permissions to start, stop, scale, change and provision resources',
      }),
      organization: t.Boolean({
        default: false,
        description: 'true: also the role for all member accounts of an organization',
      }),
      billing_bucket: t.Optional(
        t.String({ pattern: '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$', description: 'the bucket that stores the bill' }),
      ),
    }),
    reply: Guide,
    handle: async (
      { query: { provider, write, organization, billing_bucket: bucket } },
      { externalIds, awsPrincipal, cloudOf },
    ) => {
      const externalID = externalIds()[0]!
      const principal = await awsPrincipal()
      const trust = trustPolicy(externalID, principal ?? unknownPrincipal)
      const permissionPolicy = policyDocument(provider, { write, ...(bucket !== undefined && { bucket }) })
      const driverAt = (name: Provider) => cloudOf({ provider: name, externalId: '' }).driver
      return {
        provider,
        externalID,
        principal: principal ?? null,
        drivers: { aws: driverAt('aws'), gcp: driverAt('gcp'), azure: driverAt('azure') },
        roleName,
        trustPolicy: trust,
        permissionPolicy: { ...permissionPolicy },
        commands: commandsOf(trust, permissionPolicy),
        clusterRole: clusterRole(write ? ['read', 'write'] : ['read']),
        clusterCommands,
        ...(organization && {
          organization: {
            stackSet: stackSetTemplate(roleName, trust, permissionPolicy),
            policy: { ...organizationPolicy },
            commands: organizationCommands,
          },
        }),
      }
    },
  }),
]
