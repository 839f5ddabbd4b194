/** Which observation of a resource counts. All actors that receive discoveries use these rules. */
import { Fault } from '#engine/value/fault.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { realName } from '#streams/names.ts'
import type { resourceDeleted, resourceDiscovered } from '#streams/resource/messages.ts'

type ResourceObservation = Static<typeof resourceDiscovered.schema>

/** The columns that the order depends on. */
export interface ObservedRow {
  observedAt: Date
  deletedAt?: Date | null | undefined
}

/** Records an observation or deletion of that time that other actors receive as well. */
export function hear(row: { observedAt: Date; heardAt?: Date | null | undefined }, at: Date): void {
  row.observedAt = at
  row.heardAt = at
}

/** Whether an observation is older than the newest one, or than the deletion. */
export const isOlder = ({ observedAt }: ObservedRow, at: Date): boolean => at < observedAt

/** Whether an observation is not after the deletion: at the same time a producer's deletion wins. */
export const isBuried = ({ observedAt, deletedAt }: ObservedRow, at: Date): boolean =>
  deletedAt !== null && deletedAt !== undefined && at <= observedAt

/**
 * The time of a deletion. A resource that a scan misses was gone before the end of the scan: if it was observed at that
 * very time, for example by the next scan, it stays.
 */
export const goneAt = ({ refreshId }: Static<typeof resourceDeleted.schema>, { message: { time } }: Turn): Date =>
  refreshId ? new Date(time.getTime() - 1) : time

/** Provider and type with real names in place of simulated ones. */
export const toRealNames = ({ provider, type }: ResourceObservation): { provider: string; type: string } => ({
  provider: realName(provider),
  type: realName(type),
})

const specsBytesMax = 65_536

/** Cached faults: several actors receive the same observation. */
const faultByObservation = new WeakMap<ResourceObservation, Fault | undefined>()

/** Why an observation cannot be used; undefined if it can. */
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
