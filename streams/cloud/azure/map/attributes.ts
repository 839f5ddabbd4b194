/** The attributes that the mappings of Azure fill. */
import { once } from '#engine/value/once.ts'
import { dataFactory } from '#streams/cloud/azure/discover/factory.ts'
import { computeInstance, poolOfHosts, ssisRuntime } from '#streams/cloud/azure/discover/runtimes-and-pools.ts'
import { listedTypes } from '#streams/cloud/azure/discover/listed/index.ts'
import { insideTypes } from '#streams/cloud/azure/session/workspace.ts'
import { writtenBy, type AttributesByType } from '#streams/cloud/resource/written.ts'
import { disk, image, machine, scaleSet, snapshot } from './compute.ts'
import * as database from './database.ts'
import { inside, workspace } from './databricks.ts'
import { resourceGroup } from './group.ts'
import { cluster, pool } from './kubernetes.ts'
import * as network from './network.ts'
import { storageAccount } from './storage.ts'
import { containerApp, containerGroup, plain, switchableTypes } from './switchable.ts'
import { plan, site } from './web.ts'

const state = { state: '-', status: '-', jobState: '-', provisioningState: '-', runningStatus: '-' }
/** With a state: one that is not known is left out. */
const item = { id: '/subscriptions/0', properties: { ...state, properties: state } }

export const mappedAttributes: () => AttributesByType = once(() =>
  writtenBy(() => {
    machine(item, undefined)
    scaleSet(item, { bounds: null })
    disk(item, 0)
    for (const map of [snapshot, workspace, cluster, containerApp, containerGroup, plan]) map(item)
    image(item)
    storageAccount(item)
    for (const kind of ['app', 'functionapp']) site({ ...item, kind })
    for (const map of Object.values(network)) map(item, undefined)
    const { sqlServer, managedInstance, postgres, mysql, redis, cosmosAccount } = database
    for (const map of [sqlServer, managedInstance, postgres, mysql, redis, cosmosAccount]) map(item, {})
    database.sqlDatabase(item, '')
    database.elasticPool(item, '')
    for (const type of switchableTypes) plain(type)(item)
    computeInstance(item)
    resourceGroup(item, undefined)
    dataFactory(item)
    ssisRuntime(item, item, {})
    poolOfHosts(item, undefined, undefined)
    pool(item, '', undefined)
    for (const type of insideTypes) inside(type, item, item)
    for (const { mapNothing } of listedTypes) mapNothing(item)
  }),
)
