/** The context of one resource: its owner, its tags with their sources, its price, and whether it can be stopped. */
import { powerRefusal } from '#actors/action/power/refusal.ts'
import { findAccount } from '#actors/account/queries.ts'
import { groupsOf, isGivenByHand, teamsOf } from '#actors/attribution/resource-owner.ts'
import { tagsOf } from '#actors/tagging/resource-tag.ts'
import type { Resource } from '#actors/resource/entity.ts'
import { findResource } from '#actors/resource/queries.ts'
import { resourcesOfUids } from '#actors/resource/row.ts'
import { tagSources } from '#analytics/tagging/questions.ts'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { orNull } from '#http/edge/parameter/field.ts'
import { route, type Request, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { scopeOf } from '#http/report/filter/filter.ts'

export const ResourceTeam = t.Object({
  id: t.String({ description: 'unassigned: no team' }),
  name: t.String({ description: 'empty if it has none' }),
})

const Context = t.Object(
  {
    id: t.String(),
    uid: t.String(),
    team: ResourceTeam,
    teamGivenBy: t.Enum(['hand', 'rule', 'nobody'], { description: 'assigned manually: rules do not change it' }),
    groups: t.Array(t.Object({ id: t.String(), name: t.String() }), { description: 'resource groups, sorted by name' }),
    tags: t.Array(
      t.Object({
        key: t.String(),
        value: t.String(),
        source: t.Enum(tagSources, {
          description: 'the cloud, an accepted policy suggestion, or an accepted prediction',
        }),
      }),
      { description: 'as counted in reports, by key' },
    ),
    hourlyRateUSD: orNull(
      t.Number({
        description: 'price per running hour as reported by its producer: the saving per stopped hour; null: not known',
      }),
    ),
    power: t.Object({
      isPossible: t.Boolean({ description: 'whether POST /actions can start and stop it' }),
      code: t.Optional(t.String({ description: 'if it cannot: the error code of POST /actions' })),
      reason: t.Optional(t.String({ description: 'reason, for display' })),
    }),
  },
  {
    title: 'ResourceContext',
    examples: [
      {
        id: '5f0c9d1e-7a44-8b0d-9c55-0d6f8f1b2c3d',
        uid: 'i-0a1b2c3d4e5f60718',
        team: { id: '0c6f2a52-7d1e-4a3b-9c64-0b5d1f2e3a47', name: 'Shop' },
        teamGivenBy: 'rule',
        groups: [],
        tags: [{ key: 'env', value: 'prod', source: 'cloud' }],
        hourlyRateUSD: 0.096,
        power: { isPossible: true },
      },
    ],
  },
)

/** @throws Fault `missing`, also if the caller's role may not see it */
async function getResource(
  { caller }: Request<unknown, unknown, unknown>,
  id: string,
  { em }: Services,
): Promise<Resource> {
  const resource = await findResource(em, caller.orgId, id)
  const seen = resource && (await resourcesOfUids(em, caller.orgId, [resource.uid], scopeOf(caller)))
  if (!resource || !seen?.some((one) => one.id === resource.id)) throw Fault.missing('resource', id)
  return resource
}

async function powerOf({ orgId, cloudAccountId, schedulable }: Resource, { em }: Services) {
  const account = await findAccount(em, orgId, cloudAccountId)
  const refusal = account
    ? powerRefusal({ schedulable, accountStatus: account.status, permissionVerdict: account.permissionVerdict })
    : Fault.missing('cloud account', cloudAccountId)
  return refusal ? { isPossible: false, code: refusal.code, reason: refusal.message } : { isPossible: true }
}

export const resourceContexts: readonly Route[] = [
  route({
    method: 'GET',
    path: '/resources/:resourceID/context',
    summary: 'Get the team, tag sources, hourly price and schedulability of a resource',
    description: 'A role that is limited to some accounts or teams only sees this for their resources.',
    permission: 'service.view',
    tags: ['Resources'],
    params: t.Object({ resourceID: t.String() }),
    reply: Context,
    refuses: { 422: ['report_too_large'] },
    handle: async (request, services) => {
      const resource = await getResource(request, request.params.resourceID, services)
      const { em } = services
      const { id, uid, orgId, hourlyRateUsd: rate } = resource
      const team = (await teamsOf(em, orgId, [id])).get(id) ?? { id: 'unassigned', name: '' }
      const teamGivenBy: Static<typeof Context>['teamGivenBy'] =
        team.id === 'unassigned' ? 'nobody' : (await isGivenByHand(em, resource)) ? 'hand' : 'rule'
      return {
        id,
        uid,
        team,
        teamGivenBy,
        groups: (await groupsOf(em, resource)).map((group) => ({ id: group.id, name: group.name })),
        tags: await tagsOf(em, resource),
        hourlyRateUSD: rate && rate > 0 ? rate : null,
        power: await powerOf(resource, services),
      }
    },
  }),
]
