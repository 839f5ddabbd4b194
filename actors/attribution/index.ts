import { accountRuleWork } from '#actors/attribution/shared-cost/account-rule.ts'
import { allocationDomain } from '#actors/attribution/allocation/allocation.ts'
import { attributionActor } from '#actors/attribution/actor.ts'
import { allocationWork } from '#actors/attribution/allocation/allocate.ts'
import { AllocatedResource } from '#actors/attribution/allocation/entity.ts'
import { AttributionClock, AttributionLog } from '#actors/attribution/entity.ts'
import { ResourceGroup, ResourceGroupMember } from '#actors/attribution/group/entity.ts'
import { sharedCostDomain } from '#actors/attribution/shared-cost/shared-cost.ts'
import { Team, TeamResource } from '#actors/attribution/team/entity.ts'
import type { Capability } from '#actors/capability.ts'

/** Teams and resource groups: who owns which costs. */
export const attribution: Capability = {
  word: 'attribution',
  entities: [
    AttributionLog,
    AttributionClock,
    Team,
    TeamResource,
    ResourceGroup,
    ResourceGroupMember,
    AllocatedResource,
  ],
  actors: [attributionActor],
  projections: (tools) => [allocationWork(tools), accountRuleWork(tools)],
  policies: [allocationDomain, sharedCostDomain],
  migrates: true,
}
