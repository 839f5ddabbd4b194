import type { Capability } from '#actors/capability.ts'
import { taggingActor } from '#actors/tagging/actor.ts'
import { ResourceTagging } from '#actors/tagging/entity.ts'
import { taggingDomain } from '#actors/tagging/policy/policy.ts'
import { tagRunActor } from '#actors/tagging/run/run.ts'
import { TagRun } from '#actors/tagging/run/entity.ts'
import { tagRunWork } from '#actors/tagging/run/work.ts'

/** Tags that are predicted and derived, and accepted by people. */
export const tagging: Capability = {
  word: 'tagging',
  entities: [ResourceTagging, TagRun],
  actors: [taggingActor, tagRunActor],
  effects: [tagRunWork],
  policies: [taggingDomain],
  migrates: true,
}
