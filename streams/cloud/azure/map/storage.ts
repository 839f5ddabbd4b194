import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { textAt } from '#streams/cloud/kubernetes/api/json-access.ts'
import type { Item } from '#streams/cloud/azure/session/session.ts'
import { isAt, propertiesOf, resource, timeAt } from './resource.ts'

/** If Azure leaves a member out, the default of older accounts applies: public blobs and shared keys are allowed. */
export function storageAccount(item: Item): DiscoveredResource[] {
  const properties = propertiesOf(item)
  return resource('azure-storage-account', item, {
    instanceType: textAt(item, 'sku', 'name'),
    specs: {
      created_at: timeAt(properties, 'creationTime'),
      kind: textAt(item, 'kind'),
      sku: textAt(item, 'sku', 'name'),
      access_tier: textAt(properties, 'accessTier'),
      public_blob: isAt(properties, 'allowBlobPublicAccess') ?? true,
      https_only: isAt(properties, 'supportsHttpsTrafficOnly'),
      min_tls: textAt(properties, 'minimumTlsVersion') ?? 'TLS1_0',
      default_action: textAt(properties, 'networkAcls', 'defaultAction') ?? 'Allow',
      shared_key: isAt(properties, 'allowSharedKeyAccess') ?? true,
      sftp_enabled: isAt(properties, 'isSftpEnabled') ?? false,
      hns: isAt(properties, 'isHnsEnabled') ?? false,
    },
  })
}
