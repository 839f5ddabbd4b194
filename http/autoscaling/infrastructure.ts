/** What policies need in the cloud of an account: permissions, and resources created there once (decision G-79). */
import type { ScalingInfrastructure } from '#actors/autoscaling/entity.ts'
import { findInfrastructure } from '#actors/autoscaling/target/queries.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { exampleIds } from '#http/autoscaling/example.ts'
import { providerOf } from '#http/autoscaling/native.ts'
import { askerOf, recordPolicy } from '#http/autoscaling/record.ts'
import { accountSeen } from '#http/autoscaling/target.ts'
import { actorReply } from '#http/edge/request/decode.ts'
import { orNull, ProviderName, Timestamp, timestamp } from '#http/edge/parameter/field.ts'
import { route, type Route } from '#http/edge/route.ts'
import { reply } from '#http/store/reply.ts'
import { infrastructureStatuses, infrastructureWanted } from '#streams/autoscaling.ts'
import { requiredPermissions } from '#streams/cloud/permission/permission.ts'
import { text } from '#streams/text.ts'

const InfrastructureView = t.Object(
  {
    cloudAccountID: t.String(),
    status: t.Enum(infrastructureStatuses, { description: 'overall readiness' }),
    createdAt: orNull(Timestamp),
    components: t.Object(
      { role: orNull(t.String()), runtime: orNull(t.String()) },
      { description: 'names assigned by the cloud; null until assigned, and if no names are needed' },
    ),
    message: t.Optional(t.String({ description: 'why it failed' })),
  },
  {
    title: 'ScalingInfrastructure',
    examples: [
      {
        cloudAccountID: exampleIds.account,
        status: 'ready',
        createdAt: '2030-01-07T13:00:02.000Z',
        components: { role: 'arn:aws:iam::123456789012:role/tidemark-scaling', runtime: 'tidemark-scaling' },
      },
    ],
  },
)

const show = (cloudAccountID: string, row: ScalingInfrastructure | null): Static<typeof InfrastructureView> => ({
  cloudAccountID,
  status: row?.status ?? 'not_created',
  createdAt: timestamp(row?.createdAt),
  components: { role: row?.role ?? null, runtime: row?.runtime ?? null },
  ...(row?.status === 'failed' && row.message && { message: row.message }),
})

const accountId = { description: 'as in GET /cloud-accounts', examples: [exampleIds.account] }
const ofAccount = t.Object({ cloud_account_id: t.String({ minLength: 1, maxLength: 1024, ...accountId }) })
const routeBase = { tags: ['Autoscaler policies'] } as const
const readReply = actorReply(t.Object({ isBegun: t.Boolean() }))

export const infrastructures: readonly Route[] = [
  route({
    ...routeBase,
    method: 'GET',
    path: '/autoscaler-policies/required-permissions',
    summary: "Get the permissions that an account's credentials need for its policies",
    description: 'Returns 422 capability_missing if the cloud of the account is not known yet.',
    permission: 'service.view',
    query: ofAccount,
    reply: t.Object({
      provider: ProviderName,
      permissions: t.Array(t.String({ description: "the cloud's own name" })),
    }),
    example: { provider: 'aws', permissions: ['autoscaling:UpdateAutoScalingGroup'] },
    refuses: { 404: ['not_found'], 422: ['capability_missing'] },
    handle: async ({ caller, query }, services) => {
      const provider = providerOf(await accountSeen(services, caller, query.cloud_account_id))
      return { provider, permissions: [...requiredPermissions(provider, 'autoscaling')] }
    },
  }),

  route({
    ...routeBase,
    method: 'POST',
    path: '/autoscaler-policies/create-infrastructure',
    summary: "Create the cloud infrastructure that an account's policies need, once",
    description:
      'Creates a role and a small function that reports fleet changes. Returns 202 when creation starts, or starts again ' +
      'after a failure, and 200 with the existing infrastructure otherwise. Returns 422 capability_missing for an account in ' +
      'which nothing can be created.',
    permission: 'service.create',
    status: 202,
    elseStatus: 200,
    body: t.Object(
      { cloudAccountID: text({ minLength: 1, maxLength: 1024, ...accountId }) },
      { examples: [{ cloudAccountID: exampleIds.account }] },
    ),
    reply: InfrastructureView,
    refuses: { 404: ['not_found'], 422: ['capability_missing'] },
    handle: async (request, services) => {
      const { caller, body } = request
      const { id } = await accountSeen(services, caller, body.cloudAccountID)
      const { isBegun } = readReply(
        await services.ask(infrastructureWanted, { cloudAccountId: id, userId: askerOf(caller) }),
      )
      const detail = { cloudAccountID: id, change: 'infrastructure_created' }
      if (isBegun) await recordPolicy(request, services, 'autoscaler_changed', detail)
      const shown = show(id, await findInfrastructure(services.em, caller.orgId, id))
      return reply(shown, { status: isBegun ? 202 : 200 })
    },
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/autoscaler-policies/infrastructure-status',
    summary: "Get the status of an account's infrastructure; poll until it is ready",
    description:
      'Returns the stored status without querying the cloud: not_created if no infrastructure was requested for the account.',
    permission: 'service.view',
    query: ofAccount,
    reply: InfrastructureView,
    refuses: { 404: ['not_found'] },
    handle: async ({ caller, query }, services) => {
      const { id } = await accountSeen(services, caller, query.cloud_account_id)
      return show(id, await findInfrastructure(services.em, caller.orgId, id))
    },
  }),
]
