import { also, listType } from '#streams/cloud/aws/discover/listed.ts'
import { orNull, timeOf } from '#streams/cloud/aws/map/resource.ts'

const isEnabled = (setting: string | undefined): boolean | undefined => (setting ? setting === 'Enabled' : undefined)

export const sageMakerNotebooks = listType('sagemaker', {
  type: 'aws-sagemaker-notebook',
  permissions: ['sagemaker:ListNotebookInstances', 'sagemaker:DescribeNotebookInstance', 'sagemaker:ListTags'],
  list: (m, NextToken) => new m.ListNotebookInstancesCommand({ MaxResults: 100, ...(NextToken && { NextToken }) }),
  next: ({ NextToken }) => NextToken,
  items: ({ NotebookInstances }) => NotebookInstances,
  isOwn: ({ NotebookInstanceStatus }) => NotebookInstanceStatus !== 'Deleting',
  detail: async ({ NotebookInstanceName, NotebookInstanceArn: ResourceArn }, place) => {
    const [notebook, tags] = await Promise.all([
      also(place, 'notebook', () =>
        place.ask('sagemaker', (m) => new m.DescribeNotebookInstanceCommand({ NotebookInstanceName })),
      ),
      also(place, 'tags', () => place.ask('sagemaker', (m) => new m.ListTagsCommand({ ResourceArn }))),
    ])
    return { ...notebook, tags: tags?.Tags }
  },
  uid: ({ NotebookInstanceArn }) => NotebookInstanceArn,
  fields: ({ NotebookInstanceName, NotebookInstanceStatus, InstanceType }, _, detail) => ({
    name: NotebookInstanceName,
    state: NotebookInstanceStatus,
    instanceType: InstanceType,
    sizeGB: detail?.VolumeSizeInGB,
    tags: detail?.tags,
  }),
  specs: {
    created_at: ({ CreationTime }) => timeOf(CreationTime),
    state: ({ NotebookInstanceStatus }) => NotebookInstanceStatus,
    lifecycle_config: ({ NotebookInstanceLifecycleConfigName }) => orNull(NotebookInstanceLifecycleConfigName),
    direct_internet: (_, detail) => isEnabled(detail?.DirectInternetAccess),
    root_access: (_, detail) => isEnabled(detail?.RootAccess),
  },
})
