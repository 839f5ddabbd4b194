/** The permissions of a connected account: whether it has each, what does not work without it, and what to add. */
import { t, type Static } from '#engine/value/schema.ts'
import { getAccount } from '#http/account/get-account.ts'
import { verify } from '#http/account/verification.ts'
import { route, type Route } from '#http/edge/route.ts'
import { azureStatement } from '#streams/cloud/azure/permission/policy.ts'
import { needs } from '#streams/cloud/kubernetes/api/permissions.ts'
import { isOwnCluster } from '#streams/cloud/kubernetes/own/account.ts'
import { permissions } from '#streams/cloud/permission/permission.ts'
import { accesses, type Permission } from '#streams/cloud/permission/permission-types.ts'
import { isProvider, type Provider } from '#streams/names.ts'

const Check = t.Object(
  {
    cloudAccountID: t.String(),
    verdict: t.Enum(['unknown', 'none', 'read_only', 'read_write']),
    message: t.Union([t.String(), t.Null()]),
    permissions: t.Array(
      t.Object({
        name: t.String({ description: "the cloud's own name for the permission" }),
        access: t.Enum(accesses),
        state: t.Enum(['granted', 'missing', 'unknown'], {
          description: 'unknown: the cloud cannot report this without performing the call',
        }),
        lost: t.Array(t.String(), { description: 'what does not work without it' }),
        statement: t.Object(
          {},
          { additionalProperties: true, description: "what to add to the policy, in the cloud's own syntax" },
        ),
      }),
      { description: 'missing permissions first; empty if the cloud does not report individual permissions' },
    ),
  },
  {
    title: 'PermissionCheck',
    examples: [
      {
        cloudAccountID: 'acct-1',
        verdict: 'read_only',
        message: null,
        permissions: [
          {
            name: 'rds:DescribeDBInstances',
            access: 'read',
            state: 'missing',
            lost: ['discovery: discover aws-rds'],
            statement: { Effect: 'Allow', Action: 'rds:DescribeDBInstances', Resource: '*' },
          },
        ],
      },
    ],
  },
)
export type AccountCheck = Static<typeof Check>

const lostOf = ({ use, call, types }: Permission): string => `${use}: ${call}${types ? ` ${types.join(', ')}` : ''}`

function toldOf(provider: Provider, name: string) {
  const rows = permissions[provider].filter(({ names }) => names.includes(name))
  const [first] = rows.flatMap(({ resources }) => (resources ? [resources] : []))
  const lost = [...new Set(rows.map(lostOf))]
  if (provider === 'gcp') return { lost, statement: { includedPermissions: [name] } }
  if (provider === 'azure') return { lost, statement: azureStatement(name) }
  return {
    lost,
    statement: { Effect: 'Allow', Action: name, Resource: first ? [...first] : '*' },
  }
}

/** In the syntax of a rule of a cluster role. */
function toldOfCluster(name: string) {
  const need = needs.find((one) => one.name === name)
  return {
    lost: need ? [need.purpose] : [],
    statement: need ? { apiGroups: [need.group], resources: [need.resource], verbs: [need.verb] } : {},
  }
}

const order = { missing: 0, unknown: 1, granted: 2 }

export const checks: readonly Route[] = [
  route({
    tags: ['Cloud accounts'],
    method: 'POST',
    path: '/cloud-accounts/:cloudAccountID/check',
    summary: 'Check the permissions of a cloud account one by one',
    description:
      'Queries the cloud and reports the state of each permission and what does not work without it, missing permissions first. Rejected credentials are reported as a verdict, not as an error. POST /cloud-accounts/{cloudAccountID}/verify checks the account as a whole.',
    permission: 'space.update',
    params: t.Object({ cloudAccountID: t.String() }),
    reply: Check,
    refuses: { 422: ['capability_missing'] },
    handle: async ({ caller, params: { cloudAccountID } }, services) => {
      const account = await getAccount(services.em, caller.orgId, cloudAccountID)
      const { verdict, message, permissions: each = [] } = await verify(account, services)
      const { provider } = account
      const tell = (name: string) =>
        isOwnCluster(account) ? toldOfCluster(name) : toldOf(isProvider(provider) ? provider : 'aws', name)
      const told = each
        .toSorted((a, b) => order[a.state] - order[b.state])
        .map((one) => ({ ...one, ...tell(one.name) }))
      return { cloudAccountID: account.id, verdict, message: message ?? null, permissions: told }
    },
  }),
]
