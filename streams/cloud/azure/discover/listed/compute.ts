import { textAt } from '#streams/cloud/kubernetes/api/json-access.ts'
import { findInLists, listedBelow, listedType } from '#streams/cloud/azure/discover/listed.ts'
import { lengthAt, orNull } from '#streams/cloud/azure/map/resource.ts'

const version = '2024-07-01'

/** Null: not told, so that nobody takes it for empty. */
const machineCount = { vm_count: ({ of }: { of: unknown }) => orNull(lengthAt(of, 'virtualMachines')) }

export const availabilitySets = findInLists(
  listedType({
    type: 'azure-availability-set',
    permissions: ['Microsoft.Compute/availabilitySets/read'],
    fields: ({ item }) => ({ instanceType: textAt(item, 'sku', 'name') }),
    specs: machineCount,
  }),
  ['Microsoft.Compute/availabilitySets', version, { $expand: 'virtualMachines/$ref' }],
)

export const dedicatedHosts = listedBelow({
  list: ['Microsoft.Compute/hostGroups', version],
  children: [
    [
      listedType({
        type: 'azure-dedicated-host',
        permissions: ['Microsoft.Compute/hostGroups/read', 'Microsoft.Compute/hostGroups/hosts/read'],
        fields: ({ item }) => ({ instanceType: textAt(item, 'sku', 'name') }),
        specs: machineCount,
      }),
      'hosts',
    ],
  ],
})

export const sqlMachines = findInLists(
  listedType({
    type: 'azure-sql-vm',
    permissions: ['Microsoft.SqlVirtualMachine/sqlVirtualMachines/read'],
    fields: ({ of }) => ({ parentUID: textAt(of, 'virtualMachineResourceId') }),
    specs: {
      edition: ({ of }) => textAt(of, 'sqlImageSku'),
      license_type: ({ of }) => textAt(of, 'sqlServerLicenseType'),
    },
  }),
  ['Microsoft.SqlVirtualMachine/sqlVirtualMachines', '2023-10-01'],
)
