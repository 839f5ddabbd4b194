import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'

const group = defineEntity({
  name: 'ResourceGroup',
  tableName: 'resource_group',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    /** A UUID. */
    id: p.text().primary(),
    /** 1 to 100 characters; unique in the organization, ignoring case. */
    name: p.text(),
    description: p.text().nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  uniques: [
    {
      name: 'resource_group_name',
      expression: 'create unique index "resource_group_name" on "resource_group" ("org_id", lower("name"))',
    },
  ],
})

/**
 * Resources that are started, stopped, budgeted and watched together. Written only by
 * actors/attribution/group/change.ts.
 */
export class ResourceGroup extends group.class {}
group.setClass(ResourceGroup)

const member = defineEntity({
  name: 'ResourceGroupMember',
  tableName: 'resource_group_member',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    groupId: p.text().primary(),
    /** As the bill names it; it need not be in the inventory. */
    resourceUid: p.text().primary(),
    /** 1 or more: lower tiers start first. */
    tier: p.integer(),
    /** 0 or more: within a tier lower places start first, equal ones together. The API calls it `order`. */
    place: p.integer(),
    /** Since when it has been a member without interruption. */
    addedAt: p.datetime(3),
  },
  indexes: [{ properties: ['orgId', 'resourceUid'] }],
})

/**
 * A resource in a group, which has at most 2,000; it may be in several groups. Written only by
 * actors/attribution/group/change.ts.
 */
export class ResourceGroupMember extends member.class {}
member.setClass(ResourceGroupMember)
