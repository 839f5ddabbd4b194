/** States of AWS resources beyond those in the list of types. */
import { statusOf } from '#streams/cloud/resource/status.ts'
import type { ResourceStatus } from '#streams/resource/messages.ts'

/** States of a database that runs while it is being modified. */
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

/** Status of a fleet from its desired and its existing units. */
export function fleetStatus(desired: number, there: number): ResourceStatus {
  if (desired > 0) return there > 0 ? 'running' : 'starting'
  return there > 0 ? 'stopping' : 'stopped'
}
