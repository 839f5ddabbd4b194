/** The attributes that the mappings of Google Cloud fill. */
import { once } from '#engine/value/once.ts'
import { writtenBy, type AttributesByType } from '#streams/cloud/resource/written.ts'
import { address, disk, forwardingRule, group, instance, snapshot } from './compute.ts'
import { bucket, cluster, database, dataset, hadoop, nodePool, workbench } from './service.ts'

const where = { project: '', scope: 'global' }
const named = { name: '' }

export const mappedAttributes: () => AttributesByType = once(() =>
  writtenBy(() => {
    instance(named, where, { poolOf: () => undefined })
    for (const autoscaler of [undefined, { ...named, autoscalingPolicy: {} }])
      group(named, where, { autoscaler, isScaled: undefined, template: undefined, pool: undefined })
    disk(named, where)
    snapshot(named, where)
    address(named, where)
    forwardingRule(named, where)
    cluster(named, '')
    nodePool(named, named, '', undefined)
    database({ ...named, settings: { tier: 'db-custom-1-1024' } }, '')
    bucket(named, undefined)
    dataset({ datasetReference: { datasetId: '' } }, '', [])
    hadoop({ clusterName: '' }, '', '')
    workbench(named)
  }),
)
