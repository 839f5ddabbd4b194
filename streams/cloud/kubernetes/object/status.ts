/** The status of objects, as `resource-types.csv` maps it. */
import type { ResourceStatus } from '#streams/resource/messages.ts'
import { conditionOf } from './object.ts'
import { countAt, isTrueAt, listOf, memberOf, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'

export function statusOf(kind: string, object: Json): ResourceStatus {
  if (kind === 'deployment' || kind === 'statefulset' || kind === 'replicaset') return statusByReplicas(object)
  if (kind === 'job') return ofJob(object)
  if (kind === 'cronjob') return isTrueAt(object, 'spec', 'suspend') ? 'stopped' : 'running'
  return 'running'
}

/** 1 if not specified. */
export const replicasOf = (object: Json): number => countAt(object, 'spec', 'replicas') ?? 1

/**
 * Starting while fewer pods than wanted are ready, except after a failed rollout with some ready pods. Stopping while
 * none are wanted and some still exist.
 */
function statusByReplicas(object: Json): ResourceStatus {
  const ready = countAt(object, 'status', 'readyReplicas') ?? 0
  const wanted = replicasOf(object)
  if (wanted === 0) return (countAt(object, 'status', 'replicas') ?? 0) > 0 ? 'stopping' : 'stopped'
  if (ready >= wanted || (ready > 0 && hasGivenUp(object))) return 'running'
  return 'starting'
}

/** Whether its progress deadline has passed. */
const hasGivenUp = (object: Json): boolean =>
  listOf(memberOf(object, 'status', 'conditions')).some(
    ({ type, status }) => type === 'Progressing' && status === 'False',
  )

export const isFinished = (job: Json): boolean =>
  conditionOf(job, 'Complete') !== undefined || conditionOf(job, 'Failed') !== undefined

function ofJob(job: Json): ResourceStatus {
  if (isFinished(job)) return 'stopped'
  const active = countAt(job, 'status', 'active') ?? 0
  if (isTrueAt(job, 'spec', 'suspend')) return active > 0 ? 'stopping' : 'stopped'
  return active > 0 ? 'running' : 'pending'
}
