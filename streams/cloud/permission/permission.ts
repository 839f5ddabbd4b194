/** What the service must be allowed at a cloud, call by call: what it asks people for, and what documents for connecting are printed from. */
import { awsPermissions } from '#streams/cloud/aws/permission/permissions.ts'
import { azurePermissions } from '#streams/cloud/azure/permission/permissions.ts'
import { gcpPermissions } from '#streams/cloud/gcp/permission/permissions.ts'
import type { Permission, PermissionUse } from './permission-types.ts'
import type { Provider } from '#streams/names.ts'

/** In the order in which people read it: what is looked at, then what is changed. */
export const permissions: Readonly<Record<Provider, readonly Permission[]>> = {
  aws: awsPermissions,
  gcp: gcpPermissions,
  azure: azurePermissions,
}

/** The cloud's own names of all that a use needs, to read and to write, each once, in the order of the table. */
export const requiredPermissions = (provider: Provider, use: PermissionUse): readonly string[] => [
  ...new Set(permissions[provider].filter((one) => one.use === use).flatMap(({ names }) => names)),
]
