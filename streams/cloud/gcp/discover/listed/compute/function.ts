import { t } from '#engine/value/schema.ts'
import { count, some, text } from '#streams/cloud/gcp/answer/field.ts'
import { listType, usualMembers, pagesOf, regionOf, uidIn } from '#streams/cloud/gcp/discover/listed.ts'
import { mebibytesOf } from '#streams/cloud/gcp/map/quantity.ts'
import { timeOf } from '#streams/cloud/gcp/map/resource.ts'
import { lastOf } from '#streams/cloud/gcp/resource-path.ts'

const Function = t.Object({
  ...usualMembers,
  environment: text,
  buildConfig: some({ runtime: text }),
  serviceConfig: some({ service: text, availableMemory: text, minInstanceCount: count }),
})

/**
 * A function of the second generation is a service of Cloud Run, which has its metrics. Of the first generation there are none
 * that rules could compare, so what they would be compared with is unknown too.
 */
const configOf = ({ environment, serviceConfig }: { environment?: string; serviceConfig?: Config }) =>
  environment === 'GEN_1' ? undefined : serviceConfig
interface Config {
  service?: string
  availableMemory?: string
  minInstanceCount?: number
}

export const functions = listType(
  pagesOf(
    (project) => ({
      service: 'cloudfunctions',
      path: `/projects/${project}/locations/-/functions`,
      query: { pageSize: 1000 },
      permission: 'cloudfunctions.functions.list',
    }),
    'functions',
    Function,
  ),
  {
    type: 'gcp-function',
    permissions: ['cloudfunctions.functions.list'],
    uid: ({ name }, place) => uidIn('cloudfunctions', name, place),
    fields: ({ name, labels }) => ({ name: lastOf(name), region: regionOf(name), labels }),
    specs: {
      created_at: ({ createTime }) => timeOf(createTime),
      state: ({ state }) => state,
      generation: ({ environment }) => (environment === 'GEN_1' ? 1 : 2),
      runtime: ({ buildConfig }) => buildConfig?.runtime,
      service_name: (one) => lastOf(configOf(one)?.service) || undefined,
      memory_mib: (one) => mebibytesOf(configOf(one)?.availableMemory),
      min_instances: (one) => configOf(one) && (configOf(one)?.minInstanceCount ?? 0),
    },
  },
)
