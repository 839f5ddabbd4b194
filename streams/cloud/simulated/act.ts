import { cloudFault, type Action, type ActionOutcome, type CloudAccount } from '#streams/cloud/connector.ts'
import { kubernetesKind, schedulable, typeOf } from '#streams/cloud/resource-type.ts'
import { beginCall, rememberedMax, resourceOf, type Far } from '#streams/cloud/simulated/far.ts'
import { stateAt, type PowerChange } from '#streams/cloud/simulated/power.ts'
import type { SimResource } from '#streams/cloud/simulated/resource.ts'

/** Starts, stops, pauses or scales at once. Resources the world does not know can do everything: their producers made them. */
export async function act(far: Far, account: CloudAccount, action: Action): Promise<ActionOutcome> {
  const { kind, resource: ref } = action
  const id = `${account.id}\n${action.id}`
  const before = far.done.get(id)
  if (before) return before
  await beginCall(far, { call: kind, cloudAccountId: account.id, resourceUid: ref.resourceUid })
  const resource = resourceOf(far, account, ref.resourceUid)
  if (resource) refuse(resource, action)
  const change = changed(far, account.id, resource, action)
  far.log.add(account.id, ref.resourceUid, change)
  const outcome: ActionOutcome = { status: 'succeeded', observedState: change.running ? 'running' : 'stopped' }
  far.done.set(id, outcome)
  if (far.done.size > rememberedMax) far.done.delete(far.done.keys().next().value ?? '')
  return outcome
}

/** A stopped resource keeps its number of units for the next start; scaling to none is a stop. */
function changed(
  far: Far,
  accountId: string,
  resource: SimResource | undefined,
  { kind, params = {} }: Action,
): PowerChange {
  const at = far.now().getTime()
  const units = resource && stateAt(far.log, accountId, resource, at).units
  if (kind !== 'scale') return { at, running: kind === 'start', units }
  const wanted = params.desired ?? params.min ?? units
  return wanted === 0 ? { at, running: false, units } : { at, running: true, units: wanted }
}

/** @throws a `user_action` fault for what the type cannot do */
function refuse({ type, name, owned }: SimResource, { kind }: Action): void {
  const known = typeOf(type)
  const replicated = ['deployment', 'statefulset'].includes(kubernetesKind(type) ?? '')
  const can = {
    start: schedulable(type, owned),
    stop: schedulable(type, owned),
    scale: replicated || known?.scalingTarget !== 'no',
    pause: known?.pauseApi !== '',
  }
  if (!can[kind])
    throw cloudFault('user_action', 'unsupported_action', `${name} is of type ${type}, which has no ${kind}.`)
}
