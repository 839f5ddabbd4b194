/** Policies of every domain (decision G-29). */
import type { EntityManager } from '@mikro-orm/postgresql'
import { changePolicy, makePolicy, removePolicy } from '#actors/policy/change.ts'
import type { Policy } from '#actors/policy/entity.ts'
import { foundPolicy, listPolicies } from '#actors/policy/queries.ts'
import { specErrorOf } from '#actors/tagging/policy/derive.ts'
import { taggingDomain } from '#actors/tagging/policy/policy.ts'
import { standings, type PolicyProgress } from '#actors/tagging/row.ts'
import { t, type Static } from '#engine/value/schema.ts'
import type { RecordChange } from '#engine/run/tell.ts'
import { Name, Timestamp } from '#http/edge/parameter/field.ts'
import { toPage, pageOf, paging, slice } from '#http/edge/parameter/paging.ts'
import { badInput } from '#http/edge/problem.ts'
import { route, type Request, type Route } from '#http/edge/route.ts'
import { recordEvent } from '#http/identity/organization/audit.ts'
import { adminText, checkReach } from '#http/policy/admin-check.ts'
import {
  checkSpec,
  domainNames,
  domainOf,
  findDomain,
  Spec,
  specErrors,
  ValidationReply,
  toValidationReply,
} from '#http/policy/spec.ts'
import { reply } from '#http/store/reply.ts'
import type { SecurityEventType } from '#streams/security.ts'

const PolicyView = t.Object(
  {
    id: t.String(),
    orgID: t.String(),
    domain: t.String(),
    targetType: t.String(),
    targetID: t.Optional(t.String()),
    name: t.String(),
    spec: t.Unknown({ description: 'as submitted' }),
    enabled: t.Boolean(),
    version: t.Integer({ description: 'starts at 1 and increases with each change' }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    pendingResources: t.Optional(
      t.Integer({
        description: 'domain tagging: resources not evaluated since its last change; a refresh evaluates them',
      }),
    ),
    cutResources: t.Optional(
      t.Integer({
        description:
          'domain tagging: resources that cannot receive its tag because older policies already set the maximum number',
      }),
    ),
    lastError: t.Optional(
      t.String({ description: 'domain tagging: why its previously accepted spec is ignored; absent if it is valid' }),
    ),
  },
  {
    title: 'Policy',
    examples: [
      {
        id: '1c5e6c1a-4d3f-4b0e-8a51-6c9d0e1f2a33',
        orgID: '9f4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a01',
        domain: 'tagging',
        targetType: 'org',
        name: 'Location of resources',
        spec: {
          key: 'location',
          value: { field: 'res.region' },
          selector: { all: [{ attr: 'res.provider', op: 'in', values: ['aws'] }] },
        },
        enabled: true,
        version: 1,
        createdAt: '2026-01-15T10:00:00.000Z',
        updatedAt: '2026-01-15T10:00:00.000Z',
        pendingResources: 0,
      },
    ],
  },
)
export type PolicyView = Static<typeof PolicyView>

const Domain = t.Enum(domainNames)
const Body = t.Object(
  {
    domain: Domain,
    targetType: t.Enum(['organisation']),
    name: Name,
    spec: Spec,
    enabled: t.Boolean({ description: 'false: kept without effect' }),
  },
  {
    examples: [
      {
        domain: 'tagging',
        targetType: 'organisation',
        name: 'Location',
        spec: taggingDomain.examples[0],
        enabled: true,
      },
    ],
  },
)
type Body = Static<typeof Body>

const show = (policy: Policy, more: Partial<PolicyView> = {}): PolicyView => ({
  id: policy.id,
  orgID: policy.orgId,
  domain: policy.domain,
  targetType: policy.targetType,
  ...(policy.targetId && { targetID: policy.targetId }),
  name: policy.name,
  spec: policy.spec,
  enabled: policy.enabled,
  version: policy.version,
  createdAt: policy.createdAt.toISOString(),
  updatedAt: policy.updatedAt.toISOString(),
  ...more,
})

/** What is known of a tagging policy beyond its row. */
function standingOf(policy: Policy, { pending, cut }: PolicyProgress) {
  const lastError = specErrorOf(policy)
  return { pendingResources: pending, cutResources: cut, ...(lastError !== undefined && { lastError }) }
}

async function toPolicyViews(em: EntityManager, orgId: string, policies: readonly Policy[]): Promise<PolicyView[]> {
  const ofTagging = policies.filter(({ domain }) => domain === taggingDomain.name)
  const standing = ofTagging.length > 0 ? await standings(em, orgId, ofTagging) : new Map<string, PolicyProgress>()
  return policies.map((policy) => {
    const own = standing.get(policy.id)
    return show(policy, own && standingOf(policy, own))
  })
}

const shownOne = async (em: EntityManager, policy: Policy): Promise<PolicyView> =>
  (await toPolicyViews(em, policy.orgId, [policy]))[0]!

type Requester = Pick<Request<unknown, unknown, unknown>, 'caller' | 'client'>

/** In the transaction of the change. */
async function record(
  { em, now }: RecordChange,
  { caller: { orgId, userId, principal }, client }: Requester,
  type: SecurityEventType,
  { id, domain, name }: Policy,
): Promise<void> {
  const detail = { policyID: id, domain, name }
  await recordEvent(em, { type, orgId, userId, principal, detail }, client, now())
}

const givenOf = ({ targetType, name, spec, enabled }: Body) => ({ targetType, name, spec, enabled })

const routeBase = { tags: ['Policies'] } as const
const params = t.Object({ policyID: t.String({ description: 'as in GET /policies' }) })

export const policies: readonly Route[] = [
  route({
    ...routeBase,
    method: 'POST',
    path: '/policies',
    summary: 'Create a policy',
    description:
      'The spec contains its domain. An invalid spec is rejected with all errors and their positions. Names are unique ' +
      'within a domain, case-insensitive. A tagging policy takes effect on a resource when it is next discovered, or at the ' +
      `next refresh, and requires a role that sees all costs. ${adminText}`,
    permission: 'service.create',
    unscoped: true,
    status: 201,
    headers: { Location: 'URL of the new policy' },
    body: Body,
    reply: PolicyView,
    refuses: { 409: ['already_exists'], 422: ['limit_reached'] },
    handle: (request, { change }) =>
      change(async (tx) => {
        const domain = domainOf(request.body.domain)
        checkReach(request.caller, domain)
        await checkSpec(domain, request.body.spec, tx.em, tx.orgId)
        const policy = await makePolicy(tx, domain, givenOf(request.body))
        await record(tx, request, 'policy_created', policy)
        return reply(await shownOne(tx.em, policy), { headers: { Location: `/policies/${policy.id}` } })
      }),
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/policies',
    summary: 'List policies by domain, oldest first',
    description: 'Each with its spec, its version and its progress. Without domain, lists all domains.',
    permission: 'service.view',
    query: t.Object({ domain: t.Optional(Domain), ...paging(20, 100) }),
    reply: pageOf(PolicyView),
    handle: async ({ caller: { orgId }, query }, { em }) => {
      const { items, total } = await listPolicies(em, orgId, query.domain, slice(query))
      return toPage({ items: await toPolicyViews(em, orgId, items), total }, query)
    },
  }),

  route({
    ...routeBase,
    method: 'POST',
    path: '/policies/validations',
    readOnly: true,
    summary: 'Validate a policy spec; nothing is stored',
    description:
      'Also returns 200 for an invalid spec: valid is then false, and errors gives each position as a JSON pointer. Requires no permission to make changes.',
    permission: 'service.view',
    body: t.Object(
      { domain: Domain, spec: Spec },
      { examples: [{ domain: 'tagging', spec: taggingDomain.examples[0] }] },
    ),
    reply: ValidationReply,
    example: { valid: false, errors: [{ path: '/key', code: 'required', message: 'is required' }] },
    handle: async ({ caller: { orgId }, body: { domain, spec } }, { em }) =>
      toValidationReply(await specErrors(domainOf(domain), spec, em, orgId)),
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/policies/:policyID',
    summary: 'Get a policy',
    description: 'Includes its spec as submitted, its version, and the number of resources not evaluated yet.',
    permission: 'service.view',
    params,
    reply: PolicyView,
    handle: async ({ caller: { orgId }, params: { policyID } }, { em }) =>
      shownOne(em, await foundPolicy(em, orgId, policyID)),
  }),

  route({
    ...routeBase,
    method: 'PUT',
    path: '/policies/:policyID',
    summary: 'Replace a policy; its domain cannot be changed',
    description: adminText,
    permission: 'service.update',
    unscoped: true,
    params,
    body: Body,
    reply: PolicyView,
    refuses: { 409: ['already_exists'] },
    handle: (request, { change }) =>
      change(async (tx) => {
        const { params: at, body } = request
        const before = await foundPolicy(tx.em, tx.orgId, at.policyID)
        if (before.domain !== body.domain)
          throw badInput({
            in: 'body',
            name: '/domain',
            code: 'domain',
            message: `must be ${before.domain}: the domain of a policy cannot be changed`,
          })
        const domain = domainOf(body.domain)
        checkReach(request.caller, domain)
        await checkSpec(domain, body.spec, tx.em, tx.orgId)
        const policy = await changePolicy(tx, domain, at.policyID, givenOf(body))
        await record(tx, request, 'policy_changed', policy)
        return shownOne(tx.em, policy)
      }),
  }),

  route({
    ...routeBase,
    method: 'DELETE',
    path: '/policies/:policyID',
    summary: 'Delete a policy',
    description: adminText,
    permission: 'service.delete',
    unscoped: true,
    status: 204,
    params,
    handle: (request, { change }) =>
      change(async (tx) => {
        const { domain } = await foundPolicy(tx.em, tx.orgId, request.params.policyID)
        const found = findDomain(domain)
        if (found) checkReach(request.caller, found)
        const policy = await removePolicy(tx, found, request.params.policyID)
        await record(tx, request, 'policy_deleted', policy)
      }),
  }),
]
