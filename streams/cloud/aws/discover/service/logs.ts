import type { LogGroup } from '@aws-sdk/client-cloudwatch-logs'
import { groupArn, logGroup, type GroupMore } from '#streams/cloud/aws/map/logs.ts'
import { listOf, type AwsTags } from '#streams/cloud/aws/map/resource.ts'
import { mapConcurrently } from '#streams/cloud/bill/merge.ts'
import { callsAtOnce, present, type Finder, type RegionScan } from '#streams/cloud/aws/discover/finder.ts'

export const logGroupFinder: Finder = {
  types: ['aws-log-group'],
  service: 'cloudwatch-logs',
  scope: 'region',
  async *find(place) {
    const answers = place.pages(
      'cloudwatch-logs',
      (m, nextToken) => new m.DescribeLogGroupsCommand({ limit: 50, ...(nextToken && { nextToken }) }),
      ({ nextToken }) => nextToken,
    )
    for await (const { logGroups } of answers) {
      const groups = listOf(logGroups)
      const details = await mapConcurrently(groups, callsAtOnce, (one) => moreOf(place, one))
      yield groups.flatMap((one, at) => logGroup(one, place, details[at]!, Date.now()))
    }
  },
}

/**
 * Bytes from which a group is looked at more closely: a smaller one costs less than 3 cents a month, and each call is one of
 * the few a second that AWS allows.
 */
const closeBytes = 1e9

async function moreOf(place: RegionScan, one: LogGroup): Promise<GroupMore> {
  const tags = await tagsOf(place, groupArn(one))
  const { logGroupName, storedBytes = 0, logGroupClass = 'STANDARD' } = one
  if (storedBytes < closeBytes || logGroupClass !== 'STANDARD') return { tags }
  const streams = await place.more('streams', () =>
    present(
      place.ask(
        'cloudwatch-logs',
        (m) => new m.DescribeLogStreamsCommand({ logGroupName, orderBy: 'LastEventTime', descending: true, limit: 1 }),
      ),
    ),
  )
  const filters = await place.more('subscriptions', () =>
    present(place.ask('cloudwatch-logs', (m) => new m.DescribeSubscriptionFiltersCommand({ logGroupName }))),
  )
  return {
    tags,
    lastEvent: streams && (listOf(streams.logStreams)[0]?.lastEventTimestamp ?? null),
    subscriptions: filters && listOf(filters.subscriptionFilters).length,
  }
}

async function tagsOf(place: RegionScan, resourceArn: string | undefined): Promise<AwsTags> {
  if (resourceArn === undefined) return undefined
  const answer = await place.more('tags', () =>
    present(place.ask('cloudwatch-logs', (m) => new m.ListTagsForResourceCommand({ resourceArn }))),
  )
  return answer?.tags
}
