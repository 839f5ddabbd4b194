import { also, listType } from '#streams/cloud/aws/discover/listed.ts'
import { arnOf, timeOf } from '#streams/cloud/aws/map/resource.ts'
import { isPublicPolicy } from '#streams/cloud/aws/resource/policy-text.ts'

const nameOf = (url: string): string => url.slice(url.lastIndexOf('/') + 1)

export const sqsQueues = listType('sqs', {
  type: 'aws-sqs-queue',
  permissions: ['sqs:ListQueues', 'sqs:GetQueueAttributes', 'sqs:ListQueueTags'],
  // Without a size, no token for the next page is answered.
  list: (m, NextToken) => new m.ListQueuesCommand({ MaxResults: 1000, ...(NextToken && { NextToken }) }),
  next: ({ NextToken }) => NextToken,
  items: ({ QueueUrls }) => QueueUrls,
  detail: async (QueueUrl, place) => {
    const [attributes, tags] = await Promise.all([
      also(place, 'attributes', () =>
        place.ask('sqs', (m) => new m.GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] })),
      ),
      also(place, 'tags', () => place.ask('sqs', (m) => new m.ListQueueTagsCommand({ QueueUrl }))),
    ])
    return { is: attributes && (attributes.Attributes ?? {}), tags: tags?.Tags }
  },
  uid: (url, where) => arnOf('sqs', where, nameOf(url)),
  fields: (url, _, detail) => ({ name: nameOf(url), tags: detail?.tags }),
  specs: {
    created_at: (_, detail) => detail?.is && timeOf(Number(detail.is.CreatedTimestamp) * 1000),
    receive_wait_seconds: (_, detail) => detail?.is && Number(detail.is.ReceiveMessageWaitTimeSeconds ?? 0),
    encrypted: (_, detail) =>
      detail?.is && (detail.is.SqsManagedSseEnabled === 'true' || Boolean(detail.is.KmsMasterKeyId)),
    public_policy: (_, detail) => detail?.is && isPublicPolicy(detail.is.Policy),
  },
})
