import { t } from '#engine/value/schema.ts'
import { count, some, text } from '#streams/cloud/gcp/answer/field.ts'
import { listType, usualMembers, pagesOf, uidIn } from '#streams/cloud/gcp/discover/listed.ts'
import { timeOf } from '#streams/cloud/gcp/map/resource.ts'
import { lastOf } from '#streams/cloud/gcp/resource-path.ts'

const Instance = t.Object({
  ...usualMembers,
  config: text,
  displayName: text,
  processingUnits: count,
  autoscalingConfig: some({}),
})

/** `regional-us-central1` is in one region; other configurations are in several. */
const regionOf = (config: string | undefined): string => /regional-([a-z0-9-]+)$/.exec(config ?? '')?.[1] ?? 'global'

export const spannerInstances = listType(
  pagesOf(
    (project) => ({
      service: 'spanner',
      path: `/projects/${project}/instances`,
      query: { pageSize: 500 },
      permission: 'spanner.instances.list',
    }),
    'instances',
    Instance,
  ),
  {
    type: 'gcp-spanner',
    permissions: ['spanner.instances.list'],
    uid: ({ name }, place) => uidIn('spanner', name, place),
    fields: ({ name, config, labels }) => ({ name: lastOf(name), region: regionOf(config), labels }),
    specs: {
      created_at: ({ createTime }) => timeOf(createTime),
      state: ({ state }) => state,
      display_name: ({ displayName }) => displayName,
      config: ({ config }) => lastOf(config) || undefined,
      processing_units: ({ processingUnits }) => processingUnits,
      autoscaling: ({ autoscalingConfig }) => autoscalingConfig !== undefined,
    },
  },
)
