import { dropValues, foundMetric, pushValues } from '#actors/unit-metric/change.ts'
import { headersSealed } from '#actors/unit-metric/entity.ts'
import { pullValues, type PullHeaders } from '#actors/unit-metric/pull.ts'
import type { TimedValues } from '#actors/unit-metric/values.ts'
import { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'
import { Timestamp } from '#http/edge/parameter/field.ts'
import { badInput } from '#http/edge/problem.ts'
import { reply } from '#http/store/reply.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { readValues } from '#http/unit-metric/csv.ts'
import { readUpload } from '#http/edge/request/upload.ts'
import { timeOf, valueMax, valuesMax } from '#streams/unit-metric.ts'

const routeBase = { permission: 'service.update', tags: ['Unit metrics'] } as const
const params = t.Object({ id: t.String({ description: 'unit metric ID' }) })

const IngestReply = t.Object({ ingested: t.Integer({ description: 'number of values; duplicates counted once' }) })

const ValueBody = t.Object({
  timestamp: t.String({ minLength: 1, maxLength: 64, description: 'ISO 8601, or a day YYYY-MM-DD' }),
  value: t.Number({ minimum: -valueMax, maximum: valueMax }),
})

const fileBytesMax = 64 * 1024 * 1024
/** Maximum concurrent uploads of one organization: each keeps its numbers in memory until all of them are stored. */
const uploadsMax = 2
const uploading = new Map<string, number>()

/** Maximum rows that test-pull returns. */
const shownMax = 100

export const unitMetricValues: readonly Route[] = [
  route({
    ...routeBase,
    method: 'POST',
    path: '/unit-metric-values/:id',
    summary: 'Push values of a unit metric, replacing values with the same time',
    description:
      'All values are accepted or none: each invalid timestamp is reported. A time is an ISO 8601 timestamp, or a day, which means its start in UTC.',
    params,
    body: t.Object(
      { values: t.Array(ValueBody, { minItems: 1, maxItems: valuesMax }) },
      { examples: [{ values: [{ timestamp: '2026-01-15', value: 3 }] }] },
    ),
    reply: IngestReply,
    example: { ingested: 1 },
    handle: async ({ params: { id }, body }, services) => {
      const values: TimedValues = new Map()
      const wrong: number[] = []
      for (const [at, { timestamp, value }] of body.values.entries()) {
        const time = timeOf(timestamp)
        if (time === undefined) wrong.push(at)
        else values.set(time, value)
      }
      if (wrong.length > 0) throw badInput(...wrong.slice(0, 100).map(badTimestamp))
      return ingest(id, values, services)
    },
  }),

  route({
    ...routeBase,
    method: 'POST',
    path: '/unit-metric-values/:id/csv',
    summary: 'Upload a CSV file of values with the header timestamp,value; an invalid row rejects the file',
    description: `At most ${fileBytesMax} bytes and a million rows. Invalid rows are reported by number; the header is row 1.`,
    params,
    upload: 'text/csv',
    uploaded: 'timestamp,value\n2026-01-15,2013\n',
    reply: IngestReply,
    example: { ingested: 31 },
    refuses: { 422: ['too_many_rows'] },
    handle: async ({ caller: { orgId }, params: { id }, upload }, services) => {
      await foundMetric(services.em, orgId, id)
      const now = uploading.get(orgId) ?? 0
      if (now >= uploadsMax)
        throw Fault.transient('unavailable', 'Another upload of this organization is still running.')
      uploading.set(orgId, now + 1)
      try {
        const values = await readUpload(upload!, { media: 'text/csv', bytesMax: fileBytesMax }, readValues)
        return await ingest(id, values, services)
      } finally {
        const left = (uploading.get(orgId) ?? 1) - 1
        if (left > 0) uploading.set(orgId, left)
        else uploading.delete(orgId)
      }
    },
  }),

  route({
    ...routeBase,
    method: 'POST',
    path: '/unit-metric-values/:id/test-pull',
    readOnly: true,
    summary: 'Test the pull of a unit metric; nothing is stored',
    description:
      'Queries the server now, as the schedule would. Returns 422 if the metric is not pulled, or if the server returns an unexpected response.',
    params,
    reply: t.Object({
      rows: t.Array(t.Object({ timestamp: Timestamp, value: t.Number() })),
      truncated: t.Boolean({ description: `there are more than the ${shownMax} shown` }),
    }),
    example: { rows: [{ timestamp: '2026-01-15T00:00:00.000Z', value: 2013 }], truncated: false },
    refuses: { 422: ['no_pull', 'address_refused'], 502: ['upstream_failed'] },
    handle: async ({ caller, params: { id } }, { em, open, settings }) => {
      const metric = await foundMetric(em, caller.orgId, id)
      if (!metric.pull) throw Fault.refused('no_pull', 'The values of this unit metric are not pulled.')
      const headers = metric.pullHeaders ? (open(headersSealed, caller.orgId, metric.pullHeaders) as PullHeaders) : {}
      const values = await pullValues(metric.pull, headers, settings.allowPrivateAddresses)
      const rows = [...values].slice(0, shownMax).map(([time, value]) => ({
        timestamp: new Date(time).toISOString(),
        value,
      }))
      return { rows, truncated: values.size > shownMax }
    },
  }),

  route({
    ...routeBase,
    method: 'DELETE',
    path: '/unit-metric-values/:id',
    permission: 'service.delete',
    summary: 'Delete all values of a unit metric; the metric is kept',
    description: 'Reports no longer include them, not even for past days. Values pushed afterwards count.',
    status: 204,
    params,
    handle: ({ params: { id } }, { change }) => change((tx) => dropValues(tx, id)),
  }),
]

const ingest = (id: string, values: TimedValues, { change }: Services) =>
  change(async (tx) => {
    await pushValues(tx, id, values)
    return reply({ ingested: values.size }, {})
  })

const badTimestamp = (at: number) => ({
  in: 'body' as const,
  name: `/values/${at}/timestamp`,
  code: 'format',
  message: 'must be an ISO 8601 time or an existing day, YYYY-MM-DD',
})
