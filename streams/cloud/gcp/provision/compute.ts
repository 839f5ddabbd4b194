/** Objects of Compute Engine: where they are, and the permissions for them. */
import type { ProvisionRequest } from '#streams/cloud/provision.ts'
import type { GcpSession } from '#streams/cloud/gcp/session/session.ts'
import type { CloudObject } from './cloud-object.ts'
import { markOf, ownName, type NamedRequest } from './step.ts'

type Permissions = Readonly<Record<'get' | 'create' | 'delete', string>>

type Of = Pick<ProvisionRequest, 'jobId'>

/** Marked by its description: most of these objects cannot have labels. */
const marked = (request: Of, name: string, body: object) => ({ name, description: markOf(request), ...body })

/** An object of no region. `part`: as in `ownName`. */
export function globalObject(
  { project }: GcpSession,
  request: Of,
  collection: string,
  permissions: Permissions,
  { part = '', ...body }: { part?: string; [member: string]: unknown } = {},
): CloudObject {
  const name = ownName(request, part)
  return {
    service: 'compute',
    place: `/projects/${project}/global`,
    collection,
    name,
    permissions: { ...permissions, operation: 'compute.globalOperations.get' },
    body: marked(request, name, body),
  }
}

/** An object of the space's region. `part`: as in `ownName`. */
export function regionalObject(
  { project }: GcpSession,
  request: Of & Pick<NamedRequest, 'region'>,
  collection: string,
  permissions: Permissions,
  { part = '', ...body }: { part?: string; [member: string]: unknown } = {},
): CloudObject {
  const name = ownName(request, part)
  return {
    service: 'compute',
    place: `/projects/${project}/regions/${request.region}`,
    collection,
    name,
    permissions: { ...permissions, operation: 'compute.regionOperations.get' },
    body: marked(request, name, body),
  }
}
