import { also, listType } from '#streams/cloud/aws/discover/listed.ts'
import { timeOf } from '#streams/cloud/aws/map/resource.ts'

export const comprehendEndpoints = listType('comprehend', {
  type: 'aws-comprehend-endpoint',
  permissions: ['comprehend:ListEndpoints', 'comprehend:ListTagsForResource'],
  list: (m, NextToken) => new m.ListEndpointsCommand({ MaxResults: 100, ...(NextToken && { NextToken }) }),
  next: ({ NextToken }) => NextToken,
  items: ({ EndpointPropertiesList }) => EndpointPropertiesList,
  isOwn: ({ Status }) => Status !== 'DELETING',
  detail: ({ EndpointArn: ResourceArn }, place) =>
    also(place, 'tags', () => place.ask('comprehend', (m) => new m.ListTagsForResourceCommand({ ResourceArn }))),
  uid: ({ EndpointArn }) => EndpointArn,
  fields: ({ EndpointArn, Status, CurrentInferenceUnits }, _, tags) => ({
    name: EndpointArn?.split('/').at(-1),
    state: Status,
    unitCount: CurrentInferenceUnits,
    tags: tags?.Tags,
  }),
  specs: {
    created_at: ({ CreationTime }) => timeOf(CreationTime),
    inference_units: ({ CurrentInferenceUnits }) => CurrentInferenceUnits,
  },
})
