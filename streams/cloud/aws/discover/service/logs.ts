import { groupArn, logGroup } from '#streams/cloud/aws/map/logs.ts'
import { listOf } from '#streams/cloud/aws/map/resource.ts'
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
      const tags = await mapConcurrently(groups, callsAtOnce, (one) => tagsOf(place, groupArn(one)))
      yield groups.flatMap((one, i) => logGroup(one, place, tags[i]))
    }
  },
}

async function tagsOf(place: RegionScan, resourceArn: string | undefined) {
  if (resourceArn === undefined) return undefined
  const answer = await place.more('tags', () =>
    present(place.ask('cloudwatch-logs', (m) => new m.ListTagsForResourceCommand({ resourceArn }))),
  )
  return answer?.tags
}
