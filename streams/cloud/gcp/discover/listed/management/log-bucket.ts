import { t } from '#engine/value/schema.ts'
import { count, text } from '#streams/cloud/gcp/answer/field.ts'
import { listType, pagesOf, regionOf, uidIn } from '#streams/cloud/gcp/discover/listed.ts'
import { timeOf } from '#streams/cloud/gcp/map/resource.ts'
import { lastOf } from '#streams/cloud/gcp/resource-path.ts'
import { sinksIn } from './log-sink.ts'

const Bucket = t.Object({ name: t.String(), createTime: text, lifecycleState: text, retentionDays: count })

/** Where none is set. */
const defaultDays = 30

export const logBuckets = listType(
  pagesOf(
    (project) => ({
      service: 'logging',
      path: `/projects/${project}/locations/-/buckets`,
      permission: 'logging.buckets.list',
    }),
    'buckets',
    Bucket,
  ),
  {
    type: 'gcp-log-bucket',
    permissions: ['logging.buckets.list', 'logging.sinks.list'],
    isOwn: ({ lifecycleState }) => lifecycleState !== 'DELETE_REQUESTED',
    detail: async ({ name }, place) => {
      const feeding = (await sinksIn(place))?.filter(({ destination = '' }) => destination.endsWith(`/${name}`))
      return feeding?.reduce((sum, { exclusions = [] }) => sum + exclusions.filter((one) => !one.disabled).length, 0)
    },
    uid: ({ name }, place) => uidIn('logging', name, place),
    fields: ({ name }) => ({ name: lastOf(name), region: regionOf(name) }),
    specs: {
      created_at: ({ createTime }) => timeOf(createTime),
      required: ({ name }) => lastOf(name) === '_Required',
      retention_days: ({ retentionDays }) => retentionDays ?? defaultDays,
      exclusion_count: (_, exclusions) => exclusions,
    },
  },
)
