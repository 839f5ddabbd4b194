/** The external calls of autoscaler policies. */
import { t, type Static } from '#engine/value/schema.ts'
import type { Effect } from '#engine/actor/turn.ts'
import { Counts } from '#streams/autoscaling.ts'

const TargetInput = t.Object({
  cloudAccountId: t.String(),
  targetUid: t.String(),
  policyId: t.String(),
  /** Identifies the call: it is made only while the policy waits for it. */
  call: t.String(),
  provider: t.String(),
  /** The counts to set; missing for a call that only reads. Without `desired` the target decides it. */
  counts: t.Optional(t.Partial(Counts)),
  /** First replaces the target's own scaling policies by one that aims at this CPU percentage. */
  replaceAtCpu: t.Optional(t.Number()),
  /** Also computes the mean CPU of the last 14 days. */
  withAverage: t.Optional(t.Boolean()),
  /** ISO 8601: the call is not made at or after this time. */
  until: t.Optional(t.String()),
})
export type TargetInput = Static<typeof TargetInput>

/** Reads or changes a target; implemented in `target.ts`. */
export const callTarget = { name: 'scale-target', schema: TargetInput } satisfies Effect
