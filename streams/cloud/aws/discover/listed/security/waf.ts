import type { ResourceType, WebACLSummary } from '@aws-sdk/client-wafv2'
import type { RegionScan } from '#streams/cloud/aws/discover/finder.ts'
import { also, listType } from '#streams/cloud/aws/discover/listed.ts'
import { listOf } from '#streams/cloud/aws/map/resource.ts'
import { isWord } from '#streams/cloud/aws/session/fault.ts'
import { globalRegion } from '#streams/cloud/aws/session/session.ts'

const pageMax = 100

/** What an ACL of a region may protect. */
const regional: readonly ResourceType[] = [
  'APPLICATION_LOAD_BALANCER',
  'API_GATEWAY',
  'APPSYNC',
  'APP_RUNNER_SERVICE',
  'COGNITO_USER_POOL',
  'VERIFIED_ACCESS_INSTANCE',
  'AGENTCORE_GATEWAY',
]

export const webAcls = listType('wafv2', {
  type: 'aws-waf-acl',
  permissions: [
    'wafv2:ListWebACLs',
    'wafv2:ListResourcesForWebACL',
    'wafv2:ListTagsForResource',
    'cloudfront:ListDistributionsByWebACLId',
    // Services whose resources are asked for need permissions of their own.
    'amplify:ListResourcesForWebACL',
    'apprunner:ListAssociatedServicesForWebAcl',
    'cognito-idp:ListResourcesForWebACL',
    'ec2:DescribeVerifiedAccessInstanceWebAclAssociations',
  ],
  list: (m, NextMarker) =>
    new m.ListWebACLsCommand({ Scope: 'REGIONAL', Limit: pageMax, ...(NextMarker && { NextMarker }) }),
  next: ({ NextMarker }) => NextMarker,
  // Those of CloudFront are listed in one region alone.
  items: async ({ WebACLs, NextMarker }, place) =>
    place.region === globalRegion && !NextMarker ? [...listOf(WebACLs), ...(await ofCloudFront(place))] : WebACLs,
  detail: async (acl, place) => {
    const { ARN: ResourceARN } = acl
    const [associations, tags] = await Promise.all([
      associationsOf(acl, place),
      also(place, 'tags', () =>
        place.ask('wafv2', (m) => new m.ListTagsForResourceCommand({ ResourceARN, Limit: pageMax })),
      ),
    ])
    return { associations, tags: tags?.TagInfoForResource?.TagList }
  },
  uid: ({ ARN }) => ARN,
  fields: ({ Name }, _, detail) => ({ name: Name, tags: detail?.tags }),
  specs: { association_count: (_, detail) => detail?.associations },
})

async function ofCloudFront(place: RegionScan): Promise<WebACLSummary[]> {
  const found: WebACLSummary[] = []
  const answers = place.pages(
    'wafv2',
    (m, NextMarker) =>
      new m.ListWebACLsCommand({ Scope: 'CLOUDFRONT', Limit: pageMax, ...(NextMarker && { NextMarker }) }),
    ({ NextMarker }) => NextMarker,
  )
  for await (const { WebACLs } of answers) found.push(...listOf(WebACLs))
  return found
}

/** Undefined unless all kinds are known: one that is unknown may be what the ACL protects. */
async function associationsOf({ ARN = '' }: WebACLSummary, place: RegionScan): Promise<number | undefined> {
  const counts = ARN.includes(':global/')
    ? [distributionsOf(ARN, place), resourcesOf(ARN, 'AMPLIFY', place)]
    : regional.map((kind) => resourcesOf(ARN, kind, place))
  let sum = 0
  for (const count of await Promise.all(counts)) {
    if (count === undefined) return undefined
    sum += count
  }
  return sum
}

const resourcesOf = (WebACLArn: string, ResourceType: ResourceType, place: RegionScan) =>
  also(place, ResourceType, async () => {
    try {
      const command = { WebACLArn, ResourceType }
      const { ResourceArns } = await place.ask('wafv2', (m) => new m.ListResourcesForWebACLCommand(command))
      return listOf(ResourceArns).length
    } catch (error) {
      // WAF does not protect this kind in the region.
      if (isWord(error, /^WAFInvalidParameter/)) return 0
      throw error
    }
  })

const distributionsOf = (WebACLId: string, place: RegionScan) =>
  also(place, 'distributions', async () => {
    let sum = 0
    const answers = place.pages(
      'cloudfront',
      (m, Marker) => new m.ListDistributionsByWebACLIdCommand({ WebACLId, ...(Marker && { Marker }) }),
      ({ DistributionList }) => DistributionList?.NextMarker,
    )
    for await (const { DistributionList } of answers) sum += listOf(DistributionList?.Items).length
    return sum
  })
