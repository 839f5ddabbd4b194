import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'
import { resourceStatuses, type ResourceStatus } from '#streams/resource/messages.ts'

const schema = defineEntity({
  name: 'Resource',
  tableName: 'resource',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    cloudAccountId: p.text().primary(),
    uid: p.text().primary(),
    /** A UUID derived from the three columns above, so it stays the same when the resource is rediscovered. */
    id: p.uuid().index(),
    name: p.text(),
    type: p.text(),
    provider: p.text(),
    region: p.text(),
    /** The displayed status: the observed one, or that of an action until `actionUntil`. */
    status: p.enum(resourceStatuses).$type<ResourceStatus>(),
    /** The status that the cloud last reported; pending while it cannot be observed. */
    observedStatus: p.enum(resourceStatuses).$type<ResourceStatus>().default('pending'),
    /**
     * The last action that the power actor reported. Below: number and time of that message; older ones are ignored.
     */
    actionId: p.text().default(''),
    actionAt: p.datetime(3).nullable(),
    actionN: p.integer().default(0),
    /** Set while the status of an action is displayed. */
    actionUntil: p.datetime(3).nullable(),
    instanceType: p.text().default(''),
    /** Gigabytes. */
    sizeGb: p.double().$type<number>().nullable(),
    unitCount: p.integer().nullable(),
    /** uid of the parent in the same account; empty for top-level resources. */
    parentUid: p.text().default(''),
    resourceGroup: p.text().default(''),
    schedulable: p.boolean(),
    tags: p.json<Record<string, string>>().defaultRaw(`'{}'`),
    specs: p.json<Record<string, unknown>>().defaultRaw(`'{}'`),
    /** US dollars per hour while running. */
    hourlyRateUsd: p.double().$type<number>().nullable(),
    /** The producer's time of the newest observation or deletion: older ones are ignored. */
    observedAt: p.datetime(3),
    /**
     * The newest of these that was not an echo: what tags and audits have received. Null in rows from before they were
     * distinguished.
     */
    heardAt: p.datetime(3).nullable(),
    /**
     * The producer's time of the newest observation. Below: the newest refresh that found it. The end of a refresh
     * deletes by both.
     */
    seenAt: p.datetime(3),
    refreshId: p.text().default(''),
    /** The producer's time of its first observation. Below: of its last change. */
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
    /**
     * Since when the resource is deleted, by the producer's time. The row stays, so that a late observation cannot
     * bring it back.
     */
    deletedAt: p.datetime(3).nullable(),
  },
  indexes: [
    { properties: ['orgId', 'deletedAt', 'name', 'id'] },
    { properties: ['orgId', 'parentUid', 'cloudAccountId'] },
    { properties: ['orgId', 'uid'] },
  ],
})

/** One cloud resource. Written only by the resource actor; read by anyone through `queries.ts`. */
export class Resource extends schema.class {}
schema.setClass(Resource)
