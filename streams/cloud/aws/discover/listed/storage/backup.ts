import type { RecoveryPointByBackupVault } from '@aws-sdk/client-backup'
import type { RegionScan } from '#streams/cloud/aws/discover/finder.ts'
import { daysSince, listType } from '#streams/cloud/aws/discover/listed.ts'
import { listOf, timeOf } from '#streams/cloud/aws/map/resource.ts'

/** What AWS Backup moves to cold storage, as it calls them; only backups that it stores itself. */
const coldTypes: readonly string[] = [
  'CloudFormation',
  'DynamoDB',
  'EFS',
  'SAP HANA on Amazon EC2',
  'Timestream',
  'VirtualMachine',
]
const isStored = ({ RecoveryPointArn }: RecoveryPointByBackupVault): boolean =>
  /:backup:.*:recovery-point:(?!continuous:)/.test(RecoveryPointArn ?? '')

const hasPassed = (time: Date | undefined): boolean => time !== undefined && time.getTime() <= Date.now()

export const recoveryPoints = listType('backup', {
  type: 'aws-recovery-point',
  permissions: ['backup:ListBackupVaults', 'backup:ListRecoveryPointsByBackupVault'],
  list: (m, NextToken) => new m.ListBackupVaultsCommand({ MaxResults: 10, ...(NextToken && { NextToken }) }),
  next: ({ NextToken }) => NextToken,
  items: async ({ BackupVaultList }, place) => {
    // A vault for access to restores shows the points of another account.
    const vaults = listOf(BackupVaultList).filter(({ VaultType }) => VaultType !== 'RESTORE_ACCESS_BACKUP_VAULT')
    const found: RecoveryPointByBackupVault[] = []
    for (const { BackupVaultName } of vaults)
      for await (const points of pointsIn(place, BackupVaultName)) found.push(...points)
    return found
  },
  // Snapshots and images of EC2 that AWS Backup made are found as such. What is being made or deleted holds nothing yet, or no more.
  isOwn: ({ RecoveryPointArn, Status }) =>
    !/^arn:[\w-]+:ec2:/.test(RecoveryPointArn ?? '') && Status !== 'CREATING' && Status !== 'DELETING',
  uid: ({ RecoveryPointArn }) => RecoveryPointArn,
  fields: (one) => ({
    name: one.ResourceName && `${one.ResourceName} ${timeOf(one.CreationDate)?.slice(0, 10) ?? ''}`.trim(),
    sizeGB: one.BackupSizeInBytes === undefined ? undefined : one.BackupSizeInBytes / 1e9,
  }),
  specs: {
    created_at: ({ CreationDate }) => timeOf(CreationDate),
    resource_type: ({ ResourceType }) => ResourceType,
    resource_arn: ({ ResourceArn }) => ResourceArn,
    vault: ({ BackupVaultName }) => BackupVaultName,
    cold_storage: ({ CalculatedLifecycle }) => hasPassed(CalculatedLifecycle?.MoveToColdStorageAt),
    cold_eligible: (one) => coldTypes.includes(one.ResourceType ?? '') && isStored(one),
    days_to_delete: ({ CalculatedLifecycle: { DeleteAt } = {} }) =>
      DeleteAt ? daysSince(new Date(), DeleteAt.getTime()) : null,
  },
})

async function* pointsIn(place: RegionScan, BackupVaultName: string | undefined) {
  const answers = place.pages(
    'backup',
    (m, NextToken) =>
      new m.ListRecoveryPointsByBackupVaultCommand({
        BackupVaultName,
        MaxResults: 1000,
        ...(NextToken && { NextToken }),
      }),
    ({ NextToken }) => NextToken,
  )
  for await (const { RecoveryPoints } of answers) yield listOf(RecoveryPoints)
}
