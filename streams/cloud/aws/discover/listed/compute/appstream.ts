import { also, listType } from '#streams/cloud/aws/discover/listed.ts'
import type { RegionScan } from '#streams/cloud/aws/discover/finder.ts'
import { timeOf } from '#streams/cloud/aws/map/resource.ts'

export const appstreamFleets = listType('appstream', {
  type: 'aws-appstream-fleet',
  permissions: ['appstream:DescribeFleets', 'appstream:ListTagsForResource'],
  list: (m, NextToken) => new m.DescribeFleetsCommand({ ...(NextToken && { NextToken }) }),
  next: ({ NextToken }) => NextToken,
  items: ({ Fleets }) => Fleets,
  detail: ({ Arn }, place) => tagsOf(place, Arn),
  uid: ({ Arn }) => Arn,
  fields: ({ Name, State, InstanceType, ComputeCapacityStatus }, _, detail) => ({
    name: Name,
    state: State,
    instanceType: InstanceType,
    unitCount: ComputeCapacityStatus?.Desired,
    tags: detail?.Tags,
  }),
  specs: {
    created_at: ({ CreatedTime }) => timeOf(CreatedTime),
    fleet_type: ({ FleetType }) => FleetType,
    state: ({ State }) => State,
  },
})

export const appstreamImageBuilders = listType('appstream', {
  type: 'aws-appstream-image-builder',
  permissions: ['appstream:DescribeImageBuilders', 'appstream:ListTagsForResource'],
  list: (m, NextToken) => new m.DescribeImageBuildersCommand({ ...(NextToken && { NextToken }) }),
  next: ({ NextToken }) => NextToken,
  items: ({ ImageBuilders }) => ImageBuilders,
  detail: ({ Arn }, place) => tagsOf(place, Arn),
  uid: ({ Arn }) => Arn,
  fields: ({ Name, State, InstanceType }, _, detail) => ({
    name: Name,
    state: State,
    instanceType: InstanceType,
    tags: detail?.Tags,
  }),
  specs: {
    created_at: ({ CreatedTime }) => timeOf(CreatedTime),
    state: ({ State }) => State,
  },
})

const tagsOf = (place: RegionScan, ResourceArn: string | undefined) =>
  also(place, 'appstream:ListTagsForResource', () =>
    place.ask('appstream', (m) => new m.ListTagsForResourceCommand({ ResourceArn })),
  )
