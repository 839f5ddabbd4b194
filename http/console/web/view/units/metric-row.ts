/** Unit metrics as the API lists them. */
import type { Reply } from '../../api.ts'

export type MetricPage = Reply<'GET /unit-metrics'>
export type MetricRow = MetricPage['items'][number]
