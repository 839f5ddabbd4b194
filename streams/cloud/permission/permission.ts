/**
 * The permissions that the service needs in each cloud, call by call. Documents for connecting accounts are generated
 * from this table.
 */
import { awsPermissions } from '#streams/cloud/aws/permission/permissions.ts'
import { azurePermissions } from '#streams/cloud/azure/permission/permissions.ts'
import { gcpPermissions } from '#streams/cloud/gcp/permission/permissions.ts'
import type { Permission, PermissionUse } from './permission-types.ts'
import type { Provider } from '#streams/names.ts'

/** In the order shown to people: first reading, then changing. */
export const permissions: Readonly<Record<Provider, readonly Permission[]>> = {
  aws: awsPermissions,
  gcp: gcpPermissions,
  azure: azurePermissions,
}

/** The cloud's names of all permissions for a use, reading and writing, each once, in the table's order. */
export const requiredPermissions = (provider: Provider, use: PermissionUse): readonly string[] => [
  ...new Set(permissions[provider].filter((one) => one.use === use).flatMap(({ names }) => names)),
]
