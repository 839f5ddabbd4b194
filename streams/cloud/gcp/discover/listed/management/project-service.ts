/** What a project says of the services that it uses, through Service Usage. */
import { t } from '#engine/value/schema.ts'
import { list, some, text } from '#streams/cloud/gcp/answer/field.ts'
import type { ProjectScan } from '#streams/cloud/gcp/discover/finder.ts'
import { allOf, also } from '#streams/cloud/gcp/discover/listed.ts'

/** Undefined if it is not known. */
export async function serviceIsOn(place: ProjectScan, service: string): Promise<boolean | undefined> {
  const path = `/v1/projects/${place.project}/services/${service}`
  const call = { service: 'serviceusage', path, permission: 'serviceusage.services.get' } as const
  const found = await also(place, call.permission, () => place.ask(call, t.Object({ state: text })))
  return found && found.state === 'ENABLED'
}

const Metric = t.Object({
  metric: text,
  consumerQuotaLimits: list(
    t.Object({
      quotaBuckets: list(t.Object({ effectiveLimit: text, defaultLimit: text, consumerOverride: some({}) })),
    }),
  ),
})

const bytesQueried = 'bigquery.googleapis.com/quota/query/usage'

/** Whether somebody has limited the bytes that queries may read in a day. */
export async function queryLimitOf(place: ProjectScan): Promise<boolean | undefined> {
  const path = `/v1beta1/projects/${place.project}/services/bigquery.googleapis.com/consumerQuotaMetrics`
  const call = { service: 'serviceusage', path, permission: 'serviceusage.quotas.get' } as const
  const metrics = await also(place, call.permission, () => allOf(place, call, 'metrics', Metric))
  const found = metrics?.find(({ metric }) => metric === bytesQueried)
  return found?.consumerQuotaLimits?.some(({ quotaBuckets = [] }) =>
    quotaBuckets.some(
      ({ effectiveLimit, defaultLimit, consumerOverride }) =>
        consumerOverride !== undefined || effectiveLimit !== defaultLimit,
    ),
  )
}
