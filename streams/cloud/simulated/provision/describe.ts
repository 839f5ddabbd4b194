/** The current state of provisioned objects, in the shape of their config. */
import type { CloudAccount } from '#streams/cloud/connector.ts'
import type { ProvisionRequest } from '#streams/cloud/provision.ts'
import type { KnownMaking } from '#streams/cloud/simulated/action/log.ts'
import { gigabytesAt, sizeAt } from '#streams/cloud/simulated/action/alteration.ts'
import { countsAt } from '#streams/cloud/simulated/action/capacity.ts'
import { beginCall, resourceOf, type Far } from '#streams/cloud/simulated/state/cloud-state.ts'
import { isGone } from './provision.ts'
import { mainStep } from './draft.ts'
import type { SimResource } from '#streams/cloud/simulated/world/resource.ts'

export async function describe(
  far: Far,
  account: CloudAccount,
  { jobId, kind }: Omit<ProvisionRequest, 'step' | 'token'>,
): Promise<Record<string, unknown> | null> {
  await beginCall(far, { call: 'describe', cloudAccountId: account.id })
  const made = [...far.ledger.log.makings(account).values()].filter((one) => one.jobId === jobId)
  const main = made.find(({ step }) => step === mainStep(kind))
  if (!main || isGone(far, account, main)) return null
  const config = { ...main.config }
  if (kind === 'vm_pool') return { ...config, ...countedOf(far, account, main, 0, 'instanceType') }
  if (kind === 'datastore') return { ...config, ...storedOf(far, account, main, config) }
  return kind === 'kubernetes' ? { ...config, nodeGroups: groupsOf(far, account, made) } : config
}

const resourceAt = (far: Far, account: CloudAccount, { objects }: KnownMaking, i: number): SimResource | undefined =>
  resourceOf(far, account, objects[i]?.uid ?? '')

function countedOf(far: Far, account: CloudAccount, making: KnownMaking, i: number, sizeName: string) {
  const resource = resourceAt(far, account, making, i)
  if (!resource) return {}
  const at = far.now().getTime()
  const { min, max } = countsAt(far.ledger.log, account.id, resource.uid, resource, at)
  return { [sizeName]: sizeAt(far.ledger.log, account.id, resource, at), min, max }
}

function storedOf(far: Far, account: CloudAccount, making: KnownMaking, config: Record<string, unknown>) {
  const resource = resourceAt(far, account, making, 0)
  if (!resource) return {}
  const at = far.now().getTime()
  const gb = gigabytesAt(far.world, far.ledger.log, account.id, resource, at)
  return {
    instanceClass: sizeAt(far.ledger.log, account.id, resource, at),
    allocatedStorageGB: resource.sizeGB === undefined ? config['allocatedStorageGB'] : gb,
  }
}

/** Existing node groups. */
function groupsOf(far: Far, account: CloudAccount, made: readonly KnownMaking[]): object[] {
  const groups = made.find(({ step }) => step === 'node_groups')
  if (!groups) return []
  return groups.objects.flatMap((object, i) =>
    isGone(far, account, { ...groups, objects: [object] })
      ? []
      : [{ name: object.name, ...countedOf(far, account, groups, i, 'instanceType') }],
  )
}
