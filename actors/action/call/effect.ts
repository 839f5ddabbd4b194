/** The external calls of the power actor. */
import { t, type Static } from '#engine/value/schema.ts'
import type { Effect } from '#engine/actor/turn.ts'
import { Capacity, powerActions } from '#streams/action/messages.ts'
import { providers } from '#streams/names.ts'

const TryInput = t.Object({
  intentId: t.String(),
  cloudAccountId: t.String(),
  provider: t.Enum(providers),
  resourceUid: t.String(),
  type: t.String(),
  region: t.String(),
  action: t.Enum(powerActions),
  /** For a start: the unit counts before the last stop, null if unknown. */
  before: t.Union([Capacity, t.Null()]),
})
export type TryInput = Static<typeof TryInput>

/** Starts or stops a resource; implemented in `execute.ts`. */
export const executeAction = { name: 'execute-action', schema: TryInput } satisfies Effect

/** Checks whether the cloud has finished; implemented in `look.ts`. */
export const lookAction = { name: 'look-action', schema: TryInput } satisfies Effect
