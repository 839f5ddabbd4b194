import { created, inside, machine, one, uid, type ListedCase } from './case.ts'

export const compute: readonly ListedCase[] = [
  one({
    type: 'azure-availability-set',
    kind: 'Microsoft.Compute/availabilitySets',
    item: { sku: { name: 'Aligned' }, properties: { platformFaultDomainCount: 2, virtualMachines: [{ id: machine }] } },
    fields: { instanceType: 'Aligned' },
    specs: { vm_count: 1 },
  }),
  inside({
    type: 'azure-dedicated-host',
    parent: 'Microsoft.Compute/hostGroups',
    part: 'hosts',
    kind: 'hosts',
    item: { sku: { name: 'DSv3-Type1' }, properties: { virtualMachines: [] } },
    fields: { instanceType: 'DSv3-Type1' },
    specs: { vm_count: 0 },
  }),
  one({
    type: 'azure-sql-vm',
    kind: 'Microsoft.SqlVirtualMachine/sqlVirtualMachines',
    item: {
      properties: { virtualMachineResourceId: machine, sqlServerLicenseType: 'PAYG', sqlImageSku: 'Enterprise' },
    },
    fields: { parentUID: uid(machine) },
    specs: { edition: 'Enterprise', license_type: 'PAYG' },
  }),
  one({
    type: 'azure-hdinsight',
    kind: 'Microsoft.HDInsight/clusters',
    item: {
      properties: {
        computeProfile: {
          roles: [
            { name: 'headnode', targetInstanceCount: 2, hardwareProfile: { vmSize: 'Standard_E8_V3' } },
            { name: 'workernode', targetInstanceCount: 4, hardwareProfile: { vmSize: 'Standard_A4m_V2' } },
          ],
        },
      },
    },
    fields: { instanceType: 'Standard_A4m_V2' },
    specs: { worker_count: 4, autoscale: false },
  }),
  inside({
    type: 'azure-synapse-spark-pool',
    parent: 'Microsoft.Synapse/workspaces',
    part: 'bigDataPools',
    kind: 'bigDataPools',
    item: {
      properties: {
        creationDate: '2026-01-01T00:00:00Z',
        nodeSize: 'Medium',
        nodeCount: 4,
        autoPause: { enabled: true, delayInMinutes: 15 },
        autoScale: { enabled: false },
      },
    },
    fields: { instanceType: 'Medium', unitCount: 4 },
    specs: { created_at: created, auto_pause: true, autoscale: false, node_count: 4 },
  }),
]
