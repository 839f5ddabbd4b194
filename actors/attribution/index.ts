import { attributionActor } from '#actors/attribution/actor.ts'
import { AttributionClock, AttributionLog } from '#actors/attribution/entity.ts'
import { ResourceGroup, ResourceGroupMember } from '#actors/attribution/group-entity.ts'
import { Team, TeamResource } from '#actors/attribution/team-entity.ts'
import type { Capability } from '#actors/capability.ts'

/** Teams and resource groups: whose costs are. */
export const attribution: Capability = {
  word: 'attribution',
  entities: [AttributionLog, AttributionClock, Team, TeamResource, ResourceGroup, ResourceGroupMember],
  actors: [attributionActor],
}
