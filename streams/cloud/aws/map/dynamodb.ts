/** Maps DynamoDB tables. */
import type { TableDescription } from '@aws-sdk/client-dynamodb'
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { resource, timeOf, type AwsTags, type Where } from './resource.ts'

const gb = 1e9

/** Data of a table from separate calls; undefined if the call is not permitted. */
export interface TableMore {
  tags?: AwsTags
  isScaled?: boolean | undefined
  isRestorable?: boolean | undefined
}

export const table = (one: TableDescription, where: Where, more: TableMore): DiscoveredResource[] =>
  resource('aws-dynamodb-table', one.TableArn, where, {
    name: one.TableName,
    sizeGB: one.TableSizeBytes === undefined ? undefined : one.TableSizeBytes / gb,
    tags: more.tags,
    specs: {
      created_at: timeOf(one.CreationDateTime),
      state: one.TableStatus,
      billing_mode: one.BillingModeSummary?.BillingMode ?? 'PROVISIONED',
      read_capacity: one.ProvisionedThroughput?.ReadCapacityUnits,
      write_capacity: one.ProvisionedThroughput?.WriteCapacityUnits,
      table_class: one.TableClassSummary?.TableClass ?? 'STANDARD',
      item_count: one.ItemCount,
      autoscaling: more.isScaled,
      pitr_enabled: more.isRestorable,
    },
  })
