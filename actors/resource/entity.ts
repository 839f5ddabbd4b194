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
    /** A UUID made of the three columns above: the same over every rediscovery. */
    id: p.uuid().index(),
    name: p.text(),
    type: p.text(),
    provider: p.text(),
    region: p.text(),
    /** What is shown: what was observed, or what an action does, until `actionUntil` at most. */
    status: p.enum(resourceStatuses).$type<ResourceStatus>(),
    /** What the cloud was seen to say; pending while it cannot be seen. */
    observedStatus: p.enum(resourceStatuses).$type<ResourceStatus>().default('pending'),
    /** The action that was told of last, and the number and time of that word: an older one changes nothing. */
    actionId: p.text().default(''),
    actionAt: p.datetime(3).nullable(),
    actionN: p.integer().default(0),
    /** Set while an action is shown. */
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
    /** US dollars an hour while running. */
    hourlyRateUsd: p.double().$type<number>().nullable(),
    /** The producer's time of the newest word taken, observation or deletion: an older one changes nothing. */
    observedAt: p.datetime(3),
    /** Of these words the newest that was no echo: what tags and audits have heard of. Null where that was never told apart. */
    heardAt: p.datetime(3).nullable(),
    /** The producer's time of the newest observation, and the newest refresh that found it: what the end of a refresh deletes by. */
    seenAt: p.datetime(3),
    refreshId: p.text().default(''),
    /** The producer's times of the first word taken of it and of its last change. */
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
    /** Since when the resource is gone, by the producer's time; its row stays, so that a late observation cannot bring it back. */
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
