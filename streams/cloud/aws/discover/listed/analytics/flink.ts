import { also, listType } from '#streams/cloud/aws/discover/listed.ts'
import { timeOf } from '#streams/cloud/aws/map/resource.ts'

export const flinkApplications = listType('kinesis-analytics-v2', {
  type: 'aws-flink-app',
  permissions: [
    'kinesisanalytics:ListApplications',
    'kinesisanalytics:DescribeApplication',
    'kinesisanalytics:ListTagsForResource',
  ],
  list: (m, NextToken) => new m.ListApplicationsCommand({ Limit: 50, ...(NextToken && { NextToken }) }),
  next: ({ NextToken }) => NextToken,
  items: ({ ApplicationSummaries }) => ApplicationSummaries,
  // Applications in SQL are of the service before Flink.
  isOwn: ({ RuntimeEnvironment }) => !RuntimeEnvironment?.startsWith('SQL'),
  detail: async ({ ApplicationName, ApplicationARN: ResourceARN }, place) => {
    const [described, tags] = await Promise.all([
      also(place, 'application', () =>
        place.ask('kinesis-analytics-v2', (m) => new m.DescribeApplicationCommand({ ApplicationName })),
      ),
      also(place, 'tags', () =>
        place.ask('kinesis-analytics-v2', (m) => new m.ListTagsForResourceCommand({ ResourceARN })),
      ),
    ])
    const application = described?.ApplicationDetail
    const flink = application?.ApplicationConfigurationDescription?.FlinkApplicationConfigurationDescription
    return { application, parallelism: flink?.ParallelismConfigurationDescription, tags: tags?.Tags }
  },
  uid: ({ ApplicationARN }) => ApplicationARN,
  fields: ({ ApplicationName, ApplicationStatus }, _, detail) => ({
    name: ApplicationName,
    state: ApplicationStatus,
    tags: detail?.tags,
  }),
  specs: {
    created_at: (_, detail) => timeOf(detail?.application?.CreateTimestamp),
    state: ({ ApplicationStatus }) => ApplicationStatus,
    parallelism: (_, detail) => detail?.parallelism?.CurrentParallelism ?? detail?.parallelism?.Parallelism,
  },
})
