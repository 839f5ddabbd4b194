/** The scale set behind a load balancer: its model has the pools of load balancers that its machines belong to. */
import { cloudFault } from '#streams/cloud/connector.ts'
import { computeVersion } from '#streams/cloud/azure/discover/compute.ts'
import { propertiesOf } from '#streams/cloud/azure/map/resource.ts'
import { isIdOf } from '#streams/cloud/azure/session/path.ts'
import type { AzureSession, Call } from '#streams/cloud/azure/session/session.ts'
import { isTrueAt, listOf, memberOf, objectOf, textAt, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'
import { look, stateOf, type CloudObject } from './cloud-object.ts'
import { goneFault, unsupportedFault } from './step.ts'

const query = { 'api-version': computeVersion }

/** @throws Fault `unsupported_provisioning` for any other resource */
export function targetAt({ account }: AzureSession, uid: string): CloudObject {
  const isSet = /\/providers\/microsoft\.compute\/virtualmachinescalesets\/[^/]+$/i.test(uid)
  if (!isSet || !isIdOf(account.externalId, uid))
    throw unsupportedFault(`A load balancer for ${uid}, which is not a scale set of the subscription,`)
  return { path: uid, name: uid.split('/').at(-1)!, version: computeVersion, body: {} }
}

/** @throws if it does not exist, or its machines are not like its model */
export async function requireTarget(session: AzureSession, uid: string): Promise<Json> {
  const set = await look(session, targetAt(session, uid))
  if (!set) throw goneFault(uid)
  if (textAt(set, 'properties', 'orchestrationMode') === 'Flexible')
    throw unsupportedFault('A load balancer for a scale set with flexible orchestration')
  return set
}

/** Changes that wait for their owner would take effect together with ours. @throws if there are any */
export async function checkUpgraded(session: AzureSession, uid: string): Promise<void> {
  if ((await outdatedIn(session, uid)).length === 0) return
  throw cloudFault('user_action', 'target_outdated', `Machines of ${uid} are not upgraded to its newest model.`, {
    fixHint: 'Upgrade the machines of the scale set, then retry.',
  })
}

const cardsIn = (set: Json): readonly Json[] =>
  listOf(memberOf(set, 'properties', 'virtualMachineProfile', 'networkProfile', 'networkInterfaceConfigurations'))

const isPrimary = (one: Json): boolean => isTrueAt(propertiesOf(one), 'primary')
/** The only one may not be marked. */
const primaryOf = (list: readonly Json[]): Json | undefined => list.find(isPrimary) ?? list[0]

const addressesIn = (card: Json): readonly Json[] => listOf(propertiesOf(card)['ipConfigurations'])
const poolsIn = (address: Json): readonly Json[] => listOf(propertiesOf(address)['loadBalancerBackendAddressPools'])

/** The subnet of the machines. */
export const subnetOf = (set: Json): string | undefined =>
  textAt(propertiesOf(primaryOf(addressesIn(primaryOf(cardsIn(set)) ?? {})) ?? {}), 'subnet', 'id')

const isSame = (pool: Json, id: string): boolean => textAt(pool, 'id')?.toLowerCase() === id.toLowerCase()

export const isInPool = (set: Json, pool: string): boolean =>
  cardsIn(set).some((card) => addressesIn(card).some((address) => poolsIn(address).some((one) => isSame(one, pool))))

/** The change that puts machines into the pool, or takes them out; Azure takes lists as a whole. */
export function poolChange(set: Json, uid: string, pool: string, isWanted: boolean): Call {
  const primary = primaryOf(cardsIn(set))
  const address = primaryOf(addressesIn(primary ?? {}))
  const pooled = (one: Json, isPlace: boolean): Json => ({
    ...one,
    properties: {
      ...propertiesOf(one),
      loadBalancerBackendAddressPools: [
        ...poolsIn(one).filter((known) => !isSame(known, pool)),
        ...(isWanted && isPlace ? [{ id: pool }] : []),
      ],
    },
  })
  const networkInterfaceConfigurations = cardsIn(set).map((card) => ({
    ...card,
    properties: {
      ...propertiesOf(card),
      ipConfigurations: addressesIn(card).map((one) => pooled(one, card === primary && one === address)),
    },
  }))
  const virtualMachineProfile = { networkProfile: { networkInterfaceConfigurations } }
  // Otherwise what somebody else changes at the same moment would be lost.
  const etag = textAt(set, 'etag')
  const headers = etag === undefined ? {} : { 'if-match': etag }
  return { method: 'PATCH', path: uid, query, headers, body: { properties: { virtualMachineProfile } } }
}

/** Numbers of the machines that do not have the newest model. */
async function outdatedIn(session: AzureSession, uid: string): Promise<string[]> {
  const outdated: string[] = []
  for await (const page of session.pages({ path: `${uid}/virtualMachines`, query }))
    for (const machine of page)
      if (memberOf(machine, 'properties', 'latestModelApplied') === false)
        outdated.push(textAt(machine, 'instanceId') ?? machine.id.split('/').at(-1)!)
  return outdated
}

/** Whether all machines have the newest model. Where Azure does not upgrade them by itself, it is told to. */
export async function isUpgraded(session: AzureSession, set: Json, uid: string): Promise<boolean> {
  if (stateOf(targetAt(session, uid), set) !== 'ready') return false
  const instanceIds = await outdatedIn(session, uid)
  if (instanceIds.length === 0) return true
  const mode = textAt(objectOf(memberOf(set, 'properties', 'upgradePolicy')), 'mode')
  if (mode === 'Manual')
    await session.ask({ method: 'POST', path: `${uid}/manualupgrade`, query, body: { instanceIds } })
  return false
}
