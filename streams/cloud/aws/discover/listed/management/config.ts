import { listType } from '#streams/cloud/aws/discover/listed.ts'
import { arnOf } from '#streams/cloud/aws/map/resource.ts'

export const configRecorders = listType('config-service', {
  type: 'aws-config-recorder',
  permissions: ['config:DescribeConfigurationRecorders'],
  list: (m) => new m.DescribeConfigurationRecordersCommand({}),
  items: ({ ConfigurationRecorders }) => ConfigurationRecorders,
  // What services of AWS record for themselves is not charged for.
  isOwn: ({ recordingScope }) => recordingScope !== 'INTERNAL',
  uid: ({ arn, name }, where) => arn ?? (name && arnOf('config', where, `configuration-recorder/${name}`)),
  fields: ({ name }, { account }) => ({ name, parentUID: account }),
  specs: {
    // Recorders that are older than the choice say nothing of it.
    frequency: ({ recordingMode }) => recordingMode?.recordingFrequency ?? 'CONTINUOUS',
    all_supported: ({ recordingGroup }) => recordingGroup?.allSupported,
  },
})
