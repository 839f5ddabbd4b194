import { costTypes } from '#analytics/rollup/stale-day/cost-type.ts'
import { metricSampleTable } from '#analytics/metric/tables.ts'
import { defineActor, type LeadingEcho } from '#engine/actor/actor.ts'
import { Fault } from '#engine/value/fault.ts'
import { uuidOf } from '#engine/value/id.ts'
import { sameData } from '#engine/actor/row.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { schedulable } from '#streams/cloud/resource/resource-type.ts'
import { accountBlinded } from '#streams/account/messages.ts'
import { powerTold, powerUnheard } from '#streams/action/messages.ts'
import { metricDerived, metricSample } from '#streams/metric/messages.ts'
import { realName } from '#streams/names.ts'
import { resourceDeleted, resourceDiscovered, resourceLooked, type ResourceStatus } from '#streams/resource/messages.ts'
import { Resource } from './entity.ts'
import { takeLooked } from './look-result.ts'
import { isLifted, lift, takeBlinded, takeTold, takeUnheard } from './overlay.ts'
import { toRealNames, faultOf, goneAt, hear, isBuried, isOlder } from './observation-order.ts'
import { before, recordChange } from './state.ts'

type ResourceObservation = Static<typeof resourceDiscovered.schema>

const ofResource = ({ resourceUid }: { resourceUid: string }): string => resourceUid

/**
 * The resource was discovered again, unchanged. Not an echo while an action is shown: its display ends at a time, which
 * needs a turn.
 */
const seenAgain: LeadingEcho<Resource> = {
  role: 'leads',
  passing: ['heardAt'],
  sets: (time, refreshId) => ({ observedAt: time, seenAt: time, ...(refreshId && { refreshId }) }),
  isQuiet: ({ deletedAt, actionUntil }) => !deletedAt && !actionUntil,
}

/** One cloud resource: what is known of it, and when it was observed. */
export const resourceActor = defineActor({
  kind: 'resource',
  entity: Resource,
  address: { orgId: 'orgId', place: 'cloudAccountId', key: 'uid' },
  initial: ({ orgId, place, key }) => ({
    id: uuidOf('resource', orgId, place, key),
    name: '',
    type: '',
    provider: '',
    region: '',
    status: 'pending' as const,
    observedStatus: 'pending' as const,
    actionId: '',
    actionAt: null,
    actionN: 0,
    actionUntil: null,
    instanceType: '',
    sizeGb: null,
    unitCount: null,
    parentUid: '',
    resourceGroup: '',
    schedulable: false,
    tags: {},
    specs: {},
    hourlyRateUsd: null,
    observedAt: new Date(0),
    heardAt: null,
    seenAt: new Date(0),
    refreshId: '',
    createdAt: new Date(0),
    updatedAt: new Date(0),
    deletedAt: null,
  }),
  reactions: (on) => [
    on(
      resourceDiscovered,
      (data) => data.resourceUid,
      (resource, found, turn) => {
        noteScan(resource, found, turn)
        const { time } = turn.message
        if (isOlder(resource, time) || isBuried(resource, time)) return turn.ignore()
        const fault = faultOf(found)
        if (fault) throw fault
        if (isLifted(resource, found.status, turn)) lift(resource, turn)
        const facts = toColumns(resource, found)
        resource.seenAt = time
        hear(resource, time)
        if (found.refreshId) resource.refreshId = found.refreshId
        if (resource.deletedAt === null && sameData(facts, pick(resource, facts))) return
        if (resource.type !== facts.type) turn.mark(costTypes, turn.address.place)
        const was = before(resource)
        if (resource.createdAt.getTime() === 0) resource.createdAt = time
        Object.assign(resource, facts, { deletedAt: null })
        recordChange(resource, was, 'discovery', turn)
      },
      { echo: seenAgain },
    ),

    on(
      resourceDeleted,
      (data) => data.resourceUid,
      (resource, gone, turn) => {
        const { time } = turn.message
        const until = goneAt(gone, turn)
        if (isOlder(resource, until)) return turn.ignore()
        hear(resource, until)
        if (resource.deletedAt !== null) return
        const was = before(resource)
        if (resource.provider === '') resource.provider = realName(gone.provider)
        if (resource.createdAt.getTime() === 0) resource.createdAt = time
        resource.deletedAt = time
        lift(resource, turn)
        recordChange(resource, was, 'discovery', turn)
      },
    ),

    on(resourceLooked, ofResource, takeLooked, { existing: true }),
    on(powerTold, ofResource, takeTold, { existing: true }),
    on(powerUnheard, ofResource, takeUnheard, { existing: true }),
    on(accountBlinded, ofResource, (resource, _, turn) => takeBlinded(resource, turn), { existing: true }),

    on(metricSample, ofResource, (_, sampled, turn) => appendSamples(sampled, turn), { steady: true }),
    on(metricDerived, ofResource, (_, sampled, turn) => appendSamples(sampled, turn), { steady: true }),
  ],
})

/**
 * Records which scan has found it, even if the rest of the observation is older than the result of an action: the end
 * of the scan uses that.
 */
function noteScan(resource: Resource, { refreshId }: ResourceObservation, { message: { time } }: Turn): void {
  if (!refreshId || resource.deletedAt !== null || time < resource.seenAt) return
  resource.seenAt = time
  resource.refreshId = refreshId
}

/**
 * The columns that an observation sets. A missing field keeps its value if it is knowledge; otherwise it becomes empty.
 */
function toColumns(known: Resource, found: ResourceObservation) {
  const { provider, type } = toRealNames(found)
  const observedStatus = found.status ?? (known.deletedAt === null ? known.observedStatus : 'pending')
  const specs = found.specs ?? known.specs
  const { instanceType = '', sizeGB = null, unitCount = null, parentUID = '', resourceGroup = '', tags = {} } = found
  return {
    name: found.name,
    type,
    provider,
    region: found.region,
    status: chooseStatus(known, found.status, observedStatus),
    observedStatus,
    instanceType,
    sizeGb: sizeGB,
    unitCount,
    parentUid: parentUID,
    resourceGroup: resourceGroup.toLowerCase(),
    schedulable: found.schedulable ?? schedulable(type, Boolean(specs['owner'])),
    tags,
    specs,
    hourlyRateUsd: found.hourlyRateUSD ?? known.hourlyRateUsd,
  }
}

/** A status that overrides the observed one stays, and so does the shown one if the observation has no status. */
const chooseStatus = (known: Resource, seen: ResourceStatus | undefined, observed: ResourceStatus): ResourceStatus =>
  known.deletedAt === null && (known.actionUntil || seen === undefined) ? known.status : observed

function pick(resource: Resource, facts: object): object {
  return Object.fromEntries(Object.keys(facts).map((name) => [name, resource[name as keyof Resource]]))
}

function appendSamples({ resourceUid, samples }: Static<typeof metricSample.schema>, turn: Turn): void {
  const { orgId, place } = turn.address
  for (const { metric, value, max = null, sum = null, ts } of samples) {
    const row = {
      org_id: orgId,
      resource_uid: resourceUid,
      metric,
      ts: instant(ts),
      value,
      max,
      sum,
      cloud_account_id: place,
    }
    turn.append(metricSampleTable, row, turn.message.time)
  }
}

/** @throws Fault `invalid` outside 1970 to 2100, which the column would silently clamp */
function instant(ts: string): string {
  const at = Date.parse(ts)
  if (!(at >= 0 && at < 4_102_444_800_000))
    throw Fault.invalid('time_invalid', `ts must be between 1970 and 2100: ${ts.slice(0, 40)}`)
  return new Date(at).toISOString()
}
