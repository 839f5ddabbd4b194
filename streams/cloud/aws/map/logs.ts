/** Maps CloudWatch log groups. */
import type { LogGroup } from '@aws-sdk/client-cloudwatch-logs'
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { orNull, resource, timeOf, type AwsTags, type Where } from './resource.ts'

const gb = 1e9

/** Some answers append `:*` to the name. */
export const groupArn = ({ logGroupArn, arn }: LogGroup): string | undefined => logGroupArn ?? arn?.replace(/:\*$/, '')

export const logGroup = (one: LogGroup, where: Where, tags: AwsTags): DiscoveredResource[] =>
  resource('aws-log-group', groupArn(one), where, {
    name: one.logGroupName,
    tags,
    specs: {
      created_at: timeOf(one.creationTime),
      retention_days: orNull(one.retentionInDays),
      log_class: one.logGroupClass ?? 'STANDARD',
      stored_gb: one.storedBytes === undefined ? undefined : one.storedBytes / gb,
    },
  })
