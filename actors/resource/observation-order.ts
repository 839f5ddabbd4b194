/** Which word of a resource counts: the rules of all actors that hear what is discovered. */
import { Fault } from '#engine/value/fault.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { realName } from '#streams/names.ts'
import type { resourceDeleted, resourceDiscovered } from '#streams/resource/messages.ts'

type ResourceObservation = Static<typeof resourceDiscovered.schema>

/** What of a row the order goes by. */
export interface ObservedRow {
  observedAt: Date
  deletedAt?: Date | null | undefined
}

/** Takes a word of that time, of which others hear too. */
export function hear(row: { observedAt: Date; heardAt?: Date | null | undefined }, at: Date): void {
  row.observedAt = at
  row.heardAt = at
}

/** An observation from before the newest one says nothing new; neither does one from before the deletion. */
export const isOlder = ({ observedAt }: ObservedRow, at: Date): boolean => at < observedAt

/** Of an observation and a producer's deletion at the same moment the deletion stands. */
export const isBuried = ({ observedAt, deletedAt }: ObservedRow, at: Date): boolean =>
  deletedAt !== null && deletedAt !== undefined && at <= observedAt

/** What a scan misses was gone before its end: seen at that very moment, be it by the next scan, it stays. */
export const goneAt = ({ refreshId }: Static<typeof resourceDeleted.schema>, { message: { time } }: Turn): Date =>
  refreshId ? new Date(time.getTime() - 1) : time

/** By their real names. */
export const toRealNames = ({ provider, type }: ResourceObservation): { provider: string; type: string } => ({
  provider: realName(provider),
  type: realName(type),
})

const specsBytesMax = 65_536

/** What was found out of an observation that several actors are told of. */
const faultByObservation = new WeakMap<ResourceObservation, Fault | undefined>()

/** Why nothing can be taken of an observation; undefined where it can. */
export function faultOf(found: ResourceObservation): Fault | undefined {
  if (!faultByObservation.has(found)) faultByObservation.set(found, judge(found))
  return faultByObservation.get(found)
}

function judge(found: ResourceObservation): Fault | undefined {
  const { provider, type } = toRealNames(found)
  if (!type.startsWith(`${provider}-`))
    return Fault.invalid('type_mismatch', `The type ${found.type} must start with its provider, ${provider}.`)
  if (found.specs && JSON.stringify(found.specs).length > specsBytesMax)
    return Fault.invalid('specs_too_large', `specs must not exceed ${specsBytesMax} characters of JSON.`)
  return undefined
}
