import type { MetricSamples } from '#streams/cloud/connector.ts'
import type { ActionLog } from '#streams/cloud/simulated/action/log.ts'
import { goneAt } from '#streams/cloud/simulated/action/alteration.ts'
import { metricsOf, toldWhenOff } from './metrics-by-type.ts'
import { unitsAt } from '#streams/cloud/simulated/action/power.ts'
import type { SimResource } from '#streams/cloud/simulated/world/resource.ts'
import { valueAt } from './value.ts'
import { startOf } from '#engine/value/day.ts'
import type { World } from '#streams/cloud/simulated/world/world.ts'

const samplesMax = 5000

/** Times to sample: multiples of the step since 1970, `from` <= ts < `to`, milliseconds. */
export interface SampleSpan {
  from: number
  to: number
  stepSeconds: number
}

/**
 * Samples of one resource, in order of time. A stopped resource only has samples of its count, 0; a deleted one has
 * none.
 */
export function* samplesOf(
  world: World,
  log: ActionLog,
  accountId: string,
  resource: SimResource,
  { from, to, stepSeconds }: SampleSpan,
): Generator<MetricSamples> {
  const metrics = metricsOf(resource)
  const stepMs = stepSeconds * 1000
  const begin = Math.ceil(Math.max(from, startOf(resource.born)) / stepMs) * stepMs
  const runner = runnerOf(world, resource)
  const end = Math.min(to, goneAt(world, log, accountId, resource.uid))
  let samples: MetricSamples['samples'] = []
  for (let at = begin; at < end && metrics.length > 0; at += stepMs) {
    const units = unitsAt(world, log, accountId, runner, at)
    const ts = new Date(at).toISOString()
    for (const metric of units > 0 ? metrics : metrics.filter((name) => toldWhenOff.includes(name))) {
      samples.push({ metric, ...valueAt(world, resource, metric, { at, stepSeconds }, units), ts })
    }
    if (samples.length <= samplesMax - metrics.length) continue
    yield { resourceUid: resource.uid, samples }
    samples = []
  }
  if (samples.length > 0) yield { resourceUid: resource.uid, samples }
}

/** The machine of a disk: the disk is active only while the machine runs. */
function runnerOf(world: World, resource: SimResource): SimResource {
  const isDisk = ['aws-ebs-volume', 'gcp-disk', 'azure-disk'].includes(resource.type)
  const host = isDisk && resource.parentUid !== undefined ? world.byUid.get(resource.parentUid) : undefined
  return host ?? resource
}
