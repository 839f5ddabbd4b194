/** Savings in words. */
import type { Reply } from '../../api.ts'
import { share } from '../../figure.ts'

export type Savings = Reply<'GET /reports/savings'>
export type SavingsRow = Savings['items'][number]
export type Claims = Reply<'GET /reports/savings/claims'>
export type Claim = Claims['items'][number]
export type Receipt = Reply<'GET /reports/savings/claims/:claimID'>
export type Projection = Reply<'GET /reports/savings/projection'>
export type Commitments = Reply<'GET /reports/commitments'>

/** What each basis rests on, the strongest first: verified savings are the headline. */
export const bases = [
  {
    key: 'verifiedUSD',
    title: 'Verified',
    text: 'by bills, per day, compared with the resource’s earlier cost; may be negative',
  },
  {
    key: 'observedUSD',
    title: 'Observed',
    text: 'from observed state (off, deleted or resized), at the earlier hourly cost',
  },
  {
    key: 'estimatedUSD',
    title: 'Estimated',
    text: 'by recommendations: one thirtieth of the 30-day estimate for each day since they were applied',
  },
] as const

/** How much of what was estimated bills have verified, of the days that have both. */
export const rateTitle = 'Realization rate'
export const rateText = (rate: number | null): string => (rate === null ? '–' : share(rate))

const sources: Readonly<Record<string, string>> = {
  recommendation: 'recommendation',
  schedule: 'schedule',
  manual: 'manual',
  bulk: 'bulk action',
  override: 'override',
  autoscaler: 'autoscaler',
}
export const sourceName = (source: string): string => sources[source] ?? source

const kinds: Readonly<Record<string, string>> = {
  usage: 'fewer hours',
  rate: 'cheaper hours',
  gone: 'deleted',
  storage: 'lower non-hourly charges',
  commitment: 'commitment',
}
export const kindName = (kind: string): string => kinds[kind] ?? kind

const reasons: Readonly<Record<string, string>> = {
  first_day: 'the day of the action: partly before it',
  not_closed: 'the bill for the day is not complete yet',
  no_bill: 'the resource has no billing lines',
  baseline_short: 'the baseline has fewer than seven closed days or not every weekday',
  no_price: 'nothing ran before, so there is no hourly price',
  moved: 'the resource is now billed to another account',
  commitment: 'a commitment was bought: see Commitments',
  units: 'units of an autoscaling policy, which billing lines do not identify',
}
export const reasonText = (reason: string | null): string => (reason === null ? '' : (reasons[reason] ?? reason))

const ends: Readonly<Record<string, string>> = {
  left: 'the resource is no longer in this state',
  reopened: 'reopened',
  age: 'twelve months have passed',
}
export const endText = (end: string | null): string => (end === null ? '' : (ends[end] ?? end.replaceAll('_', ' ')))

export const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
