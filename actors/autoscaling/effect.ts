/** The calls that policies ask for. */
import { t, type Static } from '#engine/value/schema.ts'
import type { Effect } from '#engine/actor/turn.ts'
import { Counts } from '#streams/autoscaling.ts'

const TargetInput = t.Object({
  cloudAccountId: t.String(),
  targetUid: t.String(),
  policyId: t.String(),
  /** Names it: made only as long as the policy waits for it. */
  call: t.String(),
  provider: t.String(),
  /** What the target shall be; left out for a look. `desired` is left to the target where it is left out. */
  counts: t.Optional(t.Partial(Counts)),
  /** Its own policies are replaced first, by one that aims at this CPU. */
  replaceAtCpu: t.Optional(t.Number()),
  /** CPU of the last 14 days is worked out too. */
  withAverage: t.Optional(t.Boolean()),
  /** ISO 8601: not made from then on. */
  until: t.Optional(t.String()),
})
export type TargetInput = Static<typeof TargetInput>

/** Looks at a target, or changes it; `target.ts`. */
export const callTarget = { name: 'scale-target', schema: TargetInput } satisfies Effect
