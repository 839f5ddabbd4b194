/** Recommendations in words. */
import type { Reply } from '../../api.ts'

export type Recommendation = Reply<'GET /recommendations'>['items'][number]
export type Detail = Reply<'GET /recommendations/:recID/detail'>
export type RecommendationStatus = Recommendation['status']

const statuses: Readonly<Record<RecommendationStatus, string>> = {
  open: 'open',
  applied: 'done',
  dismissed: 'dismissed',
  optimised: 'no longer found',
  rule_retired: 'rule disabled',
}
export const statusName = (status: string): string => statuses[status as RecommendationStatus] ?? status
export const statusList = Object.keys(statuses) as RecommendationStatus[]

export const statusBadge: Readonly<Record<RecommendationStatus, string>> = {
  open: '',
  applied: 'good',
  dismissed: '',
  optimised: 'good',
  rule_retired: '',
}

/** Most serious first. */
export const severities = ['critical', 'high', 'medium', 'low', 'info'] as const
/** As badges colour them. */
export const severityBadge = (severity: string): string =>
  ({ critical: 'critical', high: 'warning', medium: 'warning' })[severity] ?? ''

export const categoryName = (category: string): string => category.replaceAll('_', ' ')

const events: Readonly<Record<string, string>> = {
  generated: 'found',
  closed: 'closed: no longer found',
  viewed: 'viewed by',
  applied: 'marked done by',
  dismissed: 'dismissed by',
  reopened: 'reopened by',
}
export const eventName = (event: string): string => events[event] ?? event.replaceAll('_', ' ')

export const basisText = (basis: unknown): string =>
  basis === 'measured'
    ? 'computed from measured usage and 30 days of bills'
    : 'assumed: an estimated share replaces an unknown price'

export const confidenceText = (confidence: number): string =>
  confidence >= 1
    ? '14 or more days of samples, or none needed'
    : confidence >= 0.75
      ? '7 days of samples'
      : 'few days of samples'
