/** What an anomaly is called, where its lines are, and what was said of it. */
import type { Query } from '../../address.ts'
import type { Reply } from '../../api.ts'
import { dayText } from '../../day.ts'

export type Anomaly = Reply<'GET /reports/anomalies'>['items'][number]
export type Detail = Reply<'GET /reports/anomalies/:anomalyID'>
export type Review = NonNullable<Anomaly['review']>

export const types = ['org', 'cloud_account', 'resource_group', 'team', 'resource'] as const
export const severities = ['emergency', 'critical', 'warning', 'info'] as const
export const reviews = ['none', 'acknowledged', 'expected'] as const

const typeNames: Readonly<Record<Anomaly['anomalyType'], string>> = {
  org: 'Organization',
  cloud_account: 'Account',
  resource_group: 'Group',
  team: 'Team',
  resource: 'Resource',
}
export const typeName = (type: string): string => typeNames[type as Anomaly['anomalyType']] ?? type

/** `info` is what new resources explain: nobody is told of it. */
export const severityName = (severity: string): string => (severity === 'info' ? 'suppressed' : severity)
export const reviewName = (state: string): string => (state === 'none' ? 'open' : state)

/** What people say of it, in words. */
export const statusOf = (review: Review | undefined): string =>
  review?.state === 'expected' && review.until !== undefined
    ? `expected until ${dayText(review.until)}`
    : (review?.state ?? 'open')

/** Why nobody was notified of what was to be expected; empty of what was not. */
export const expectedText = ({ recurrence }: Pick<Anomaly, 'recurrence'>): string =>
  recurrence === undefined ? '' : `expected ${recurrence}`

type Of = Pick<Anomaly, 'anomalyType' | 'anomalyKey'>

/** What narrows a report to the costs it was found in. */
function toScopeFilter({ anomalyType, anomalyKey }: Of): Query {
  if (anomalyType === 'org') return {}
  if (anomalyType === 'team') return { team_id: anomalyKey }
  if (anomalyType === 'resource_group') return { resource_group_id: anomalyKey }
  return { [`filter[${anomalyType === 'resource' ? 'resource_uid' : anomalyType + '_id'}]`]: anomalyKey }
}

/** The parameters of the receipt of its day. */
export const receiptOf = (of: Of & { date: string }, cost: string | undefined): Query => ({
  from: of.date,
  to: of.date,
  cost,
  ...toScopeFilter(of),
})

/** Its day in the explorer, beside the day before; undefined for groups, which the explorer does not narrow by. */
export const explorerQuery = (of: Of & { date: string }): Query | undefined =>
  of.anomalyType === 'resource_group'
    ? undefined
    : { from: of.date, to: of.date, compare: 'previous', ...toScopeFilter(of) }
