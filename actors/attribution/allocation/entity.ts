import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'

const allocatedResource = defineEntity({
  name: 'AllocatedResource',
  tableName: 'allocated_resource',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    cloudAccountId: p.text().primary(),
    /** As the bill names it; it need not be in the inventory. */
    resourceUid: p.text().primary(),
    teamId: p.text(),
    /** The policy of domain `allocation` that assigned it. */
    policyId: p.text(),
    since: p.datetime(3),
  },
  indexes: [{ properties: ['orgId', 'teamId'] }, { properties: ['orgId', 'resourceUid'] }],
})

/**
 * The team of a resource by rule; a manual assignment takes precedence. Written only by
 * actors/attribution/allocation/allocate.ts.
 */
export class AllocatedResource extends allocatedResource.class {}
allocatedResource.setClass(AllocatedResource)
