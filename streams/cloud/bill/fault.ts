/** Faults for bills that cannot be read. */
import { Fault } from '#engine/value/fault.ts'
import type { BillRefusals } from './refusals.ts'
import { cloudFault } from '#streams/cloud/connector.ts'

/** @throws `bill_unreadable` if too much of the bill is refused; then nothing of it may replace the current bill */
export function checkRefusals(refusals: BillRefusals): void {
  if (!refusals.isTooMuch) return
  throw cloudFault('user_action', 'bill_unreadable', `${refusals.told!} Nothing was replaced.`, {
    reason: refusals.reason,
    fixHint: 'Check that the export is in the format written by the cloud, and that its currency has an exchange rate.',
  })
}

/** Converts a fault about a file's content to a fault of the cloud. */
export function unreadable(name: string, error: unknown, fixHint: string): unknown {
  if (!(error instanceof Fault) || error.kind !== 'invalid') return error
  return cloudFault(
    'user_action',
    'bill_unreadable',
    `${name}: ${error.message}`,
    { reason: error.code, fixHint },
    error,
  )
}
