import type { CloudAccount, Look, ResourceRef } from '#streams/cloud/connector.ts'
import { isCounted } from '#streams/cloud/resource-type.ts'
import { countsAt } from '#streams/cloud/simulated/capacity.ts'
import { beginCall, isSimulated, resourceOf, type Far } from '#streams/cloud/simulated/far.ts'
import { described, present } from '#streams/cloud/simulated/inventory.ts'
import { askedLast, showing, statusAt, type PowerChange } from '#streams/cloud/simulated/power.ts'

/** Of resources that producers made only what was done to them is known. */
export async function look(far: Far, account: CloudAccount, ref: ResourceRef): Promise<Look> {
  await beginCall(far, { call: 'look', cloudAccountId: account.id, resourceUid: ref.resourceUid })
  const { log } = far.ledger
  const now = far.now()
  const resource = resourceOf(far, account, ref.resourceUid)
  if (!resource) return isSimulated(account) ? { exists: false } : switched(far, account, ref)
  if (present([resource], [], now).length === 0) return { exists: false }
  const { instanceType, specs = {} } = described(far.world, log, account.id, resource, now)
  const status = statusAt(far.world, log, account.id, resource, now.getTime())
  const counts = countsAt(log, account.id, resource.uid, resource, now.getTime())
  // A cluster that is off has none of its workloads, whatever they are set to.
  const desired = status === 'stopped' ? 0 : counts.desired
  return {
    exists: true,
    status,
    ...(isCounted(resource.type) && { capacity: { min: counts.min, max: counts.max, desired } }),
    ...(instanceType !== undefined && { instanceType }),
    specs,
  }
}

function switched(far: Far, account: CloudAccount, { resourceUid, type, specs }: ResourceRef): Look {
  const { log } = far.ledger
  const now = far.now().getTime()
  const change = askedLast(log, account.id, resourceUid, now)
  if (!change) return { exists: true }
  const { min, max, desired } = countsAt(log, account.id, resourceUid, { specs }, now)
  return {
    exists: true,
    status:
      change.at > now && !isSo(log.changes(account.id, resourceUid), change, now) ? showing(change) : endOf(change),
    ...(isCounted(type) && { capacity: { min, max, desired } }),
  }
}

/** Asked for again what it had come to be meanwhile, a resource is so and not on its way. */
const isSo = (changes: readonly PowerChange[], { running }: PowerChange, now: number): boolean =>
  changes.findLast(({ at }) => at <= now)?.running === running

const endOf = ({ running }: PowerChange) => (running ? 'running' : 'stopped')
