import { also, listType } from '#streams/cloud/aws/discover/listed.ts'
import { listOf } from '#streams/cloud/aws/map/resource.ts'

export const distributions = listType('cloudfront', {
  type: 'aws-cloudfront',
  permissions: ['cloudfront:ListDistributions', 'cloudfront:ListTagsForResource'],
  scope: 'global',
  list: (m, Marker) => new m.ListDistributionsCommand({ MaxItems: 100, ...(Marker && { Marker }) }),
  next: ({ DistributionList }) => DistributionList?.NextMarker,
  items: ({ DistributionList }) => DistributionList?.Items,
  detail: async ({ ARN: Resource }, place) =>
    also(place, 'cloudfront:ListTagsForResource', () =>
      place.ask('cloudfront', (m) => new m.ListTagsForResourceCommand({ Resource })),
    ),
  uid: ({ Id }) => Id,
  fields: ({ Aliases, DomainName }, _, detail) => ({
    name: Aliases?.Items?.[0] ?? DomainName,
    tags: detail?.Tags?.Items,
  }),
  specs: {
    enabled: ({ Enabled }) => Enabled,
    price_class: ({ PriceClass }) => PriceClass,
    // With CloudFront's own certificate the API says `vip`, though no addresses are dedicated to it.
    ssl_support: ({ ViewerCertificate }) =>
      ViewerCertificate &&
      (ViewerCertificate.CloudFrontDefaultCertificate ? null : (ViewerCertificate.SSLSupportMethod ?? null)),
    minimum_tls: ({ ViewerCertificate }) => ViewerCertificate?.MinimumProtocolVersion,
    compression: ({ DefaultCacheBehavior, CacheBehaviors }) =>
      DefaultCacheBehavior &&
      [DefaultCacheBehavior, ...listOf(CacheBehaviors?.Items)].every(({ Compress }) => Compress === true),
    domain_name: ({ DomainName }) => DomainName,
  },
})
