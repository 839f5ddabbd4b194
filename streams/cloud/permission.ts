/** What the service must be allowed at a cloud, call by call: what it asks people for, and what documents for connecting are printed from. */
import { awsPermissions } from '#streams/cloud/aws/permissions.ts'
import { azurePermissions } from '#streams/cloud/azure/permissions.ts'
import type { Permission, PermissionUse, PermittedCall } from '#streams/cloud/permitted.ts'
import type { Provider } from '#streams/names.ts'

const read = (call: PermittedCall, names: readonly string[], types?: readonly string[]): Permission => ({
  use: 'autoscaling',
  call,
  access: 'read',
  names,
  ...(types && { types }),
})
const write = (call: PermittedCall, names: readonly string[], types?: readonly string[]): Permission => ({
  ...read(call, names, types),
  access: 'write',
})

const instances = ['gcp-mig']

/** In the order in which people read it: what is looked at, then what is changed. */
export const permissions: Readonly<Record<Provider, readonly Permission[]>> = {
  aws: awsPermissions,
  gcp: [
    read('look', ['compute.instanceGroupManagers.get'], instances),
    read('look', ['container.clusters.get'], ['gcp-gke-nodepool']),
    read('measure', ['monitoring.timeSeries.list']),
    read('policies', ['compute.autoscalers.get', 'compute.autoscalers.list'], instances),
    read('quotas', ['compute.regions.get']),
    write('scale', ['compute.instanceGroupManagers.update'], instances),
    write('scale', ['container.clusters.update'], ['gcp-gke-nodepool']),
    write(
      'replacePolicies',
      [
        'compute.autoscalers.create',
        'compute.autoscalers.update',
        'compute.autoscalers.delete',
        'compute.instanceGroupManagers.use',
      ],
      instances,
    ),
  ],
  azure: azurePermissions,
}

/** The cloud's own names of all that a use needs, to read and to write, each once, in the order of the table. */
export const requiredPermissions = (provider: Provider, use: PermissionUse): readonly string[] => [
  ...new Set(permissions[provider].filter((one) => one.use === use).flatMap(({ names }) => names)),
]
