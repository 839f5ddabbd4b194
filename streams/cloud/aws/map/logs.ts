/** Maps CloudWatch log groups. */
import type { LogGroup } from '@aws-sdk/client-cloudwatch-logs'
import { dayMs } from '#engine/value/day.ts'
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { orNull, resource, timeOf, type AwsTags, type Where } from './resource.ts'

const gb = 1e9

/** Some answers append `:*` to the name. */
export const groupArn = ({ logGroupArn, arn }: LogGroup): string | undefined => logGroupArn ?? arn?.replace(/:\*$/, '')

/** Data of a group from separate calls; undefined if the call was not made or is not permitted. */
export interface GroupMore {
  tags?: AwsTags
  /** Milliseconds since 1970. */
  lastEvent?: number | null | undefined
  subscriptions?: number | undefined
}

export const logGroup = (one: LogGroup, where: Where, more: GroupMore, now: number): DiscoveredResource[] =>
  resource('aws-log-group', groupArn(one), where, {
    name: one.logGroupName,
    tags: more.tags,
    specs: {
      created_at: timeOf(one.creationTime),
      retention_days: orNull(one.retentionInDays),
      log_class: one.logGroupClass ?? 'STANDARD',
      stored_gb: one.storedBytes === undefined ? undefined : one.storedBytes / gb,
      days_since_event:
        typeof more.lastEvent === 'number' ? Math.floor((now - more.lastEvent) / dayMs) : more.lastEvent,
      // Metric filters use features that the class for infrequent access lacks, too.
      subscription_count:
        more.subscriptions === undefined ? undefined : more.subscriptions + (one.metricFilterCount ?? 0),
    },
  })
