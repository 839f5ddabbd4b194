/** What the service must be allowed at a cloud, call by call: what it asks people for, and what documents for connecting are printed from. */
import { awsPermissions } from '#streams/cloud/aws/permissions.ts'
import { gcpPermissions } from '#streams/cloud/gcp/permissions.ts'
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

const scaleSet = ['azure-vmss']

/** In the order in which people read it: what is looked at, then what is changed. */
export const permissions: Readonly<Record<Provider, readonly Permission[]>> = {
  aws: awsPermissions,
  gcp: gcpPermissions,
  azure: [
    read('look', ['Microsoft.Compute/virtualMachineScaleSets/read'], scaleSet),
    read('look', ['Microsoft.ContainerService/managedClusters/agentPools/read'], ['azure-aks-nodepool']),
    // The pool itself is asked for and edited inside of the workspace, by a member of it.
    read('look', ['Microsoft.Databricks/workspaces/read'], ['azure-databricks-instance-pool']),
    read('measure', ['Microsoft.Insights/metrics/read']),
    read('policies', ['Microsoft.Insights/autoscaleSettings/read'], scaleSet),
    read('quotas', ['Microsoft.Compute/locations/usages/read']),
    write('scale', ['Microsoft.Compute/virtualMachineScaleSets/write'], scaleSet),
    write('scale', ['Microsoft.ContainerService/managedClusters/agentPools/write'], ['azure-aks-nodepool']),
    write(
      'replacePolicies',
      ['Microsoft.Insights/autoscaleSettings/write', 'Microsoft.Insights/autoscaleSettings/delete'],
      scaleSet,
    ),
  ],
}

/** The cloud's own names of all that a use needs, to read and to write, each once, in the order of the table. */
export const requiredPermissions = (provider: Provider, use: PermissionUse): readonly string[] => [
  ...new Set(permissions[provider].filter((one) => one.use === use).flatMap(({ names }) => names)),
]
