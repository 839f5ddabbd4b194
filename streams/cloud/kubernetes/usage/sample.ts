/** Samples of a cluster's current values. */
import { Fault } from '#engine/value/fault.ts'
import { isCredentialsRefused, type MetricSamples, type ResourceRef } from '#streams/cloud/connector.ts'
import type { Metric } from '#streams/metric/messages.ts'
import type { KubernetesApi } from '#streams/cloud/kubernetes/api/api.ts'
import { objectsOf } from '#streams/cloud/kubernetes/object/children.ts'
import { isClosed } from '#streams/cloud/kubernetes/api/fault.ts'
import { listedKinds, type ListedKind } from '#streams/cloud/kubernetes/object/kind.ts'
import type { Json } from '#streams/cloud/kubernetes/api/json-access.ts'

/** Half-open. Current values are either inside it or not. */
export interface Window {
  from: Date
  to: Date
}

/** Milliseconds; a window that ended earlier is history, for which a cluster has no values. */
const nowMs = 15 * 60_000

export interface SampleScope extends Window {
  api: KubernetesApi
  now: number
}

/** Undefined if the current time is not in the window. */
export function scopeOf(api: KubernetesApi, window: Window): SampleScope | undefined {
  const now = api.now().getTime()
  const isHistory = window.to.getTime() < now - nowMs || window.from.getTime() > now
  return isHistory ? undefined : { api, now, ...window }
}

export const listOfKind = (kind: string): ListedKind => listedKinds.find((one) => one.kind === kind)!

/** Ends without an error if the cluster does not answer. */
export async function* silent(samples: AsyncIterable<MetricSamples>): AsyncGenerator<MetricSamples> {
  try {
    yield* samples
  } catch (error) {
    if (!(error instanceof Fault) || isCredentialsRefused(error) || !isSilent(error)) throw error
  }
}

const isSilent = (fault: Fault): boolean =>
  isClosed(fault) || fault.code === 'not_found' || fault.code === 'permission_missing'

export async function* all({ api }: SampleScope, kind: ListedKind): AsyncGenerator<Json> {
  for await (const page of objectsOf(api, kind)) yield* page
}

export type SampleValues = Partial<Record<Metric, number | undefined>>

/** Four decimal places; undefined if a value is unknown or the whole is 0. */
export function percentOf(part: number | undefined, whole: number | undefined): number | undefined {
  if (part === undefined || whole === undefined || whole <= 0) return undefined
  return Number(((part / whole) * 100).toFixed(4))
}

/** A value measured exactly at the end of the window belongs to it, because the end is now. */
export function* toSamples(
  { from, to }: SampleScope,
  ref: ResourceRef | undefined,
  measuredAt: number,
  values: SampleValues,
): Generator<MetricSamples> {
  const at = Math.min(measuredAt, to.getTime() - 1)
  if (!ref || at < from.getTime()) return
  const ts = new Date(at).toISOString()
  const samples = Object.entries(values).flatMap(([metric, value]) =>
    value === undefined ? [] : [{ metric: metric as Metric, value, ts }],
  )
  if (samples.length > 0) yield { resourceUid: ref.resourceUid, samples }
}
