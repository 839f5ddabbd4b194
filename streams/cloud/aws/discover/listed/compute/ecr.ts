import type { ImageDetail, RegistryScanningConfiguration, Repository } from '@aws-sdk/client-ecr'
import { present, type RegionScan } from '#streams/cloud/aws/discover/finder.ts'
import { also, daysSince, listType } from '#streams/cloud/aws/discover/listed.ts'
import { listOf, timeOf } from '#streams/cloud/aws/map/resource.ts'

const gb = 1e9
const staleDays = 90

export const ecrRepositories = listType('ecr', {
  type: 'aws-ecr-repository',
  permissions: [
    'ecr:DescribeRepositories',
    'ecr:GetRegistryScanningConfiguration',
    'ecr:GetLifecyclePolicy',
    'ecr:DescribeImages',
    'ecr:ListTagsForResource',
  ],
  list: (m, nextToken) => new m.DescribeRepositoriesCommand({ maxResults: 100, ...(nextToken && { nextToken }) }),
  next: ({ nextToken }) => nextToken,
  items: async ({ repositories }, place) => {
    const registry = await also(place, 'scanning', () =>
      place.ask('ecr', (m) => new m.GetRegistryScanningConfigurationCommand({})),
    )
    const scanning = registry && (registry.scanningConfiguration ?? {})
    return listOf(repositories).map((one) => ({ ...one, isScanned: isScanned(one, scanning) }))
  },
  detail: async ({ repositoryName, repositoryArn: resourceArn }, place) => {
    const [hasPolicy, images, tags] = await Promise.all([
      place.more('lifecycle', async () => {
        const ask = place.ask('ecr', (m) => new m.GetLifecyclePolicyCommand({ repositoryName }))
        return (await present(ask)) !== undefined
      }),
      also(place, 'images', () => sizesOf(place, repositoryName)),
      also(place, 'tags', () => place.ask('ecr', (m) => new m.ListTagsForResourceCommand({ resourceArn }))),
    ])
    return { hasPolicy, images, tags: tags?.tags }
  },
  uid: ({ repositoryArn }) => repositoryArn,
  fields: ({ repositoryName }, _, detail) => ({
    name: repositoryName,
    sizeGB: detail?.images?.total,
    tags: detail?.tags,
  }),
  specs: {
    created_at: ({ createdAt }) => timeOf(createdAt),
    lifecycle_policy: (_, detail) => detail?.hasPolicy,
    untagged_gb: (_, detail) => detail?.images?.untagged,
    stale_gb: (_, detail) => detail?.images?.stale,
    total_gb: (_, detail) => detail?.images?.total,
    scan_on_push: ({ isScanned: scanned }) => scanned,
  },
})

/** By its own setting, or by a rule of the registry, whose filters name a part of repositories, or all of them with `*`. */
function isScanned(
  { repositoryName = '', imageScanningConfiguration }: Repository,
  scanning: RegistryScanningConfiguration | undefined,
): boolean | undefined {
  if (imageScanningConfiguration?.scanOnPush) return true
  return scanning?.rules?.some(
    ({ scanFrequency, repositoryFilters }) =>
      scanFrequency !== 'MANUAL' && listOf(repositoryFilters).some(({ filter = '' }) => fits(repositoryName, filter)),
  )
}

function fits(name: string, filter: string): boolean {
  if (!filter.includes('*')) return name.includes(filter)
  return new RegExp(`^${filter.replaceAll('.', '[.]').replaceAll('*', '.*')}$`).test(name)
}

const isStale = ({ lastRecordedPullTime, imagePushedAt }: ImageDetail): boolean =>
  (daysSince(lastRecordedPullTime ?? imagePushedAt) ?? 0) >= staleDays

/** Gigabytes; what several images share counts for each. */
async function sizesOf(place: RegionScan, repositoryName: string | undefined) {
  const answers = place.pages(
    'ecr',
    (m, nextToken) =>
      new m.DescribeImagesCommand({ repositoryName, maxResults: 1000, ...(nextToken && { nextToken }) }),
    ({ nextToken }) => nextToken,
  )
  const sizes = { total: 0, untagged: 0, stale: 0 }
  for await (const { imageDetails } of answers)
    for (const image of listOf(imageDetails)) {
      const size = (image.imageSizeInBytes ?? 0) / gb
      sizes.total += size
      if (listOf(image.imageTags).length === 0) sizes.untagged += size
      if (isStale(image)) sizes.stale += size
    }
  return sizes
}
