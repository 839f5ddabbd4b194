import type { CloudAccount, Look, ResourceRef } from '#streams/cloud/connector.ts'
import { isCounted } from '#streams/cloud/resource/resource-type.ts'
import type { PowerChange } from '#streams/cloud/simulated/action/log.ts'
import { goneAt, sizeMade, specsSet, specsTold } from '#streams/cloud/simulated/action/alteration.ts'
import { isStoppedInside, stateAttributes } from '#streams/cloud/simulated/world/attributes/attributes.ts'
import { countsAt, countsTold } from '#streams/cloud/simulated/action/capacity.ts'
import { beginCall, isSimulated, resourceOf, type Far } from '#streams/cloud/simulated/state/cloud-state.ts'
import { describeResource, present } from '#streams/cloud/simulated/inventory.ts'
import { askedLast, showing } from '#streams/cloud/simulated/action/power.ts'

/** For resources from producers, only changes made here are known. */
export async function look(far: Far, account: CloudAccount, ref: ResourceRef): Promise<Look> {
  await beginCall(far, { call: 'look', cloudAccountId: account.id, resourceUid: ref.resourceUid })
  return lookAt(far, account, ref)
}

/** The state of a resource; does not count as a call. */
export function lookAt(far: Far, account: CloudAccount, ref: ResourceRef): Look {
  const { log } = far.ledger
  const now = far.now()
  const resource = resourceOf(far, account, ref.resourceUid)
  if (!resource) return isSimulated(account) ? { exists: false } : lookFromLog(far, account, ref, now.getTime())
  if (present(far.world, log, { id: account.id, regions: [] }, [resource], now).length === 0) return { exists: false }
  const { instanceType, status, specs = {} } = describeResource(far.world, log, account.id, resource, now)
  const counts = countsAt(log, account.id, resource.uid, resource, now.getTime())
  // If a cluster is off, its workloads do not run, whatever their counts.
  const desired = status === 'stopped' ? 0 : counts.desired
  return {
    exists: true,
    ...(status !== undefined && { status }),
    ...(isCounted(resource.type) && { capacity: { min: counts.min, max: counts.max, desired } }),
    ...(instanceType !== undefined && { instanceType }),
    specs,
  }
}

function lookFromLog(far: Far, account: CloudAccount, ref: ResourceRef, now: number): Look {
  const { log } = far.ledger
  if (goneAt(far.world, log, account.id, ref.resourceUid) <= now) return { exists: false }
  const power = readPower(far, account, ref, now)
  const size = sizeMade(log, account.id, ref.resourceUid, now)
  const specs = specsDone(far, account, ref, now, power)
  const { status } = power
  return {
    exists: true,
    ...power,
    ...(status !== undefined && isStoppedInside(ref.type, status, specs) && { status: 'stopped' }),
    ...(size !== undefined && { instanceType: size }),
    ...(Object.keys(specs).length > 0 && { specs }),
  }
}

/** Empty for a resource that was never switched. */
function readPower(
  far: Far,
  account: CloudAccount,
  { resourceUid, type, specs }: ResourceRef,
  now: number,
): Pick<Look, 'status' | 'capacity'> {
  const { log } = far.ledger
  const change = askedLast(log, account.id, resourceUid, now)
  if (!change) return {}
  const { min, max, desired } = countsAt(log, account.id, resourceUid, { specs }, now)
  return {
    status:
      change.at > now && !isSo(log.changes(account.id, resourceUid), change, now) ? showing(change) : endOf(change),
    ...(isCounted(type) && { capacity: { min, max, desired } }),
  }
}

/** Specs that were set, that follow from power changes, and counts that were set. */
function specsDone(
  { ledger: { log } }: Far,
  { id }: CloudAccount,
  { resourceUid, type }: ResourceRef,
  now: number,
  { status, capacity }: Pick<Look, 'status' | 'capacity'>,
): Record<string, unknown> {
  const set = specsSet(log.alterations(id, resourceUid).filter(({ at }) => at <= now))
  return specsTold(log, id, resourceUid, now, {
    rest: {},
    state: status === 'running' || status === 'stopped' ? stateAttributes(type, status) : {},
    counts: capacity ? countsTold(set, capacity) : {},
  })
}

/** A change requested again after it was already complete is complete immediately. */
const isSo = (changes: readonly PowerChange[], { running }: PowerChange, now: number): boolean =>
  changes.findLast(({ at }) => at <= now)?.running === running

const endOf = ({ running }: PowerChange) => (running ? 'running' : 'stopped')
