import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'
import type { desiredStates, overrideScopes, overrideStatuses } from '#streams/schedule.ts'

/** A resource in an account. */
interface OverrideMember {
  uid: string
  account: string
}

const override = defineEntity({
  name: 'Override',
  tableName: 'override',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    /** A UUID. */
    id: p.text().primary(),
    scopeType: p.text().$type<(typeof overrideScopes)[number]>(),
    /** uid of a resource, or id of a resource group. */
    scopeId: p.text(),
    desiredState: p.text().$type<(typeof desiredStates)[number]>(),
    status: p.text().$type<(typeof overrideStatuses)[number]>(),
    expiresAt: p.datetime(3),
    reason: p.text().nullable(),
    /** Who requested it, in person or with a token. */
    userId: p.text(),
    /** Its members when it was created. Which schedules it blocks is decided when they fire. */
    members: p.json<OverrideMember[]>(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
    /** When it expired or was cancelled. */
    endedAt: p.datetime(3).nullable(),
  },
  indexes: [
    { properties: ['orgId', 'createdAt'] },
    {
      name: 'override_active',
      expression: `create index "override_active" on "override" ("org_id", "scope_type", "scope_id") where status = 'active'`,
    },
  ],
})

/** Keeps resources in a state for a time, whatever schedules say. Written only by the override actor. */
export class Override extends override.class {}
override.setClass(Override)
