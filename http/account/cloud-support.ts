import { t } from '#engine/value/schema.ts'
import { ProviderName } from '#http/edge/parameter/field.ts'
import { route, type Route } from '#http/edge/route.ts'
import { cloudSupport } from '#streams/cloud/resource/resource-type.ts'

const CloudSupport = t.Object(
  {
    provider: ProviderName,
    type: t.String(),
    kind: t.String(),
    category: t.String(),
    schedulable: t.Boolean(),
    actions: t.Array(t.String()),
    autoscalable: t.Boolean(),
    discoverable: t.Boolean(),
  },
  {
    title: 'CloudSupport',
    examples: [
      {
        provider: 'aws',
        type: 'aws-ec2',
        kind: 'instance',
        category: 'compute',
        schedulable: true,
        actions: ['start', 'stop'],
        autoscalable: false,
        discoverable: true,
      },
    ],
  },
)

export const cloudSupportMatrix: readonly Route[] = [
  route({
    method: 'GET',
    path: '/cloud-support',
    summary: 'List supported resource types and their actions',
    description:
      'The same for every organization: each resource type with its cloud, its category and the actions available for its resources.',
    permission: 'space.view',
    tags: ['Cloud accounts'],
    reply: t.Array(CloudSupport),
    handle: async () => cloudSupport(),
  }),
]
