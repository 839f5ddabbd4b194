import { listType } from '#streams/cloud/aws/discover/listed.ts'

export const batchEnvironments = listType('batch', {
  type: 'aws-batch-environment',
  permissions: ['batch:DescribeComputeEnvironments'],
  list: (m, nextToken) =>
    new m.DescribeComputeEnvironmentsCommand({ maxResults: 100, ...(nextToken && { nextToken }) }),
  next: ({ nextToken }) => nextToken,
  items: ({ computeEnvironments }) => computeEnvironments,
  isOwn: ({ status }) => status !== 'DELETED',
  uid: ({ computeEnvironmentArn }) => computeEnvironmentArn,
  fields: ({ computeEnvironmentName, tags }) => ({ name: computeEnvironmentName, tags }),
  // An unmanaged environment has no compute resources; one of Fargate has no minimum and no strategy.
  specs: {
    compute_type: ({ computeResources }) => computeResources?.type ?? null,
    min_vcpus: ({ computeResources }) => computeResources?.minvCpus ?? null,
    allocation_strategy: ({ computeResources }) => computeResources?.allocationStrategy ?? null,
  },
})
