import type { Capability } from '#actors/capability.ts'
import { autoscalerActor } from '#actors/autoscaling/actor.ts'
import { AutoscalerPolicy, RemovedAutoscalerPolicy, ScalingInfrastructure } from '#actors/autoscaling/entity.ts'
import { infrastructureWork } from '#actors/autoscaling/infrastructure/effect.ts'
import { infrastructureActor } from '#actors/autoscaling/infrastructure/infrastructure.ts'
import { removedActor } from '#actors/autoscaling/policy/removed-policy.ts'
import { targetWork } from '#actors/autoscaling/target/target.ts'

/** Autoscaler policies: the number of units of fleets, by load and by time. */
export const autoscaling: Capability = {
  word: 'autoscaling',
  entities: [AutoscalerPolicy, RemovedAutoscalerPolicy, ScalingInfrastructure],
  actors: [autoscalerActor, removedActor, infrastructureActor],
  effects: [targetWork, infrastructureWork],
  migrates: true,
}
