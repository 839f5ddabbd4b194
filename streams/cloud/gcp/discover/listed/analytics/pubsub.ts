import { t } from '#engine/value/schema.ts'
import { flag, Labels, text } from '#streams/cloud/gcp/answer/field.ts'
import { listType, pagesOf, secondsOf, uidIn } from '#streams/cloud/gcp/discover/listed.ts'
import { lastOf } from '#streams/cloud/gcp/resource-path.ts'

const Subscription = t.Object({
  name: t.String(),
  topic: text,
  state: text,
  labels: Labels,
  retainAckedMessages: flag,
  messageRetentionDuration: text,
})

export const pubsubSubscriptions = listType(
  pagesOf(
    (project) => ({
      service: 'pubsub',
      path: `/projects/${project}/subscriptions`,
      query: { pageSize: 1000 },
      permission: 'pubsub.subscriptions.list',
    }),
    'subscriptions',
    Subscription,
  ),
  {
    type: 'gcp-pubsub-subscription',
    permissions: ['pubsub.subscriptions.list'],
    uid: ({ name }, place) => uidIn('pubsub', name, place),
    fields: ({ name, labels }) => ({ name: lastOf(name), region: 'global', labels }),
    specs: {
      state: ({ state }) => state,
      topic: ({ topic }) => topic,
      // Google puts this in place of the name of a topic that was deleted.
      topic_exists: ({ topic }) => topic !== '_deleted-topic_',
      retain_acked: ({ retainAckedMessages }) => retainAckedMessages === true,
      retention_days: ({ messageRetentionDuration }) => {
        const seconds = secondsOf(messageRetentionDuration)
        return seconds === undefined ? undefined : seconds / 86_400
      },
    },
  },
)
