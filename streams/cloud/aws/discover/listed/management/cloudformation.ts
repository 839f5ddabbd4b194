import { listed } from '#streams/cloud/aws/discover/listed.ts'
import { timeOf } from '#streams/cloud/aws/map/resource.ts'

export const stacks = listed('cloudformation', {
  type: 'aws-cfn-stack',
  permissions: ['cloudformation:DescribeStacks'],
  list: (m, NextToken) => new m.DescribeStacksCommand({ ...(NextToken && { NextToken }) }),
  next: ({ NextToken }) => NextToken,
  items: ({ Stacks }) => Stacks,
  uid: ({ StackId }) => StackId,
  fields: ({ StackName, StackStatus, Tags }) => ({ name: StackName, state: StackStatus, tags: Tags }),
  specs: {
    created_at: ({ CreationTime }) => timeOf(CreationTime),
    state: ({ StackStatus }) => StackStatus,
  },
})
