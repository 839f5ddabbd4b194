import { also, listType } from '#streams/cloud/aws/discover/listed.ts'
import { timeOf } from '#streams/cloud/aws/map/resource.ts'

export const kinesisStreams = listType('kinesis', {
  type: 'aws-kinesis-stream',
  permissions: ['kinesis:ListStreams', 'kinesis:DescribeStreamSummary', 'kinesis:ListTagsForStream'],
  list: (m, NextToken) => new m.ListStreamsCommand({ Limit: 100, ...(NextToken && { NextToken }) }),
  next: ({ NextToken }) => NextToken,
  items: ({ StreamSummaries }) => StreamSummaries,
  detail: async ({ StreamARN }, place) => {
    const ask = { ...(StreamARN && { StreamARN }) }
    const [summary, tags] = await Promise.all([
      also(place, 'summary', () => place.ask('kinesis', (m) => new m.DescribeStreamSummaryCommand(ask))),
      also(place, 'tags', () => place.ask('kinesis', (m) => new m.ListTagsForStreamCommand(ask))),
    ])
    return { ...summary?.StreamDescriptionSummary, tags: tags?.Tags }
  },
  uid: ({ StreamARN }) => StreamARN,
  fields: ({ StreamName, StreamStatus }, _, detail) => ({ name: StreamName, state: StreamStatus, tags: detail?.tags }),
  specs: {
    created_at: ({ StreamCreationTimestamp }) => timeOf(StreamCreationTimestamp),
    stream_mode: ({ StreamModeDetails }) => StreamModeDetails?.StreamMode,
    open_shards: (_, detail) => detail?.OpenShardCount,
    retention_hours: (_, detail) => detail?.RetentionPeriodHours,
    encrypted: (_, detail) => detail?.EncryptionType && detail.EncryptionType !== 'NONE',
  },
})
