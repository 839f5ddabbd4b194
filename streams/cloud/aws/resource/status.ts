/** What states of AWS are to us beside those that the list of types names. */
import { statusOf } from '#streams/cloud/resource/status.ts'
import type { ResourceStatus } from '#streams/resource/messages.ts'

/** States of a database that works while something else is done to it, beside those that the list of types names. */
const working = new Set([
  'configuring-enhanced-monitoring',
  'configuring-iam-database-auth',
  'configuring-log-exports',
  'converting-to-vpc',
  'moving-to-vpc',
  'renaming',
  'resetting-master-credentials',
  'storage-config-upgrade',
  'storage-initialization',
  'storage-optimization',
  'maintenance',
  'upgrading',
])

export const databaseStatus = (type: string, state: string | undefined): ResourceStatus | undefined => {
  if (state === 'deleting') return 'stopping'
  if (state === 'backing-up' || state === 'modifying' || working.has(state ?? '')) return 'running'
  return statusOf(type, state)
}

/** Units that are wanted, and that are there, of a fleet. */
export function fleetStatus(desired: number, there: number): ResourceStatus {
  if (desired > 0) return there > 0 ? 'running' : 'starting'
  return there > 0 ? 'stopping' : 'stopped'
}
