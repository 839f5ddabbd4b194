import type { AppDetails } from '@aws-sdk/client-sagemaker'
import { callsAtOnce, type RegionScan } from '#streams/cloud/aws/discover/finder.ts'
import { also, listType } from '#streams/cloud/aws/discover/listed.ts'
import { arnOf, listOf, timeOf } from '#streams/cloud/aws/map/resource.ts'
import { mapConcurrently } from '#streams/cloud/bill/merge.ts'

const hourMs = 3_600_000

/** A deleted app is listed for a day: as stopped, for an app is stopped by its deletion. */
export const sageMakerApps = listType('sagemaker', {
  type: 'aws-sagemaker-app',
  permissions: ['sagemaker:ListApps', 'sagemaker:DescribeApp', 'sagemaker:ListTags'],
  list: (m, NextToken) => new m.ListAppsCommand({ MaxResults: 100, ...(NextToken && { NextToken }) }),
  next: ({ NextToken }) => NextToken,
  items: ({ Apps }, place) =>
    mapConcurrently(listOf(Apps), callsAtOnce, async (one) => ({ ...(await describeApp(one, place)), ...one })),
  detail: async ({ AppArn: ResourceArn, Status }, place) =>
    ResourceArn && Status !== 'Deleted'
      ? also(place, 'tags', () => place.ask('sagemaker', (m) => new m.ListTagsCommand({ ResourceArn })))
      : undefined,
  uid: ({ AppArn, ...one }, where) =>
    AppArn ?? arnOf('sagemaker', where, `app/${one.DomainId}/${ownerOf(one)}/${one.AppType}/${one.AppName}`),
  fields: (one, _, tags) => ({
    name: `${ownerOf(one)}/${one.AppName}`,
    state: one.Status,
    instanceType: one.ResourceSpec?.InstanceType,
    tags: tags?.Tags,
  }),
  specs: {
    created_at: ({ CreationTime }) => timeOf(CreationTime),
    state: ({ Status }) => Status,
    app_type: ({ AppType }) => AppType,
    idle_hours: ({ LastUserActivityTimestamp: last }) => last && Math.floor((Date.now() - last.getTime()) / hourMs),
  },
})

/** The user or the space that it belongs to. */
const ownerOf = ({ UserProfileName, SpaceName }: AppDetails): string => UserProfileName ?? SpaceName ?? ''

const describeApp = ({ DomainId, UserProfileName, SpaceName, AppType, AppName }: AppDetails, place: RegionScan) =>
  also(place, 'app', () =>
    place.ask(
      'sagemaker',
      (m) =>
        new m.DescribeAppCommand({
          DomainId,
          AppType,
          AppName,
          ...(UserProfileName === undefined ? { SpaceName } : { UserProfileName }),
        }),
    ),
  )
