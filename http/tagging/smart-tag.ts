/** Tags that policies derive, for people to accept (decision G-37). */
import { foundPolicy } from '#actors/policy/queries.ts'
import { Selector, selectorErrors, resourceAttrs } from '#actors/policy/selector.ts'
import { taggingDomain } from '#actors/tagging/policy/policy.ts'
import { findSmartTags, smartTagCounts, smartTagPage, smartTagStatuses, type SmartTagRow } from '#actors/tagging/row.ts'
import { TagRun, tagRunStatuses } from '#actors/tagging/run/entity.ts'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { actorReply } from '#http/edge/request/decode.ts'
import { orNull, ProviderName, ProviderParameter, Timestamp, timestamp } from '#http/edge/parameter/field.ts'
import { badInput, inputFault } from '#http/edge/problem.ts'
import { route, type Request, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { recordEvent } from '#http/identity/organization/audit.ts'
import { scopeOf } from '#http/report/filter/filter.ts'
import { checkMayMove, pageOfTwice, twiceNamed } from '#http/tagging/sight.ts'
import { ResourceUid } from '#streams/attribution.ts'
import { derivedMax, smartTagDecided, tagRunWanted } from '#streams/tagging.ts'
import { text } from '#streams/text.ts'

const Tags = t.Record(t.String(), t.String())
const Entry = t.Object(
  {
    resourceUid: t.String(),
    resourceName: t.String(),
    resourceType: t.String(),
    provider: ProviderName,
    cloudAccountId: t.String(),
    derived: Tags,
    accepted: Tags,
    pending: t.Record(t.String(), t.String(), { description: 'derived tags that are not accepted' }),
  },
  {
    title: 'SmartTagEntry',
    examples: [
      {
        resourceUid: 'i-0a1b2c3d4e5f60718',
        resourceName: 'shop-prod-web-1',
        resourceType: 'aws-ec2',
        provider: 'aws',
        cloudAccountId: 'acct-1',
        derived: { location: 'us-east-1' },
        accepted: {},
        pending: { location: 'us-east-1' },
      },
    ],
  },
)
export type SmartTagEntry = Static<typeof Entry>

const show = ({ derived, accepted, ...row }: SmartTagRow): SmartTagEntry => ({
  resourceUid: row.uid,
  resourceName: row.name,
  resourceType: row.type,
  provider: row.provider,
  cloudAccountId: row.cloud_account_id,
  derived,
  accepted,
  pending: Object.fromEntries(Object.entries(derived).filter(([key, value]) => accepted[key] !== value)),
})

/** Decodes the actor's reply to a decision. */
const readDecideReply = actorReply(t.Pick(Entry, ['derived', 'accepted']))

const Key = text({ minLength: 1, maxLength: 128 })
const PatchBody = t.Object(
  {
    resourceUid: ResourceUid,
    keys: t.Optional(
      t.Array(Key, { maxItems: derivedMax, description: 'tag keys; an empty list is treated as absent' }),
    ),
    all: t.Optional(t.Boolean({ description: 'true: all pending tags, regardless of keys; only when accepting' })),
    accepted: t.Boolean({ description: 'true accepts; false revokes accepted tags' }),
  },
  { examples: [{ resourceUid: 'i-1', keys: ['location'], accepted: true }] },
)

/** The decision for a resource. @throws Fault `invalid` if no tag is named, or all are revoked */
function wantedOf({ keys = [], all = false, accepted }: Static<typeof PatchBody>) {
  if (all && !accepted)
    throw badInput({ in: 'body', name: '/all', code: 'accept_only', message: 'is only allowed with accepted: true' })
  if (!all && keys.length === 0)
    throw badInput({ in: 'body', name: '/keys', code: 'required', message: 'must name a key, unless all is true' })
  return all ? { accepted, keys: [], all } : { accepted, keys }
}

type Requester = Pick<Request<unknown, unknown, unknown>, 'caller' | 'client'>

async function decide(
  { caller, client, body }: Requester & { body: Static<typeof PatchBody> },
  { em, ask, now, newId }: Services,
): Promise<SmartTagEntry> {
  const wanted = wantedOf(body)
  const { resourceUid } = body
  const { orgId, userId, principal } = caller
  const row = await findSmartTags(em, orgId, scopeOf(caller).scope, resourceUid)
  if (!row) throw Fault.missing('resource', resourceUid)
  await checkMayMove(caller, async (scope) => (await findSmartTags(em, orgId, scope, resourceUid)) !== undefined)
  const { cloud_account_id: cloudAccountId } = row
  const answer = await ask(smartTagDecided, { cloudAccountId, resourceUid, userId, ...wanted }).catch((error) => {
    throw inputFault(error, 'body')
  })
  const keys = wanted.all ? '*' : wanted.keys.join(', ')
  const detail = { resourceUID: resourceUid, cloudAccountID: cloudAccountId, accepted: String(body.accepted), keys }
  const happened = { id: newId(), type: 'smart_tags_decided', orgId, userId, principal, detail } as const
  await em.transactional((tx) => recordEvent(tx, happened, client, now()))
  return show({ ...row, ...readDecideReply(answer) })
}

const ManyBody = t.Object(
  {
    policyID: t.Optional(text({ minLength: 1, maxLength: 64, description: 'tags derived by this policy' })),
    key: t.Optional(text({ minLength: 1, maxLength: 128, description: 'tags derived with this key' })),
    selector: t.Optional(Selector),
  },
  {
    description: 'exactly one of policyID and key',
    examples: [{ key: 'location', selector: { all: [{ attr: 'res.provider', op: 'in', values: ['aws'] }] } }],
  },
)

/** @throws Fault `invalid`, or `missing` for an unknown policy */
async function checkMany({ policyID, key, selector }: Static<typeof ManyBody>, em: Services['em'], orgId: string) {
  if ((policyID === undefined) === (key === undefined))
    throw badInput({ in: 'body', name: '', code: 'one_of', message: 'must have exactly one of policyID and key' })
  const errors = selector ? selectorErrors(selector, resourceAttrs) : []
  if (errors.length > 0)
    throw badInput(...errors.map(({ path, ...error }) => ({ in: 'body' as const, name: path, ...error })))
  if (policyID === undefined) return
  const policy = await foundPolicy(em, orgId, policyID)
  if (policy.domain !== taggingDomain.name) throw Fault.missing('tagging policy', policyID)
}

const readRunReply = actorReply(t.Object({ runId: t.String(), status: t.Enum(tagRunStatuses) }))

async function acceptMany(
  { caller, client, body }: Requester & { body: Static<typeof ManyBody> },
  { em, ask, now, newId }: Services,
) {
  const { orgId, userId, principal } = caller
  await checkMany(body, em, orgId)
  const { policyID: policyId, key, selector } = body
  const what = policyId === undefined ? { key: key! } : { policyId }
  const wanted = { kind: 'accept', userId, ...what, ...(selector && { selector }) } as const
  const { runId, status } = readRunReply(await ask(tagRunWanted, { runId: newId(), wanted }))
  const detail = { runID: runId, ...(policyId === undefined ? { key: key! } : { policyID: policyId }) }
  const happened = { id: newId(), type: 'smart_tags_accept_all', orgId, userId, principal, detail } as const
  await em.transactional((tx) => recordEvent(tx, happened, client, now()))
  return { id: runId, status }
}

const sizeDefault = 20
const routeBase = { tags: ['Tagging'] } as const
const RunStatus = t.Enum(tagRunStatuses)

export const smartTags: readonly Route[] = [
  route({
    ...routeBase,
    method: 'GET',
    path: '/smart-tags',
    summary: 'List tags derived by policies, pending and accepted, sorted by resource name',
    description:
      'Accepted tags count in reports if the cloud has no tag with the key; nothing is ever written to a cloud. For a UID ' +
      'that several accounts share, returns the entry of the account discovered last.',
    permission: 'service.view',
    query: t.Object({
      status: t.Optional(t.Enum(smartTagStatuses, { description: 'only entries with tags of this kind' })),
      provider: t.Optional(ProviderParameter),
      ...twiceNamed(sizeDefault, 100),
    }),
    reply: t.Object({
      items: t.Array(Entry),
      hasMore: t.Boolean(),
      limit: t.Integer(),
      counts: t.Object(
        { pending: t.Integer(), accepted: t.Integer() },
        { description: 'number of entries with pending tags, and with accepted tags, regardless of filters' },
      ),
    }),
    example: {
      items: [
        {
          resourceUid: 'i-0a1b2c3d4e5f60718',
          resourceName: 'shop-prod-web-1',
          resourceType: 'aws-ec2',
          provider: 'aws',
          cloudAccountId: 'acct-1',
          derived: { location: 'us-east-1' },
          accepted: {},
          pending: { location: 'us-east-1' },
        },
      ],
      hasMore: false,
      limit: 20,
      counts: { pending: 1, accepted: 0 },
    },
    handle: async ({ caller, query }, { em }) => {
      const { page, limit } = pageOfTwice(query, sizeDefault)
      const { scope } = scopeOf(caller)
      const slice = { limit: limit + 1, offset: (page - 1) * limit }
      const [found, counts] = await Promise.all([
        smartTagPage(em, caller.orgId, scope, query, slice),
        smartTagCounts(em, caller.orgId, scope),
      ])
      return { items: found.slice(0, limit).map(show), hasMore: found.length > limit, limit, counts }
    },
  }),

  route({
    ...routeBase,
    method: 'PATCH',
    path: '/smart-tags',
    summary: 'Accept derived tags of a resource, or revoke accepted ones',
    description: 'If a key cannot be accepted or revoked, the request is rejected and nothing is changed.',
    permission: 'service.update',
    body: PatchBody,
    reply: Entry,
    refuses: { 403: ['report_scope'], 404: ['not_found'] },
    handle: decide,
  }),

  route({
    ...routeBase,
    method: 'POST',
    path: '/smart-tags/accept-all',
    summary: 'Accept the tags of a policy, or of a key, on all resources',
    description: 'Accepts pending tags resource by resource, as if each had been requested separately.',
    permission: 'service.update',
    unscoped: true,
    status: 202,
    body: ManyBody,
    reply: t.Object({ id: t.String(), status: RunStatus }),
    example: { id: '9a1f6f0e-1e4a-4a36-9a43-0f9f2b9f6a01', status: 'queued' },
    refuses: { 404: ['not_found'] },
    handle: acceptMany,
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/smart-tags/accept-all/:runID',
    summary: 'Get the status of a bulk acceptance, and the number of resources processed',
    description:
      'Poll until status is completed or failed. failure has the reason why it failed; tags accepted until then are kept.',
    permission: 'service.view',
    params: t.Object({ runID: t.String({ description: 'ID returned by POST /smart-tags/accept-all' }) }),
    reply: t.Object({
      id: t.String(),
      status: RunStatus,
      resources: t.Integer({ description: 'number of resources processed, once it has finished' }),
      startedAt: Timestamp,
      endedAt: orNull(Timestamp),
      failure: t.Optional(t.String()),
    }),
    example: {
      id: '9a1f6f0e-1e4a-4a36-9a43-0f9f2b9f6a01',
      status: 'completed',
      resources: 12,
      startedAt: '2026-01-15T10:00:00.000Z',
      endedAt: '2026-01-15T10:00:04.000Z',
    },
    handle: async ({ caller: { orgId }, params: { runID } }, { em }) => {
      const run = await em.findOne(TagRun, { orgId, key: runID, runId: runID }, { refresh: true })
      if (!run) throw Fault.missing('run', runID)
      return {
        id: run.runId,
        status: run.status,
        resources: run.resources,
        startedAt: run.startedAt.toISOString(),
        endedAt: timestamp(run.endedAt),
        ...(run.failure && { failure: run.failure }),
      }
    },
  }),
]
