import { dayMs } from '#engine/value/day.ts'
import { also, listType } from '#streams/cloud/aws/discover/listed.ts'
import { timeOf } from '#streams/cloud/aws/map/resource.ts'

/** AWS forgets no job: those of the last bills are looked at. */
const daysBack = 30
const secondsPerHour = 3600

/** The same for all pages of a list. */
const oldest = (): Date => new Date((Math.floor(Date.now() / dayMs) - daysBack) * dayMs)

export const sageMakerTrainingJobs = listType('sagemaker', {
  type: 'aws-sagemaker-training',
  permissions: ['sagemaker:ListTrainingJobs', 'sagemaker:DescribeTrainingJob', 'sagemaker:ListTags'],
  list: (m, NextToken) =>
    new m.ListTrainingJobsCommand({ CreationTimeAfter: oldest(), MaxResults: 100, ...(NextToken && { NextToken }) }),
  next: ({ NextToken }) => NextToken,
  items: ({ TrainingJobSummaries }) => TrainingJobSummaries,
  detail: async ({ TrainingJobName, TrainingJobArn: ResourceArn }, place) => {
    const [job, tags] = await Promise.all([
      also(place, 'job', () => place.ask('sagemaker', (m) => new m.DescribeTrainingJobCommand({ TrainingJobName }))),
      also(place, 'tags', () => place.ask('sagemaker', (m) => new m.ListTagsCommand({ ResourceArn }))),
    ])
    return { job, tags: tags?.Tags }
  },
  uid: ({ TrainingJobArn }) => TrainingJobArn,
  fields: ({ TrainingJobName, TrainingJobStatus }, _, detail) => {
    const { InstanceType, InstanceCount, InstanceGroups, VolumeSizeInGB } = detail?.job?.ResourceConfig ?? {}
    return {
      name: TrainingJobName,
      state: TrainingJobStatus,
      instanceType: InstanceType ?? InstanceGroups?.[0]?.InstanceType,
      unitCount: InstanceCount,
      sizeGB: VolumeSizeInGB,
      tags: detail?.tags,
    }
  },
  specs: {
    created_at: ({ CreationTime }) => timeOf(CreationTime),
    state: ({ TrainingJobStatus }) => TrainingJobStatus,
    managed_spot: (_, detail) => detail?.job && (detail.job.EnableManagedSpotTraining ?? false),
    checkpointing: (_, detail) => detail?.job && Boolean(detail.job.CheckpointConfig?.S3Uri),
    billable_hours: (_, detail) => {
      const seconds = detail?.job?.BillableTimeInSeconds
      return seconds === undefined ? undefined : seconds / secondsPerHour
    },
  },
})
