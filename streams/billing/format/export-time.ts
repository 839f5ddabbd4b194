import { Fault } from '#engine/value/fault.ts'
import { utc } from '#streams/billing/line/cost-line.ts'
import type { Warn } from './literal.ts'

/**
 * The export time stated in a bill, in ISO 8601. Invalid text is left out with a warning, because it does not affect
 * costs.
 */
export function exportTime(value: string | undefined, name: string, warn: Warn): string | undefined {
  if (value === undefined) return undefined
  try {
    return `${utc(value, name, true)}Z`
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    warn('cell_left_out', `${error.message} The line was imported without it.`)
    return undefined
  }
}
