/** Changes in Azure and the operations that carry them out, which Azure reports at an address of their own. */
import { Fault } from '#engine/value/fault.ts'
import { cloudFault } from '#streams/cloud/connector.ts'
import { azureFault, AzureRefusal } from '#streams/cloud/azure/session/fault.ts'
import { permissionOf, typeIn } from '#streams/cloud/azure/session/path.ts'
import type { AzureReply, AzureSession, Call } from '#streams/cloud/azure/session/session.ts'
import { listOf, memberOf, textAt } from '#streams/cloud/kubernetes/api/json-access.ts'

export const codeOf = (error: unknown): string => (error instanceof Fault ? error.code : '')

/** Maximum characters of an address: it is stored with the step. */
const addressMax = 2000

/**
 * Makes a change. Returns the address of its operation, as path and query; undefined if it is already done.
 * @throws as `AzureSession.ask`
 */
export async function change(session: AzureSession, call: Call): Promise<string | undefined> {
  const { status, headers } = await session.read(call)
  const link = headers['azure-asyncoperation'] ?? (status === 202 ? headers.location : undefined)
  const url = typeof link === 'string' ? URL.parse(link) : null
  const address = url ? `${url.pathname}${url.search}` : ''
  return address.startsWith('/subscriptions/') && address.length <= addressMax ? address : undefined
}

/** What an operation does: the method and path of the change. */
export type OperationTarget = Required<Pick<Call, 'method' | 'path'>>

/** Whether the operation has ended. @throws what it failed with */
export async function isOver(session: AzureSession, address: string, target: OperationTarget): Promise<boolean> {
  const url = new URL(address, 'https://azure')
  try {
    const query = Object.fromEntries(url.searchParams)
    return isEnded(await session.read({ path: url.pathname, query }), target)
  } catch (error) {
    // Azure keeps operations for some time only, and roles may not allow reading them: the object tells, too.
    if (codeOf(error) === 'not_found' || codeOf(error) === 'permission_missing') return true
    throw error
  }
}

function isEnded({ status, object }: AzureReply, target: OperationTarget): boolean {
  const state = textAt(object, 'status')
  if (state === 'Failed') throw failureFault(memberOf(object, 'error'), target)
  if (state === 'Canceled')
    throw cloudFault('user_action', 'creation_failed', `Azure has cancelled the change of ${nameOf(target)}.`, {
      fixHint: 'Fix the cause, then retry.',
    })
  return state === undefined ? status !== 202 : state === 'Succeeded'
}

const nameOf = ({ path }: OperationTarget): string => path.split('/').at(-1) ?? ''

/** Some services put the reason into the details of the error. */
function failureFault(error: unknown, { method, path }: OperationTarget): Fault {
  const [detail] = listOf(memberOf(error, 'details'))
  const [code = '', said = ''] = [textAt(error, 'code'), textAt(error, 'message')]
  const [detailCode = code, detailSaid = ''] = [textAt(detail, 'code'), textAt(detail, 'message')]
  const message = [said || code || 'Azure gives no reason.', detailSaid].filter(Boolean).join(' ')
  const asked = { operation: `${method} ${typeIn(path)}`, permission: permissionOf(method, path) }
  return azureFault(new AzureRefusal(400, detailCode, message.slice(0, 1000)), asked)
}
