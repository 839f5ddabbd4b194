/** What is done to resources of Azure: once, however often it is asked for under one id. */
import type { CloudAction, ActionKind, ActionOutcome, ChangingCall, CloudAccount } from '#streams/cloud/connector.ts'
import type { Repeat } from '#streams/cloud/resource/operation.ts'
import { kinds } from './index.ts'
import { unsupportedFault, type ActionHandler } from './kind.ts'
import { atOf } from '#streams/cloud/azure/look.ts'
import { openAzure } from '#streams/cloud/azure/session/open.ts'
import type { AzureOptions } from '#streams/cloud/azure/session/session.ts'

/** What is made bears a name that follows from the action; all else says what shall be, and is looked at first. */
export const repeats = {
  start: 'natural',
  stop: 'natural',
  pause: 'natural',
  scale: 'natural',
  resize: 'natural',
  set: 'natural',
  snapshot: 'token',
  delete: 'natural',
  replacePolicies: 'natural',
} as const satisfies Partial<Record<ActionKind | ChangingCall, Repeat>>

/** @throws a `cloudFault`: `unsupported_action` for what is not offered, before anything is asked */
export async function act(options: AzureOptions, account: CloudAccount, action: CloudAction): Promise<ActionOutcome> {
  const doing = findHandler(action)
  return doing(atOf(openAzure(account, options), action.resource), action)
}

function findHandler({ kind: what, resource, specs = {} }: CloudAction): ActionHandler {
  const kind = kinds[resource.type]
  const doing = kind?.acts[what]
  if (!doing) throw unsupportedFault(resource, what)
  const unknown = what === 'set' && Object.keys(specs).find((name) => !kind.sets?.includes(name))
  if (unknown !== undefined && unknown !== false) throw unsupportedFault(resource, `setting ${unknown}`)
  return doing
}
