/** Predicted tags of resources, for people to decide about (decisions G-35, G-36). */
import {
  findSuggestion,
  suggestionCount,
  suggestionPage,
  suggestionStatuses,
  type SuggestionFilter,
  type SuggestionRow,
  type SuggestionStatus,
} from '#actors/tagging/row.ts'
import { Fault } from '#engine/value/fault.ts'
import { uuidOf } from '#engine/value/id.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { actorReply } from '#http/edge/request/decode.ts'
import { orNull, ProviderName, ProviderParameter, Timestamp } from '#http/edge/parameter/field.ts'
import { toPage, pageOf, slice } from '#http/edge/parameter/paging.ts'
import { route, type Request, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { recordEvent } from '#http/identity/organization/audit.ts'
import { checkMayMove, pageOfTwice, sightOf, twiceNamed } from '#http/tagging/sight.ts'
import { ResourceUid } from '#streams/attribution.ts'
import { environments, suggestionDecided } from '#streams/tagging.ts'

const SuggestionView = t.Object(
  {
    id: t.String(),
    orgId: t.String(),
    resourceUid: t.String(),
    resourceName: t.String(),
    resourceType: t.String(),
    provider: ProviderName,
    cloudAccountId: t.String(),
    predictedEnv: t.String({
      enum: [...environments, ''],
      description: 'empty if it was accepted without its environment',
    }),
    predictedNoStop: t.Boolean({ description: 'true: should not be stopped' }),
    extraTags: t.Record(t.String(), t.String(), { description: 'such as owner' }),
    confidence: t.Integer({ minimum: 1, maximum: 100 }),
    reason: t.String({ description: 'signals for this prediction' }),
    acceptedAt: orNull(Timestamp),
    rejectedAt: orNull(Timestamp),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  {
    title: 'Suggestion',
    examples: [
      {
        id: '4e2f6f0e-1e4a-8a36-9a43-0f9f2b9f6a01',
        orgId: '9f4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a01',
        resourceUid: 'i-0a1b2c3d4e5f60718',
        resourceName: 'shop-prod-web-1',
        resourceType: 'aws-ec2',
        provider: 'aws',
        cloudAccountId: 'acct-1',
        predictedEnv: 'prod',
        predictedNoStop: true,
        extraTags: { owner: 'shop' },
        confidence: 92,
        reason: 'its name contains prod; it runs day and night',
        acceptedAt: null,
        rejectedAt: null,
        createdAt: '2026-01-15T10:00:00.000Z',
        updatedAt: '2026-01-15T10:00:00.000Z',
      },
    ],
  },
)
export type SuggestionView = Static<typeof SuggestionView>

/** Decodes the actor's reply to a decision; a repeat gets the same one. */
const readDecideReply = actorReply(
  t.Pick(SuggestionView, [
    'predictedEnv',
    'predictedNoStop',
    'extraTags',
    'confidence',
    'reason',
    'acceptedAt',
    'rejectedAt',
    'createdAt',
    'updatedAt',
  ]),
)

const iso = (at: string): string => new Date(at).toISOString()

const show = (row: SuggestionRow): SuggestionView => ({
  id: row.id,
  orgId: row.org_id,
  resourceUid: row.uid,
  resourceName: row.name,
  resourceType: row.type,
  provider: row.provider,
  cloudAccountId: row.cloud_account_id,
  predictedEnv: row.predicted_env,
  predictedNoStop: row.predicted_no_stop,
  extraTags: row.extra_tags,
  confidence: row.confidence,
  reason: row.reason,
  acceptedAt: row.accepted_at && iso(row.accepted_at),
  rejectedAt: row.rejected_at && iso(row.rejected_at),
  createdAt: iso(row.suggested_at!),
  updatedAt: iso(row.updated_at!),
})

interface Decision {
  status: 'accepted' | 'rejected'
  acceptEnv?: boolean
  acceptNoStop?: boolean
  acceptOwner?: boolean
}

type Requester = Pick<Request<unknown, unknown, unknown>, 'caller' | 'client'>

/** @throws Fault `missing` if the caller may not see it, `conflict` `invalid_transition` if it was decided before */
async function decide(
  { caller, client }: Requester,
  uid: string,
  decision: Decision,
  { em, ask, now, newId }: Services,
): Promise<SuggestionView> {
  const { orgId, userId, principal } = caller
  const row = await findSuggestion(em, orgId, sightOf(caller), uid)
  if (!row) throw Fault.missing('suggestion', uid)
  const sight = sightOf(caller)
  await checkMayMove(caller, async (scope) => (await findSuggestion(em, orgId, { ...sight, scope }, uid)) !== undefined)
  const { cloud_account_id: cloudAccountId } = row
  const answer = await ask(suggestionDecided, { cloudAccountId, resourceUid: uid, userId, ...decision })
  const detail = { resourceUID: uid, cloudAccountID: cloudAccountId, status: decision.status }
  const happened = { id: newId(), type: 'suggestion_decided', orgId, userId, principal, detail } as const
  await em.transactional((tx) => recordEvent(tx, happened, client, now()))
  return { ...show(row), ...readDecideReply(answer) }
}

const filters = {
  status: t.Optional(t.Enum(suggestionStatuses, { description: 'default: all' })),
  provider: t.Optional(ProviderParameter),
  confidence_min: t.Optional(t.Integer({ minimum: 1, maximum: 100, description: 'at least this confidence, percent' })),
  search: t.Optional(
    t.String({ maxLength: 2048, description: "part of the resource's name or UID, case-insensitive" }),
  ),
  accepted: t.Optional(
    t.Boolean({
      deprecated: true,
      description: 'true is status accepted, false is status pending; status takes precedence',
    }),
  ),
}

const filterOf = (query: Static<ReturnType<typeof t.Object<typeof filters>>>): SuggestionFilter => {
  const { status, provider, accepted, confidence_min: confidenceMin, search } = query
  const legacy: SuggestionStatus | undefined = accepted === undefined ? undefined : accepted ? 'accepted' : 'pending'
  return { status: status ?? legacy, provider, confidenceMin, search }
}

const sizeDefault = 10
const routeBase = { tags: ['Tagging'] } as const
const OneBody = t.Object({ resourceUid: ResourceUid }, { examples: [{ resourceUid: 'projects/shop/instances/web-1' }] })
const flag = (what: string) => t.Optional(t.Boolean({ description: `false: accept without ${what}` }))

/** For uids with slashes, which some clients split when they are in a path. */
const byBody = (path: string, summary: string, status: Decision['status']) =>
  route({
    ...routeBase,
    method: 'POST',
    path,
    summary,
    description:
      'Same as PATCH /autotagging/{resourceUid} for the whole suggestion, for UIDs with slashes. Returns 409 if it is already decided.',
    permission: 'service.update',
    body: OneBody,
    reply: SuggestionView,
    refuses: { 403: ['report_scope'], 404: ['not_found'], 409: ['invalid_transition'] },
    handle: (request, services) => decide(request, request.body.resourceUid, { status }, services),
  })

/** Decisions of one request, and how many of them at a time. */
const decisionsMax = 100
const decisionsAtOnce = 10

const ManyBody = t.Object(
  {
    status: t.Enum(['accepted', 'rejected']),
    resourceUids: t.Array(ResourceUid, { minItems: 1, maxItems: decisionsMax }),
  },
  { examples: [{ status: 'accepted', resourceUids: ['i-0a1b2c3d4e5f60718', 'projects/shop/instances/web-1'] }] },
)

const ManyDecided = t.Object(
  {
    decided: t.Array(t.String(), { description: 'resource UIDs, in the order of the request' }),
    failed: t.Array(t.Object({ resourceUid: t.String(), code: t.String(), message: t.String() })),
  },
  {
    title: 'SuggestionsDecided',
    examples: [
      {
        decided: ['i-0a1b2c3d4e5f60718'],
        failed: [
          {
            resourceUid: 'projects/shop/instances/web-1',
            code: 'invalid_transition',
            message: 'This suggestion was already accepted or rejected.',
          },
        ],
      },
    ],
  },
)

/** Decides each suggestion for itself: one that is refused does not stop the others. A repeat decides nothing twice. */
async function decideMany(
  requester: Requester,
  { status, resourceUids }: Static<typeof ManyBody>,
  services: Services,
): Promise<Static<typeof ManyDecided>> {
  const uids = [...new Set(resourceUids)]
  const failed: Static<typeof ManyDecided>['failed'] = []
  const request = services.newId()
  const decideOne = async (resourceUid: string): Promise<string[]> => {
    const id = (what: string) => uuidOf(what, request, resourceUid)
    // Ids that do not depend on which of them is first.
    const own: Services = {
      ...services,
      newId: () => id('suggestion_decided'),
      ask: (subject, data) => services.ask(subject, data, id('suggestion')),
    }
    try {
      await decide(requester, resourceUid, { status }, own)
      return [resourceUid]
    } catch (error) {
      if (!(error instanceof Fault) || error.retryable) throw error
      failed.push({ resourceUid, code: error.code, message: error.message })
      return []
    }
  }
  const decided: string[] = []
  for (let at = 0; at < uids.length; at += decisionsAtOnce)
    decided.push(...(await Promise.all(uids.slice(at, at + decisionsAtOnce).map(decideOne))).flat())
  return { decided, failed }
}

export const suggestions: readonly Route[] = [
  route({
    ...routeBase,
    method: 'GET',
    path: '/autotagging',
    summary: 'List predictions for resources, highest confidence first',
    description:
      'Predictions have no effect until they are accepted, and nothing is ever written to a cloud. Only administrators see ' +
      'predictions with a confidence below 50. For a UID that several accounts share, returns the suggestion of the account ' +
      'discovered last.',
    permission: 'service.view',
    bare: true,
    query: t.Object({ ...filters, ...twiceNamed(sizeDefault, 100, { deprecated: true }) }),
    reply: pageOf(SuggestionView),
    handle: async ({ caller, query }, { em }) => {
      const page = pageOfTwice(query, sizeDefault)
      const found = await suggestionPage(em, caller.orgId, sightOf(caller), filterOf(query), slice(page))
      return toPage({ items: found.items.map(show), total: found.total }, page)
    },
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/autotagging/count',
    summary: 'Count the suggestions that match the list filters',
    description: 'Takes the filters of GET /autotagging. Returned as is, without data around it.',
    permission: 'service.view',
    bare: true,
    query: t.Object(filters),
    reply: t.Object({ count: t.Integer() }),
    example: { count: 18 },
    handle: async ({ caller, query }, { em }) => ({
      count: await suggestionCount(em, caller.orgId, sightOf(caller), filterOf(query)),
    }),
  }),

  byBody('/autotagging/accept', 'Accept all predictions for a resource', 'accepted'),
  byBody('/autotagging/reject', 'Reject all predictions for a resource', 'rejected'),

  route({
    ...routeBase,
    method: 'POST',
    path: '/autotagging/decide',
    summary: 'Accept or reject the predictions for up to 100 resources',
    description:
      'Each suggestion is decided for itself: those that are unknown or already decided are returned under failed, with ' +
      'the code that a single decision would return. Sending the request again decides nothing twice.',
    permission: 'service.update',
    body: ManyBody,
    reply: ManyDecided,
    handle: (request, services) => decideMany(request, request.body, services),
  }),

  route({
    ...routeBase,
    method: 'PATCH',
    path: '/autotagging/:resourceUid',
    summary:
      'Accept the predictions for a resource in full or in part, or reject them; returns 409 if they are already decided',
    description: 'The UID in the path is percent-encoded. Returns the decided suggestion.',
    permission: 'service.update',
    params: t.Object({ resourceUid: t.String({ description: 'resource UID, percent-encoded' }) }),
    body: t.Object(
      {
        status: t.Enum(['accepted', 'rejected']),
        acceptEnv: flag('its environment'),
        acceptNoStop: flag('its no-stop mark'),
        acceptOwner: flag('its owner'),
      },
      { examples: [{ status: 'accepted', acceptNoStop: false }] },
    ),
    reply: SuggestionView,
    refuses: { 403: ['report_scope'], 409: ['invalid_transition'] },
    handle: (request, services) => decide(request, request.params.resourceUid, request.body, services),
  }),
]
