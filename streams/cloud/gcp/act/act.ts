/** What is done to resources of Google Cloud, and how one of them is looked at: once, however often it is asked for under one id. */
import { randomUUID } from 'node:crypto'
import type {
  CloudAction,
  ActionKind,
  ActionOutcome,
  ChangingCall,
  CloudAccount,
  Look,
  ResourceRef,
} from '#streams/cloud/connector.ts'
import type { Repeat } from '#streams/cloud/resource/operation.ts'
import { kinds } from './index.ts'
import { unsupported, type At, type ActionHandler } from './kind.ts'
import { openGcp, type GcpSession } from '#streams/cloud/gcp/session/session.ts'
import type { GcpOptions } from '#streams/cloud/gcp/session/token.ts'

/** What is made bears a name that follows from the action; all else says what shall be, and is looked at first. */
export const repeats = {
  start: 'natural',
  stop: 'natural',
  scale: 'natural',
  resize: 'natural',
  set: 'natural',
  snapshot: 'token',
  delete: 'natural',
  replacePolicies: 'natural',
} as const satisfies Partial<Record<ActionKind | ChangingCall, Repeat>>

/** @throws a `cloudFault`: `unsupported_action` for what is not offered, before anything is asked */
export async function act(options: GcpOptions, account: CloudAccount, action: CloudAction): Promise<ActionOutcome> {
  const doing = findHandler(action)
  return doing(atOf(openGcp(account, options), action.resource), action)
}

export const atOf = (session: GcpSession, ref: ResourceRef): At => ({ session, ref, nonce: randomUUID() })

/** Nothing of Google is paused beside what stops. */
function findHandler({ kind: what, resource, specs = {} }: CloudAction): ActionHandler {
  const kind = kinds[resource.type]
  const doing = kind?.acts[what]
  if (!doing) throw unsupported(resource, what)
  const unknown = what === 'set' && Object.keys(specs).find((name) => !kind.sets?.includes(name))
  if (unknown !== undefined && unknown !== false) throw unsupported(resource, `setting ${unknown}`)
  return doing
}

/** @throws `unsupported_action` for types that are not looked at */
export async function look(options: GcpOptions, account: CloudAccount, ref: ResourceRef): Promise<Look> {
  const kind = kinds[ref.type]
  if (!kind) throw unsupported(ref, 'look')
  const { exists, status, capacity, instanceType, specs } = await kind.look(atOf(openGcp(account, options), ref))
  return {
    exists,
    ...(status !== undefined && { status }),
    ...(capacity && { capacity }),
    ...(instanceType !== undefined && { instanceType }),
    ...(specs && { specs }),
  }
}
