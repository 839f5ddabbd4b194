/** What the states of AWS are to us. */
import { typeOf } from '#streams/cloud/resource-type.ts'
import { resourceStatuses, type Status } from '#streams/resource.ts'

/** Our status for a state of a type, as the list of types maps it; `pending` for a state that the list does not name. */
export function statusOf(type: string, state: string | undefined): Status | undefined {
  if (state === undefined) return undefined
  return mapOf(type).get(state) ?? 'pending'
}

const maps = new Map<string, ReadonlyMap<string, Status>>()

function mapOf(type: string): ReadonlyMap<string, Status> {
  let map = maps.get(type)
  if (!map) maps.set(type, (map = readMap(typeOf(type)?.statusMap ?? '')))
  return map
}

function readMap(prose: string): ReadonlyMap<string, Status> {
  const entries = prose.split('; ').flatMap((entry) => {
    const [theirs = '', ours = ''] = entry.split('=')
    const status = resourceStatuses.find((one) => one === ours)
    return status ? theirs.split(',').map((state) => [state, status] as const) : []
  })
  return new Map(entries)
}

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

export const databaseStatus = (type: string, state: string | undefined): Status | undefined => {
  if (state === 'deleting') return 'stopping'
  if (state === 'backing-up' || state === 'modifying' || working.has(state ?? '')) return 'running'
  return statusOf(type, state)
}

/** Units that are wanted, and that are there, of a fleet. */
export function fleetStatus(desired: number, there: number): Status {
  if (desired > 0) return there > 0 ? 'running' : 'starting'
  return there > 0 ? 'stopping' : 'stopped'
}
