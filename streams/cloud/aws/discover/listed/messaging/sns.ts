import { also, listType } from '#streams/cloud/aws/discover/listed.ts'
import { isPublicPolicy } from '#streams/cloud/aws/resource/policy-text.ts'

export const snsTopics = listType('sns', {
  type: 'aws-sns-topic',
  permissions: ['sns:ListTopics', 'sns:GetTopicAttributes', 'sns:ListTagsForResource'],
  list: (m, NextToken) => new m.ListTopicsCommand({ ...(NextToken && { NextToken }) }),
  next: ({ NextToken }) => NextToken,
  items: ({ Topics }) => Topics,
  detail: async ({ TopicArn }, place) => {
    const [attributes, tags] = await Promise.all([
      also(place, 'attributes', () => place.ask('sns', (m) => new m.GetTopicAttributesCommand({ TopicArn }))),
      also(place, 'tags', () => place.ask('sns', (m) => new m.ListTagsForResourceCommand({ ResourceArn: TopicArn }))),
    ])
    return { is: attributes && (attributes.Attributes ?? {}), tags: tags?.Tags }
  },
  uid: ({ TopicArn }) => TopicArn,
  fields: ({ TopicArn = '' }, _, detail) => ({
    name: TopicArn.slice(TopicArn.lastIndexOf(':') + 1),
    tags: detail?.tags,
  }),
  specs: {
    public_policy: (_, detail) => detail?.is && isPublicPolicy(detail.is['Policy']),
    subscription_count: (_, detail) => detail?.is && Number(detail.is['SubscriptionsConfirmed'] ?? 0),
    encrypted: (_, detail) => detail?.is && Boolean(detail.is['KmsMasterKeyId']),
  },
})
