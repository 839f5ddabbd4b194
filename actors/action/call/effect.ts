/** The calls that the power actor asks for. */
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
  /** Of a start: what the last stop found, null where that is not known. */
  before: t.Union([Capacity, t.Null()]),
})
export type TryInput = Static<typeof TryInput>

/** Starts or stops a resource; carried out by `execute.ts`. */
export const executeAction = { name: 'execute-action', schema: TryInput } satisfies Effect

/** Looks whether the cloud is done; carried out by `look.ts`. */
export const lookAction = { name: 'look-action', schema: TryInput } satisfies Effect
