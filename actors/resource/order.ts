/** Which word of a resource counts: the rules of all actors that hear what is discovered. */
import { Fault } from '#engine/value/fault.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { realName } from '#streams/names.ts'
import type { resourceDeleted, resourceDiscovered } from '#streams/resource/messages.ts'

type Discovered = Static<typeof resourceDiscovered.schema>

/** What of a row the order goes by. */
export interface Observed {
  observedAt: Date
  deletedAt?: Date | null | undefined
}

/** Takes a word of that time, of which others hear too. */
export function hear(row: { observedAt: Date; heardAt?: Date | null | undefined }, at: Date): void {
  row.observedAt = at
  row.heardAt = at
}

/** An observation from before the newest one says nothing new; neither does one from before the deletion. */
export const isOlder = ({ observedAt }: Observed, at: Date): boolean => at < observedAt

/** Of an observation and a producer's deletion at the same moment the deletion stands. */
export const isBuried = ({ observedAt, deletedAt }: Observed, at: Date): boolean =>
  deletedAt !== null && deletedAt !== undefined && at <= observedAt

/** What a scan misses was gone before its end: seen at that very moment, be it by the next scan, it stays. */
export const goneAt = ({ refreshId }: Static<typeof resourceDeleted.schema>, { message: { time } }: Turn): Date =>
  refreshId ? new Date(time.getTime() - 1) : time

/** By their real names. */
export const classified = ({ provider, type }: Discovered): { provider: string; type: string } => ({
  provider: realName(provider),
  type: realName(type),
})

const specsBytesMax = 65_536

/** What was found out of an observation that several actors are told of. */
const judged = new WeakMap<Discovered, Fault | undefined>()

/** Why nothing can be taken of an observation; undefined where it can. */
export function faultOf(found: Discovered): Fault | undefined {
  if (!judged.has(found)) judged.set(found, judge(found))
  return judged.get(found)
}

function judge(found: Discovered): Fault | undefined {
  const { provider, type } = classified(found)
  if (!type.startsWith(`${provider}-`))
    return Fault.invalid('type_mismatch', `The type ${found.type} must start with its provider, ${provider}.`)
  if (found.specs && JSON.stringify(found.specs).length > specsBytesMax)
    return Fault.invalid('specs_too_large', `specs must not exceed ${specsBytesMax} characters of JSON.`)
  return undefined
}
