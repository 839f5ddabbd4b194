import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { listOf, memberOf, textAt, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'
import type { Item } from '#streams/cloud/azure/session/session.ts'
import { isAt, numberAt, propertiesOf, resource, timeAt } from './resource.ts'

/** What is asked for an account besides: null if there is none, undefined if it is unknown. */
export interface StorageDetail {
  policy?: Json | null | undefined
  blobs?: Json | null | undefined
}

/** Of the rules that are on. */
function blobSpecs({ policy, blobs }: StorageDetail) {
  const all = policy === undefined ? undefined : listOf(memberOf(policy, 'properties', 'policy', 'rules'))
  const rules = all?.filter((one) => isAt(one, 'enabled') ?? true)
  const retention = memberOf(blobs, 'properties', 'deleteRetentionPolicy')
  return {
    lifecycle_policy: rules && rules.length > 0,
    versions_rule: rules?.some((one) => memberOf(one, 'definition', 'actions', 'version') !== undefined),
    versioning: blobs && (isAt(blobs, 'properties', 'isVersioningEnabled') ?? false),
    soft_delete_days: blobs && (isAt(retention, 'enabled') ? numberAt(retention, 'days') : null),
  }
}

/** If Azure leaves a member out, the default of older accounts applies: public blobs and shared keys are allowed. */
export function storageAccount(item: Item, detail: StorageDetail = {}): DiscoveredResource[] {
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
      ...blobSpecs(detail),
    },
  })
}
