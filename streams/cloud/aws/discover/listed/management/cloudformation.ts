import { also, listType } from '#streams/cloud/aws/discover/listed.ts'
import { listOf, timeOf } from '#streams/cloud/aws/map/resource.ts'

export const stacks = listType('cloudformation', {
  type: 'aws-cfn-stack',
  permissions: ['cloudformation:DescribeStacks', 'cloudformation:DescribeStackResources'],
  list: (m, NextToken) => new m.DescribeStacksCommand({ ...(NextToken && { NextToken }) }),
  next: ({ NextToken }) => NextToken,
  items: ({ Stacks }) => Stacks,
  // What is left of a stack is asked where there should be nothing left.
  detail: async ({ StackId: StackName, StackStatus }, place) => {
    if (StackStatus !== 'DELETE_FAILED') return undefined
    const answer = await also(place, 'resources', () =>
      place.ask('cloudformation', (m) => new m.DescribeStackResourcesCommand({ StackName })),
    )
    const left = listOf(answer?.StackResources).filter(({ ResourceStatus }) => ResourceStatus !== 'DELETE_COMPLETE')
    return answer && { ids: left.flatMap(({ PhysicalResourceId }) => PhysicalResourceId ?? []) }
  },
  uid: ({ StackId }) => StackId,
  fields: ({ StackName, StackStatus, Tags }) => ({ name: StackName, state: StackStatus, tags: Tags }),
  specs: {
    created_at: ({ CreationTime }) => timeOf(CreationTime),
    state: ({ StackStatus }) => StackStatus,
    resource_ids: (_, detail) => detail?.ids,
  },
})
