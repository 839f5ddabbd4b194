/** What buckets keep besides their objects: neither the list nor the bucket says it, only Cloud Monitoring does, once a day. */
import { TimeSeries } from '#streams/cloud/gcp/measure/time-series.ts'
import type { ProjectScan } from './finder.ts'

/** Gigabytes; zero where nothing is reported. */
export interface StoredBesides {
  noncurrentGb: number
  softDeletedGb: number
}

const daySeconds = 86_400
/** A value may be reported a day late. */
const days = 2

/** By the name of the bucket. */
export async function storedBesides({ session }: ProjectScan): Promise<(bucket: string) => StoredBesides> {
  const now = Math.floor(Date.now() / 1000)
  const bytes = new Map<string, number>()
  const pages = new TimeSeries(session).pages({
    filter: 'metric.type = "storage.googleapis.com/storage/v2/total_bytes"',
    interval: { startTime: { seconds: now - days * daySeconds }, endTime: { seconds: now } },
    aggregation: {
      alignmentPeriod: { seconds: days * daySeconds },
      perSeriesAligner: 'ALIGN_MEAN',
      crossSeriesReducer: 'REDUCE_SUM',
      groupByFields: ['resource.labels.bucket_name', 'metric.labels.type'],
    },
  })
  for await (const page of pages)
    for (const { metric, resource, points } of page)
      bytes.set(
        `${metric?.labels?.['type']} ${resource?.labels?.['bucket_name']}`,
        points?.[0]?.value?.doubleValue ?? 0,
      )
  const gb = (type: string, bucket: string) => Number(((bytes.get(`${type} ${bucket}`) ?? 0) / 1e9).toFixed(3))
  return (bucket) => ({
    noncurrentGb: gb('noncurrent-object', bucket),
    softDeletedGb: gb('soft-deleted-object', bucket),
  })
}
