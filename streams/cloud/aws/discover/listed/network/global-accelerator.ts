import { also, listType, type ListedFinder } from '#streams/cloud/aws/discover/listed.ts'
import { timeOf } from '#streams/cloud/aws/map/resource.ts'

/** The service answers, and has its metrics, in this region alone. */
const home = 'us-west-2'

const accelerators = listType('global-accelerator', {
  type: 'aws-global-accelerator',
  permissions: ['globalaccelerator:ListAccelerators', 'globalaccelerator:ListTagsForResource'],
  scope: 'global',
  list: (m, NextToken) => new m.ListAcceleratorsCommand({ MaxResults: 100, ...(NextToken && { NextToken }) }),
  next: ({ NextToken }) => NextToken,
  items: ({ Accelerators }) => Accelerators,
  detail: async ({ AcceleratorArn: ResourceArn }, place) =>
    also(place, 'globalaccelerator:ListTagsForResource', () =>
      place.ask('global-accelerator', (m) => new m.ListTagsForResourceCommand({ ResourceArn })),
    ),
  uid: ({ AcceleratorArn }) => AcceleratorArn,
  fields: ({ Name }, _, detail) => ({ name: Name, tags: detail?.Tags }),
  specs: {
    created_at: ({ CreatedTime }) => timeOf(CreatedTime),
    enabled: ({ Enabled }) => Enabled,
  },
})

export const globalAccelerators: ListedFinder = {
  ...accelerators,
  find: (place) => accelerators.find(place.ofFinder(home)),
}
