import { compareExports, type Bills } from '#actors/account/bill/bills.ts'
import type { ToldExport } from './entity.ts'

/**
 * What was told of exports and still stands, the newest told last: of those that are open and wait for people. One that is
 * of no other billing periods than a newer of these is told of no more: the newer is the one to be looked at.
 */
export function standingText(told: readonly ToldExport[], { open }: Bills): string[] {
  const waiting = open.filter(({ state }) => state !== 'waiting')
  return told.flatMap(({ exportId, message }) => {
    const found = waiting.find(({ id }) => id === exportId)
    if (found === undefined || message === '') return []
    const isOvertaken = waiting.some(
      (other) =>
        compareExports(other, found) > 0 && Object.keys(found.periods).every((period) => period in other.periods),
    )
    return isOvertaken ? [] : [message]
  })
}
