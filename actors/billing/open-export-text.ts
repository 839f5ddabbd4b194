import { compareExports, type Bills } from '#actors/account/bill/bills.ts'
import type { ToldExport } from './entity.ts'

/**
 * Messages about exports that are still open and need a person, the newest last. If a newer one covers all billing
 * periods of an older one, the older message is left out: people should look at the newer one.
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
