import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'

const team = defineEntity({
  name: 'Team',
  tableName: 'team',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    /** A UUID. */
    id: p.text().primary(),
    /** 1 to 100 characters; unique in the organization, ignoring case. */
    name: p.text(),
    description: p.text().nullable(),
    /** Members of the organization when they were added; sorted. */
    memberUserIds: p.json<string[]>(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  uniques: [{ name: 'team_name', expression: 'create unique index "team_name" on "team" ("org_id", lower("name"))' }],
})

/** An owner of costs. Written only by actors/attribution/team/change.ts. */
export class Team extends team.class {}
team.setClass(Team)

const teamResource = defineEntity({
  name: 'TeamResource',
  tableName: 'team_resource',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    /** As the bill names it; it need not be in the inventory. */
    resourceUid: p.text().primary(),
    teamId: p.text(),
    assignedAt: p.datetime(3),
  },
  indexes: [{ properties: ['orgId', 'teamId'] }],
})

/**
 * The manually assigned team of a resource; each resource has at most one. Written only by
 * actors/attribution/team/change.ts.
 */
export class TeamResource extends teamResource.class {}
teamResource.setClass(TeamResource)
