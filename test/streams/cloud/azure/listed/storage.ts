import { idOf } from '../world.ts'
import { below, created, inside, machine, one, uid, type ListedCase } from './case.ts'

export const storage: readonly ListedCase[] = [
  one({
    type: 'azure-key-vault',
    kind: 'Microsoft.KeyVault/vaults',
    name: 'vault',
    item: {
      systemData: { createdAt: '2026-01-01T00:00:00Z' },
      properties: {
        sku: { family: 'A', name: 'standard' },
        enablePurgeProtection: true,
        networkAcls: { defaultAction: 'Deny' },
      },
    },
    // 1 April 2026, 15 days ahead; 2030; never; off.
    lists: {
      secrets: [
        { id: '/s/soon', name: 'soon', properties: { attributes: { enabled: true, exp: 1_775_000_000 } } },
        { id: '/s/late', name: 'late', properties: { attributes: { enabled: true, exp: 1_893_456_000 } } },
        { id: '/s/off', name: 'off', properties: { attributes: { enabled: false } } },
      ],
      keys: [{ id: '/k/never', name: 'never', properties: { attributes: { enabled: true } } }],
    },
    fields: { instanceType: 'standard' },
    specs: { created_at: created, purge_protection: true, public_access: false, expiring_items: ['never', 'soon'] },
  }),
  one({
    type: 'azure-managed-hsm',
    kind: 'Microsoft.KeyVault/managedHSMs',
    item: {
      sku: { family: 'B', name: 'Standard_B1' },
      systemData: { createdAt: '2026-01-01T00:00:00Z' },
      properties: { securityDomainProperties: { activationStatus: 'Active' } },
    },
    fields: { instanceType: 'Standard_B1' },
    specs: { created_at: created, state: 'Activated' },
  }),
  inside({
    type: 'azure-netapp-pool',
    parent: 'Microsoft.NetApp/netAppAccounts',
    part: 'capacityPools',
    kind: 'capacityPools',
    item: {
      systemData: { createdAt: '2026-01-01T00:00:00Z' },
      properties: { size: 4_398_046_511_104, serviceLevel: 'Premium', qosType: 'Auto' },
    },
    lists: {
      volumes: [
        { id: '/v/1', properties: { usageThreshold: 107_374_182_400 } },
        { id: '/v/2', properties: { usageThreshold: 214_748_364_800 } },
      ],
    },
    fields: { instanceType: 'Premium', sizeGB: 4096 },
    specs: { created_at: created, service_level: 'Premium', qos_type: 'Auto', volume_quota_gb: 300 },
  }),
  one({
    type: 'azure-acr',
    kind: 'Microsoft.ContainerRegistry/registries',
    item: {
      sku: { name: 'Premium', tier: 'Premium' },
      properties: {
        creationDate: '2026-01-01T00:00:00Z',
        adminUserEnabled: true,
        policies: { retentionPolicy: { days: 7, status: 'disabled' }, trustPolicy: { status: 'disabled' } },
        encryption: { status: 'disabled' },
        zoneRedundancy: 'Disabled',
        publicNetworkAccess: 'Enabled',
        privateEndpointConnections: [],
      },
    },
    lists: { replications: [{ id: '/r/westeurope' }] },
    fields: { instanceType: 'Premium' },
    specs: {
      created_at: created,
      sku: 'Premium',
      admin_user: true,
      premium_features: false,
      retention_policy: false,
    },
  }),
  one({
    type: 'azure-recovery-vault',
    kind: 'Microsoft.RecoveryServices/vaults',
    item: {
      sku: { name: 'RS0', tier: 'Standard' },
      properties: {
        redundancySettings: { standardTierStorageRedundancy: 'GeoRedundant', crossRegionRestore: 'Disabled' },
        securitySettings: { softDeleteSettings: { softDeleteState: 'Enabled' } },
      },
    },
    lists: { backupProtectedItems: [{ id: '/i/1' }, { id: '/i/2' }] },
    fields: { instanceType: 'RS0' },
    specs: { redundancy: 'GeoRedundant', protected_count: 2, soft_delete: true },
  }),
  backup(),
]

function backup(): ListedCase {
  const vault = idOf('Microsoft.RecoveryServices/vaults', 'parent')
  const policyId = `${vault}/backupPolicies/daily`
  const found = inside({
    type: 'azure-backup-item',
    parent: 'Microsoft.RecoveryServices/vaults',
    part: 'backupProtectedItems',
    kind: 'backupFabrics/Azure/protectionContainers/c/protectedItems',
    item: {
      location: undefined,
      properties: {
        protectedItemType: 'Microsoft.Compute/virtualMachines',
        friendlyName: 'Vm-1',
        sourceResourceId: machine,
        policyId,
        protectionState: 'Protected',
        lastBackupTime: '2026-03-14T12:00:00Z',
      },
    },
    fields: { name: 'Vm-1', parentUID: uid(vault) },
    specs: { source_id: uid(machine), days_since_backup: 2, protection_state: 'Protected', retention_days: 30 },
  })
  const retentionPolicy = {
    retentionPolicyType: 'LongTermRetentionPolicy',
    dailySchedule: { retentionDuration: { count: 30, durationType: 'Days' } },
  }
  const policies = { value: [{ id: policyId, properties: { retentionPolicy } }] }
  return { ...found, answers: { ...found.answers, [below(vault, 'backupPolicies')]: policies } }
}
