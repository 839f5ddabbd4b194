/** Savings in words. */
import type { Reply } from '../../api.ts'
import { share } from '../../figure.ts'

export type Savings = Reply<'GET /reports/savings'>
export type Row = Savings['items'][number]
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
    text: 'by the bills, day by day, compared with what the resource cost before; may be negative',
  },
  {
    key: 'observedUSD',
    title: 'Observed',
    text: 'from what was seen: off, gone or of another size, at what an hour cost before',
  },
  {
    key: 'estimatedUSD',
    title: 'Estimated',
    text: 'by recommendations, a thirtieth of their 30 days for each day since they were applied',
  },
] as const

/** How much of what was estimated bills have verified, of the days that have both. */
export const rateTitle = 'Realization rate'
export const rateText = (rate: number | null): string => (rate === null ? '–' : share(rate))

const sources: Readonly<Record<string, string>> = {
  recommendation: 'a recommendation',
  schedule: 'a schedule',
  manual: 'by hand',
  bulk: 'a bulk action',
  override: 'an override',
  autoscaler: 'an autoscaler',
}
export const sourceName = (source: string): string => sources[source] ?? source

const kinds: Readonly<Record<string, string>> = {
  usage: 'fewer hours',
  rate: 'cheaper hours',
  gone: 'it is gone',
  storage: 'less beside its hours',
  commitment: 'a commitment',
}
export const kindName = (kind: string): string => kinds[kind] ?? kind

const reasons: Readonly<Record<string, string>> = {
  first_day: 'the day of the action itself: part of it is of before',
  not_closed: 'the bill of the day is not whole yet',
  no_bill: 'the resource has no line in any bill',
  baseline_short: 'fewer than seven closed days, or not each weekday, are known from before',
  no_price: 'nothing ran before, so no hour has a price',
  moved: 'the resource is billed to another account by now',
  commitment: 'a commitment was bought: see commitments',
  units: 'units of an autoscaler policy, which no line of a bill names',
}
export const reasonText = (reason: string | null): string => (reason === null ? '' : (reasons[reason] ?? reason))

const ends: Readonly<Record<string, string>> = {
  left: 'the resource is not so any more',
  reopened: 'people took it back',
  age: 'twelve months are over',
}
export const endText = (end: string | null): string => (end === null ? '' : (ends[end] ?? end.replaceAll('_', ' ')))

export const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
