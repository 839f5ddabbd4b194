import type { PermissionCheck } from '#streams/cloud/connector.ts'
import type { Permission } from '#streams/cloud/permission/permission-types.ts'

/** One permission as it is to be checked. */
export type RequiredPermission = Pick<Permission, 'access' | 'resources'> & { name: string }

export type State = PermissionCheck['state']
