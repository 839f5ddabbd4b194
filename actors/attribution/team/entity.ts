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
    /** 1 to 100 characters; one team of an organization has it, whatever its case. */
    name: p.text(),
    description: p.text().nullable(),
    /** Members of the organization when they were named; in order of the alphabet. */
    memberUserIds: p.json<string[]>(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  uniques: [{ name: 'team_name', expression: 'create unique index "team_name" on "team" ("org_id", lower("name"))' }],
})

/** Whose the cost of resources is. Written only by actors/attribution/team/change.ts. */
export class Team extends team.class {}
team.setClass(Team)

const teamResource = defineEntity({
  name: 'TeamResource',
  tableName: 'team_resource',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    /** As bills name it: the inventory need not know it. */
    resourceUid: p.text().primary(),
    teamId: p.text(),
    assignedAt: p.datetime(3),
  },
  indexes: [{ properties: ['orgId', 'teamId'] }],
})

/** The one team of a resource; without a row it is unassigned. Written only by actors/attribution/team/change.ts. */
export class TeamResource extends teamResource.class {}
teamResource.setClass(TeamResource)
