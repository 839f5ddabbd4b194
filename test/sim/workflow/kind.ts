/** The kinds of actors that are simulated, and the messages that they hear. */
import { powerActor } from '#actors/action/power/power.ts'
import { recommendationActor } from '#actors/recommendation/actor.ts'
import { workflowActor } from '#actors/workflow/actor.ts'
import { guardActor } from '#actors/workflow/guard/guard.ts'
import type { Actor } from '#engine/actor/actor.ts'
import type { Receiver } from '#engine/actor/registry.ts'
import type { Subject } from '#engine/actor/subject.ts'
import { actionMessages } from '#streams/action/messages.ts'
import { recommendationMessages } from '#streams/recommendation.ts'
import { resourceMessages } from '#streams/resource/messages.ts'
import { workflowMessages } from '#streams/workflow.ts'
import { auditActor, inventoryActor } from '#test/sim/workflow/truth.ts'

const kinds = [workflowActor, guardActor, powerActor, recommendationActor, auditActor, inventoryActor]
const actors = kinds as unknown as readonly Actor[]
const messages = [
  ...workflowMessages,
  ...actionMessages,
  ...recommendationMessages,
  ...resourceMessages,
] as unknown as readonly Subject[]

export const subjects: ReadonlyMap<string, Subject> = new Map(messages.map((one) => [one.name, one]))

function receiversOf(list: readonly Actor[]): Map<string, Receiver[]> {
  const found = new Map<string, Receiver[]>()
  for (const actor of list)
    for (const reaction of actor.reactions.values()) {
      const { name } = reaction.subject
      found.set(name, [...(found.get(name) ?? []), { actor, reaction }])
    }
  return found
}

/** By the names of messages. */
export const receivers: ReadonlyMap<string, readonly Receiver[]> = receiversOf(actors)

/** Of actors that are altered. */
export const receiversWith = (alter: (actor: Actor) => Actor): typeof receivers => receiversOf(actors.map(alter))

/** Names of messages that somebody hears. */
export const types: ReadonlySet<string> = new Set(receivers.keys())
