/** Operations of Google's services: their states, and why they failed. */
import { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'
import { cloudFault } from '#streams/cloud/connector.ts'
import { lastOf } from '#streams/cloud/gcp/resource-path.ts'
import type { GcpSession } from '#streams/cloud/gcp/session/session.ts'
import { listOf, memberOf, textAt, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'
import type { Service } from '#streams/cloud/gcp/session/api.ts'

/** What an operation is about, and where it is. */
interface OperationTarget {
  service: Service
  place: string
  name: string
  permissions: { readonly operation: string }
}

/** An answer whose members are read one by one. */
export const Answer = t.Record(t.String(), t.Unknown())

export const operationName = (operation: Json): string => lastOf(textAt(operation, 'name'))

const isDone = (operation: Json): boolean => operation['done'] === true || operation['status'] === 'DONE'

/** Whether the operation that creates the object has ended. @throws what it failed with */
export async function isOver(session: GcpSession, object: OperationTarget, name: string): Promise<boolean> {
  const { service, place, permissions } = object
  try {
    const path = `${place}/operations/${name}`
    return isEnded(await session.ask({ service, path, permission: permissions.operation }, Answer), object, session)
  } catch (error) {
    // Operations are kept for some time only.
    if (error instanceof Fault && error.code === 'not_found' && error.message.includes(name)) return true
    throw error
  }
}

/** @throws what the operation failed with */
export function isEnded(operation: Json, object: Pick<OperationTarget, 'name'>, { project }: GcpSession): boolean {
  const error = memberOf(operation, 'error')
  if (error === undefined || error === null) return isDone(operation)
  const [first = error] = listOf(memberOf(error, 'errors'))
  const given = memberOf(first, 'code')
  const code = typeof given === 'string' || typeof given === 'number' ? String(given) : ''
  const message = `${object.name}: ${textAt(first, 'message') ?? textAt(operation, 'statusMessage') ?? code}`
  throw failureFault(code, message, project)
}

/** By the code of the service, or the number that gRPC has for it. */
export function failureFault(word: string, message: string, project: string): Fault {
  if (/QUOTA|LIMIT_EXCEEDED|^(8|429|RESOURCE_EXHAUSTED)$/.test(word) || /\bquota\b/i.test(message))
    return cloudFault('user_action', 'quota_exceeded', message, {
      word,
      fixHint: 'Request a higher quota from Google, or delete resources you do not need.',
      consoleUrl: `https://console.cloud.google.com/iam-admin/quotas?project=${project}`,
    })
  if (
    /RESOURCE_POOL_EXHAUSTED|STOCKOUT|RESOURCE_UNAVAILABLE|^(4|13|14|INTERNAL|UNAVAILABLE|INTERNAL_ERROR)$/.test(word)
  )
    return cloudFault('transient', 'cloud_unavailable', message, { word })
  return cloudFault('user_action', 'rejected', message, { word })
}
