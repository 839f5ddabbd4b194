/** Accounts of Google Cloud: whether what was given may be followed, and what to copy into Google to connect one. */
import { Fault } from '#engine/fault.ts'
import { t } from '#engine/schema.ts'
import { badInput } from '#http/edge/problem.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { subjectOf } from '#http/identity/subject-token.ts'
import { readGcpCredentials } from '#streams/cloud/gcp/credentials.ts'
import { anyProject, federationCommands, roleCommands, roleDocument } from '#streams/cloud/gcp/policy.ts'
import { projectShape } from '#streams/cloud/gcp/place.ts'
import type { Placed } from '#streams/cloud/index.ts'
import { clusterRole, groupName } from '#streams/cloud/kubernetes/permissions.ts'

/** Whether credentials that are shown to Google name nothing but Google. @throws Fault `invalid` naming their members */
export function checkGoogle(account: Placed, { cloudOf }: Pick<Services, 'cloudOf'>): void {
  if (cloudOf(account).driver !== 'real') return
  if (!projectShape.test(account.externalId))
    throw badInput({ in: 'body', name: '/externalID', code: 'pattern', message: 'must be the id of a project' })
  try {
    readGcpCredentials(account.credentials)
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
    role: t.Object({}, { additionalProperties: true, description: 'as gcloud iam roles create --file takes it' }),
    commands: t.Array(t.String(), { description: "by Google's command line, in their order; the last writes the key" }),
    federation: t.Object(
      {
        issuer: t.String({
          description: 'where Google finds the keys of this installation: it has to reach it over https',
        }),
        subject: t.String({ description: 'what tokens of this organization say: the pool must take no other' }),
        commands: t.Array(t.String()),
      },
      { description: 'without a key: a workload identity pool that knows this installation' },
    ),
    clusterRole: t.String({
      description: 'for each cluster of GKE: the role of Kubernetes, as kubectl apply takes it',
    }),
    clusterCommands: t.Array(t.String(), { description: 'lets the service account into a cluster' }),
  },
  {
    title: 'ConnectGuideGcp',
    examples: [
      {
        provider: 'gcp',
        role: {
          title: 'Tidemark',
          description: 'What Tidemark looks at',
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

const clusterCommands = (project: string): string[] => [
  'kubectl apply -f tidemark.yaml',
  `kubectl create clusterrolebinding tidemark-google --clusterrole ${groupName} --user tidemark@${project}.iam.gserviceaccount.com`,
]

export const googleGuides: readonly Route[] = [
  route({
    tags: ['Cloud accounts'],
    method: 'GET',
    path: '/cloud-accounts/guide/gcp',
    summary: 'What to copy into Google Cloud to connect a project: the least role, commands, a pool instead of a key',
    description:
      'The permissions are those of every call the service makes, from one table; without `write` it can change nothing. Where no ' +
      '`project` is named, put it for PROJECT. With `parent` the role is given in that folder or organization, and may list its projects.',
    permission: 'space.view',
    query: t.Object({
      write: t.Boolean({ default: false, description: 'true: also what starts, stops, scales and changes' }),
      project: t.Optional(
        t.String({ pattern: '^[a-z][a-z0-9-]{4,28}[a-z0-9]$', description: 'the id of the project' }),
      ),
      parent: t.Optional(
        t.String({
          pattern: '^(folders|organizations)/\\d{1,20}$',
          description:
            'the folder or the organization whose projects are all connected: folders/ID or organizations/ID',
        }),
      ),
    }),
    reply: Guide,
    handle: async ({ caller, query: { write, project = anyProject, parent } }, { identity }) => {
      const role = roleDocument({ write, ...(parent !== undefined && { parent }) })
      const [issuer, subject] = [identity.publicUrl(), subjectOf(caller.orgId)]
      return {
        provider: 'gcp' as const,
        role: { ...role },
        commands: roleCommands(role, project, parent),
        federation: { issuer, subject, commands: federationCommands({ issuer, subject, project }) },
        clusterRole: clusterRole(write ? ['read', 'write'] : ['read']),
        clusterCommands: clusterCommands(project),
      }
    },
  }),
]
