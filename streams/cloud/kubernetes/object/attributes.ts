/** The attributes that the mappings of Kubernetes objects fill, and the metrics that a cluster gives, by kind. */
import { once } from '#engine/value/once.ts'
import { kubernetesKinds } from '#streams/cloud/resource/resource-type.ts'
import { writtenBy, type AttributesByType } from '#streams/cloud/resource/written.ts'
import { specsOf } from './specs.ts'
import { Tally } from './tally.ts'

const amounts = { cpu: '1', memory: '1Gi' }
/** Amounts of a pod are left out where its containers name none. */
const podSpec = { containers: [{ resources: { requests: amounts, limits: amounts } }] }
const object = { spec: { ...podSpec, template: { spec: podSpec } } }

/** By kind, such as `deployment`. */
export const kindAttributes: () => AttributesByType = once(() =>
  writtenBy(() => {
    const now = new Date(0)
    for (const kind of Object.keys(kubernetesKinds)) specsOf(kind, object, { tally: new Tally(now), now })
  }),
)
