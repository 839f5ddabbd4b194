/** Accounts of Google Cloud: checks of input, and what to copy into Google to connect one. */
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { badInput } from '#http/edge/problem.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { subjectOf, trustCommands } from '#http/identity/token/subject-token.ts'
import { readGcpCredentials } from '#streams/cloud/gcp/session/credentials.ts'
import { anyProject, federationCommands, roleCommands, roleDocument } from '#streams/cloud/gcp/permission/policy.ts'
import { projectShape } from '#streams/cloud/gcp/resource-path.ts'
import type { AccountIdentity } from '#streams/cloud/index.ts'
import { clusterRole, groupName } from '#streams/cloud/kubernetes/api/permissions.ts'

/**
 * Checks that credentials sent to Google contain no address outside of Google.
 * @throws Fault `invalid` with their members
 */
export function checkGoogle(
  account: AccountIdentity,
  { cloudOf, settings }: Pick<Services, 'cloudOf' | 'settings'>,
): void {
  if (cloudOf(account).driver !== 'real') return
  if (!projectShape.test(account.externalId))
    throw badInput({ in: 'body', name: '/externalID', code: 'pattern', message: 'must be a project ID' })
  try {
    const { kind } = readGcpCredentials(account.credentials)
    if (kind === 'attached' && !settings.googleAttached)
      throw Fault.invalidAt({
        path: '/attachedIdentity',
        code: 'value',
        message: 'is not allowed: the operator must set GCP_ATTACHED_IDENTITY_ORG to the ID of this organization',
      })
  } catch (error) {
    const { detail, message } = Fault.from(error)
    const problems = detail.problems ?? [{ path: '', code: 'value', message }]
    throw badInput(
      ...problems.map(({ path, code, message: said }) => ({
        in: 'body' as const,
        name: `/credentials${path}`,
        code,
        message: said,
      })),
    )
  }
}

const Guide = t.Object(
  {
    provider: t.Enum(['gcp']),
    role: t.Object({}, { additionalProperties: true, description: 'input file for gcloud iam roles create --file' }),
    commands: t.Array(t.String(), { description: 'gcloud commands in order; the last one writes the key' }),
    federation: t.Object(
      {
        issuer: t.String({
          description:
            'the URL from which Google reads the signing keys of this installation; must be reachable over https',
        }),
        subject: t.String({ description: "the subject of this organization's tokens: the pool must accept no other" }),
        commands: t.Array(t.String(), { description: 'without an https issuer: a comment that says so' }),
      },
      { description: 'keyless access: a workload identity pool that trusts this installation' },
    ),
    clusterRole: t.String({
      description: 'for each GKE cluster: the Kubernetes ClusterRole, ready for kubectl apply',
    }),
    clusterCommands: t.Array(t.String(), { description: 'grants the service account access to a cluster' }),
  },
  {
    title: 'ConnectGuideGcp',
    examples: [
      {
        provider: 'gcp',
        role: {
          title: 'Tidemark',
          description: 'Read access for Tidemark',
          stage: 'GA',
          includedPermissions: ['compute.instances.list'],
        },
        commands: ['gcloud iam service-accounts create tidemark --project shop-prod --display-name Tidemark'],
        federation: {
          issuer: 'https://tidemark.example.com',
          subject: 'organization:0b9a3f52-6f0e-4d0f-9d51-0c5e3a1f7d10',
          commands: ['gcloud iam workload-identity-pools create tidemark --project shop-prod --location global'],
        },
        clusterRole: 'apiVersion: rbac.authorization.k8s.io/v1',
        clusterCommands: ['kubectl apply -f tidemark.yaml'],
      },
    ],
  },
)
export type GoogleGuide = Static<typeof Guide>

const clusterCommands = (project: string): string[] => [
  'kubectl apply -f tidemark.yaml',
  `kubectl create clusterrolebinding tidemark-google --clusterrole ${groupName} --user tidemark@${project}.iam.gserviceaccount.com`,
]

export const googleGuides: readonly Route[] = [
  route({
    tags: ['Cloud accounts'],
    method: 'GET',
    path: '/cloud-accounts/guide/gcp',
    summary:
      'Get the setup guide for Google Cloud: least-privilege role, commands, and keyless access by workload identity',
    description:
      'Lists the permissions of all calls that the service makes; without `write`, they are read-only. Without `project`, ' +
      'the commands contain the placeholder PROJECT. With `parent`, the role is granted in that folder or organization and may list its projects. With `billing_bucket`, a command grants read access to that bucket.',
    permission: 'space.view',
    query: t.Object({
      write: t.Boolean({
        default: false,
        description: 'true: also permissions to start, stop, scale and change resources',
      }),
      project: t.Optional(t.String({ pattern: '^[a-z][a-z0-9-]{4,28}[a-z0-9]$', description: 'project ID' })),
      parent: t.Optional(
        t.String({
          pattern: '^(folders|organizations)/\\d{1,20}$',
          maxLength: 34,
          description: 'folder or organization whose projects are connected: folders/ID or organizations/ID',
        }),
      ),
      billing_bucket: t.Optional(
        t.String({
          pattern: '^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$',
          maxLength: 222,
          description: 'the bucket that stores exported bills, if they are not in BigQuery',
        }),
      ),
    }),
    reply: Guide,
    handle: async ({ caller, query }, { identity }) => {
      const { write, project = anyProject, parent, billing_bucket: bucket } = query
      const role = roleDocument({ write, ...(parent !== undefined && { parent }) })
      const [issuer, subject] = [identity.publicUrl(), subjectOf(caller.orgId)]
      return {
        provider: 'gcp' as const,
        role: { ...role },
        commands: roleCommands(role, { project, parent, bucket }),
        federation: {
          issuer,
          subject,
          commands: trustCommands(issuer, 'Google', federationCommands({ issuer, subject, project })),
        },
        clusterRole: clusterRole(write ? ['read', 'write'] : ['read']),
        clusterCommands: clusterCommands(project),
      }
    },
  }),
]
