/** Resize, set, snapshot and delete: refusals and effects. Each describes the final state. */
import { cloudFault, type CloudAction, type CloudAccount } from '#streams/cloud/connector.ts'
import { operationsOf } from '#streams/cloud/resource/operation.ts'
import { typeOf } from '#streams/cloud/resource/resource-type.ts'
import type { Alteration } from './log.ts'
import { goneAt, sizeNames } from './alteration.ts'
import { resourceOf, type Far } from '#streams/cloud/simulated/state/cloud-state.ts'
import { lookAt } from '#streams/cloud/simulated/look.ts'
import { isPriced } from '#streams/cloud/simulated/bill/price.ts'
import type { SimResource } from '#streams/cloud/simulated/world/resource.ts'
import type { ResourceStatus } from '#streams/resource/messages.ts'

const operations = ['resize', 'set', 'snapshot', 'delete'] as const
type Operation = (typeof operations)[number]

export const isOperation = (action: CloudAction): action is CloudAction & { kind: Operation } =>
  operations.some((kind) => kind === action.kind)

/**
 * Resources of unknown types allow everything, because only their producers know them.
 * @throws a `user_action` fault
 */
export function refuseOperation(far: Far, account: CloudAccount, action: CloudAction & { kind: Operation }): void {
  const { kind, resource: ref } = action
  const known = resourceOf(far, account, ref.resourceUid)
  const type = known?.type ?? ref.type
  const name = known?.name ?? ref.resourceUid
  if (typeOf(type) && !operationsOf(type).has(kind)) throw unsupportedFault(name, type, kind)
  if (kind === 'delete') return
  const { exists, status } = lookAt(far, account, ref)
  if (!exists) throw notFound(name)
  if (known) refuseSizes(known, readSizes(action))
  if (kind === 'resize') refuseResize(action, name, typeOf(type) ? status : undefined)
}

function refuseResize({ size }: CloudAction, name: string, status: ResourceStatus | undefined): void {
  if (size === undefined) throw cloudFault('user_action', 'invalid_size', `The new size of ${name} is missing.`)
  if (status !== undefined && status !== 'stopped')
    throw cloudFault('user_action', 'invalid_state', `${name} is ${status}: stop it before you resize it.`)
}

export const unsupportedFault = (name: string, type: string, what: string): Error =>
  cloudFault('user_action', 'unsupported_action', `${name} (${type}) does not support ${what}.`)

export const notFound = (name: string): Error =>
  cloudFault('user_action', 'resource_not_found', `${name} no longer exists.`)

/** Requested size and gigabytes, not yet checked. */
interface SizeChange {
  size?: unknown
  gb?: unknown
}

function readSizes({ kind, size, specs = {} }: CloudAction): SizeChange {
  if (kind !== 'set') return { size: kind === 'resize' ? size : undefined }
  return { size: sizeNames.map((name) => specs[name]).find((named) => named !== undefined), gb: specs['size_gb'] }
}

/** @throws a `user_action` fault for a size without a price, or invalid gigabytes */
function refuseSizes({ type, name, size: has, sizeGB }: SimResource, { size, gb }: SizeChange): void {
  const isSize = size === undefined || has === undefined || (typeof size === 'string' && isPriced(type, size))
  const isStored = gb === undefined || sizeGB === undefined || (typeof gb === 'number' && gb > 0 && Number.isFinite(gb))
  if (isSize && isStored) return
  const wrong = JSON.stringify(isSize ? { size_gb: gb } : { size })
  throw cloudFault('user_action', 'invalid_size', `${name} cannot be changed to ${wrong}: not available for ${type}.`)
}

/** The effect of a permitted operation. A snapshot changes nothing, and nothing is deleted twice. */
export function toAlteration(
  far: Far,
  account: CloudAccount,
  action: CloudAction & { kind: Operation },
  time: Pick<Alteration, 'asked' | 'at'>,
): Alteration {
  const { resourceUid } = action.resource
  if (action.kind === 'snapshot') return time
  if (action.kind === 'delete') return toDeletion(far, account, resourceUid, time)
  const known = resourceOf(far, account, resourceUid)
  const { size, gb } = readSizes(action)
  return {
    ...time,
    ...(typeof size === 'string' && (!known || known.size !== undefined) && { size }),
    ...(typeof gb === 'number' && known?.sizeGB !== undefined && { gb }),
    ...(action.kind === 'set' && { specs: action.specs ?? {} }),
  }
}

/** If it is already deleted, it is so immediately; if a deletion is in progress, its end does not change. */
function toDeletion(far: Far, account: CloudAccount, uid: string, time: Pick<Alteration, 'asked' | 'at'>): Alteration {
  const going = goneAt(far.world, far.ledger.log, account.id, uid)
  if (Number.isFinite(going)) return { ...time, at: Math.max(time.asked, going) }
  return isThere(far, account, uid) ? { ...time, gone: true } : { ...time, at: time.asked }
}

/** The content of producers' accounts is unknown. */
const isThere = (far: Far, account: CloudAccount, uid: string): boolean =>
  lookAt(far, account, { resourceUid: uid, type: '', region: '' }).exists
