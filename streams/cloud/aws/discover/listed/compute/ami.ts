import { chunks, mapConcurrently } from '#streams/cloud/bill/merge.ts'
import { daysSince, listType } from '#streams/cloud/aws/discover/listed.ts'
import { callsAtOnce, present, type RegionScan } from '#streams/cloud/aws/discover/finder.ts'
import { listOf, tagsOf, timeOf, type AwsTags } from '#streams/cloud/aws/map/resource.ts'

export const images = listType('ec2', {
  type: 'aws-ami',
  permissions: [
    'ec2:DescribeImages',
    'ec2:DescribeInstances',
    'ec2:DescribeLaunchTemplateVersions',
    'autoscaling:DescribeAutoScalingGroups',
    'autoscaling:DescribeLaunchConfigurations',
  ],
  // Images of others are not listed; a disabled one is, as its snapshots cost what they did.
  list: (m, NextToken) =>
    new m.DescribeImagesCommand({
      Owners: ['self'],
      IncludeDisabled: true,
      MaxResults: 1000,
      ...(NextToken && { NextToken }),
    }),
  next: ({ NextToken }) => NextToken,
  items: async ({ Images }, place) => {
    const ids = listOf(Images).flatMap(({ ImageId }) => ImageId ?? [])
    const uses = await usesOf(place, ids)
    return listOf(Images).map((one) => ({ ...one, useCount: uses?.filter((id) => id === one.ImageId).length }))
  },
  uid: ({ ImageId }) => ImageId,
  fields: ({ Name, Tags }) => ({ name: Name, tags: Tags }),
  specs: {
    created_at: ({ CreationDate }) => timeOf(CreationDate),
    state: ({ State }) => State,
    architecture: ({ Architecture }) => Architecture,
    days_since_launch: ({ LastLaunchedTime }) => (LastLaunchedTime ? daysSince(new Date(LastLaunchedTime)) : null),
    public: ({ Public }) => Public,
    in_use_count: ({ useCount }) => useCount,
    snapshot_ids: ({ BlockDeviceMappings }) => listOf(BlockDeviceMappings).flatMap(({ Ebs }) => Ebs?.SnapshotId ?? []),
    // AWS Backup and Data Lifecycle Manager deregister the images that they make.
    managed: ({ Tags }) => isOfBackup(Tags),
  },
})

const isOfBackup = (tags: AwsTags): boolean =>
  Object.keys(tagsOf(tags)).some((key) => /^(aws:backup:|aws:dlm:|dlm:managed$)/.test(key))

/** Images that instances, launch templates and launch configurations refer to, one entry for each. Undefined where one of these may not be read. */
async function usesOf(place: RegionScan, imageIds: readonly string[]): Promise<readonly string[] | undefined> {
  if (imageIds.length === 0) return []
  const parts = [
    await place.more('ec2:DescribeInstances by image', () =>
      flatMapInChunks(imageIds, (ids) => instanceUses(place, ids)),
    ),
    await place.more('ec2:DescribeLaunchTemplateVersions', () =>
      flatMapInChunks(imageIds, (ids) => templateUses(place, ids)),
    ),
    await place.more('autoscaling:DescribeAutoScalingGroups', () => pinnedUses(place)),
    await place.more('autoscaling:DescribeLaunchConfigurations', () => configurationUses(place)),
  ]
  const known = parts.filter((part) => part !== undefined)
  return known.length === parts.length ? known.flat() : undefined
}

/** As many at a time as a filter takes values. */
const flatMapInChunks = async (
  ids: readonly string[],
  ask: (some: string[]) => Promise<readonly string[]>,
): Promise<readonly string[]> => (await mapConcurrently(chunks(ids, 200), callsAtOnce, ask)).flat()

async function instanceUses(place: RegionScan, Values: string[]): Promise<readonly string[]> {
  const answers = place.pages(
    'ec2',
    (m, NextToken) =>
      new m.DescribeInstancesCommand({
        Filters: [{ Name: 'image-id', Values }],
        MaxResults: 1000,
        ...(NextToken && { NextToken }),
      }),
    ({ NextToken }) => NextToken,
  )
  return (await Array.fromAsync(answers))
    .flatMap(({ Reservations }) => listOf(Reservations).flatMap(({ Instances }) => listOf(Instances)))
    .flatMap(({ ImageId, State }) => (ImageId && State?.Name !== 'terminated' ? ImageId : []))
}

/** The versions that are used where none is named. A template whose default is its latest version counts once. */
async function templateUses(place: RegionScan, Values: string[]): Promise<readonly string[]> {
  const answers = place.pages(
    'ec2',
    (m, NextToken) =>
      new m.DescribeLaunchTemplateVersionsCommand({
        Versions: ['$Latest', '$Default'],
        MaxResults: 200,
        Filters: [{ Name: 'image-id', Values }],
        ...(NextToken && { NextToken }),
      }),
    ({ NextToken }) => NextToken,
  )
  const versions = (await Array.fromAsync(answers)).flatMap((one) => listOf(one.LaunchTemplateVersions))
  const uses = versions.map(
    ({ LaunchTemplateId, LaunchTemplateData }) => `${LaunchTemplateId} ${LaunchTemplateData?.ImageId ?? ''}`,
  )
  return [...new Set(uses)].flatMap((use) => use.split(' ')[1] ?? [])
}

/** Of versions of launch templates that Auto Scaling groups name by number. */
async function pinnedUses(place: RegionScan): Promise<readonly string[]> {
  const answers = place.pages(
    'auto-scaling',
    (m, NextToken) => new m.DescribeAutoScalingGroupsCommand({ MaxRecords: 100, ...(NextToken && { NextToken }) }),
    ({ NextToken }) => NextToken,
  )
  const specifications = (await Array.fromAsync(answers))
    .flatMap(({ AutoScalingGroups }) => listOf(AutoScalingGroups))
    .flatMap(({ LaunchTemplate, MixedInstancesPolicy }) => {
      const { LaunchTemplateSpecification, Overrides } = MixedInstancesPolicy?.LaunchTemplate ?? {}
      const overrides = listOf(Overrides).map((one) => one.LaunchTemplateSpecification)
      return [LaunchTemplate, LaunchTemplateSpecification, ...overrides].filter((one) => one !== undefined)
    })
  const pinned = specifications.filter(
    ({ LaunchTemplateId, Version }) => LaunchTemplateId && /^\d+$/.test(Version ?? ''),
  )
  const templates = [...Map.groupBy(pinned, ({ LaunchTemplateId }) => LaunchTemplateId)]
  const found = await mapConcurrently(templates, callsAtOnce, async ([LaunchTemplateId, some]) => {
    const Versions = [...new Set(some.flatMap(({ Version }) => Version ?? []))]
    // The group may name a template that has gone.
    const answer = await present(
      place.ask('ec2', (m) => new m.DescribeLaunchTemplateVersionsCommand({ LaunchTemplateId, Versions })),
    )
    return listOf(answer?.LaunchTemplateVersions).flatMap(({ LaunchTemplateData }) => LaunchTemplateData?.ImageId ?? [])
  })
  return found.flat()
}

async function configurationUses(place: RegionScan): Promise<readonly string[]> {
  const answers = place.pages(
    'auto-scaling',
    (m, NextToken) => new m.DescribeLaunchConfigurationsCommand({ MaxRecords: 100, ...(NextToken && { NextToken }) }),
    ({ NextToken }) => NextToken,
  )
  const all = (await Array.fromAsync(answers)).flatMap(({ LaunchConfigurations }) => listOf(LaunchConfigurations))
  return all.flatMap(({ ImageId }) => ImageId ?? [])
}
