/** What can be found: for each kind the list of the API that has it, and what a row of that list is called. */
import { addDays } from '#engine/value/day.ts'

export interface FoundItem {
  id: string
  title: string
  detail: string
}

/** Texts of the rows of all lists. */
type Text =
  | 'cloudAccountName'
  | 'date'
  | 'description'
  | 'email'
  | 'externalID'
  | 'id'
  | 'key'
  | 'label'
  | 'name'
  | 'provider'
  | 'resourceName'
  | 'rootCause'
  | 'status'
  | 'tagKey'
  | 'title'
  | 'type'
  | 'uid'
  | 'userID'
  | 'view'

/** A row of any list: each kind reads what its own list has. */
export type Row = Readonly<Record<Text, string>> & {
  readonly target?: { readonly uid: string }
  readonly scope?: { readonly kind: string; readonly name: string }
}

interface Kind {
  /** The list, as a GET request of the caller. `words` is what is searched for, `today` the day in UTC. */
  list: (words: string, today: string) => string
  /** What a row of the list is called. */
  show: (row: Row) => FoundItem
  /** The list has no search of its own: rows are compared here. */
  isWhole?: true
}

/** Rows of a list that are ranked; the best of them are returned. */
const listedMax = 50
/** Days of costs in which tags and anomalies are looked for, today included. */
const daysBack = 30

const withQuery = (path: string, query: Readonly<Record<string, string | number>>): string =>
  `${path}?${new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, String(value)])).toString()}`

const searched =
  (path: string): Kind['list'] =>
  (search) =>
    withQuery(path, { search, limit: listedMax })

const recentDays = (today: string) => ({ from: addDays(today, 1 - daysBack), to: today })

/** Names, joined where there are any. */
const joined = (...parts: readonly unknown[]): string =>
  parts.filter((part) => typeof part === 'string' && part !== '').join(' · ')

/** In the order in which they are returned. */
const kinds = {
  resource: {
    list: searched('/resources'),
    show: ({ uid, name, type, cloudAccountName }) => ({
      id: uid,
      title: name || uid,
      detail: joined(type, cloudAccountName),
    }),
  },
  team: {
    list: searched('/teams'),
    show: ({ id, name, description }) => ({ id, title: name, detail: joined(description) }),
  },
  resource_group: {
    list: searched('/resource-groups'),
    show: ({ id, name, description }) => ({ id, title: name, detail: joined(description) }),
  },
  cloud_account: {
    list: searched('/cloud-accounts'),
    show: ({ id, name, provider, externalID }) => ({ id, title: name, detail: joined(provider, externalID) }),
  },
  tag: {
    list: (_, today) => withQuery('/reports/tags', { ...recentDays(today), limit: 100 }),
    show: ({ tagKey }) => ({ id: tagKey, title: tagKey, detail: '' }),
    isWhole: true,
  },
  budget: {
    list: () => '/budgets',
    show: ({ id, scope }) => ({ id, title: scope?.name ?? '', detail: (scope?.kind ?? '').replaceAll('_', ' ') }),
    isWhole: true,
  },
  recommendation: {
    list: searched('/recommendations'),
    show: ({ id, title, resourceName, status }) => ({ id, title, detail: joined(resourceName, status) }),
  },
  anomaly: {
    list: (_, today) =>
      withQuery('/reports/anomalies', { ...recentDays(today), fold: 'story', sort_by: 'excess', limit: 100 }),
    show: ({ id, label, date, rootCause }) => ({ id, title: label, detail: joined(date, rootCause) }),
    isWhole: true,
  },
  schedule: {
    list: searched('/schedules'),
    show: ({ id, name, description }) => ({ id, title: name, detail: joined(description) }),
  },
  autoscaler_policy: {
    list: searched('/autoscaler-policies'),
    show: ({ id, name, target }) => ({ id, title: name, detail: joined(target?.uid) }),
  },
  event_plan: {
    list: searched('/event-readiness'),
    show: ({ id, name, status }) => ({ id, title: name, detail: joined(status) }),
  },
  unit_metric: {
    list: searched('/unit-metrics'),
    show: ({ id, name, key }) => ({ id, title: name || key, detail: joined(key) }),
  },
  dashboard: {
    list: () => '/dashboards',
    show: ({ id, name }) => ({ id, title: name, detail: '' }),
    isWhole: true,
  },
  saved_view: {
    list: () => '/saved-views',
    show: ({ id, name, view }) => ({ id, title: name, detail: joined(view) }),
    isWhole: true,
  },
  person: {
    list: () => '/members',
    show: ({ userID, name, email }) => ({ id: userID, title: name || email, detail: name === email ? '' : email }),
    isWhole: true,
  },
} satisfies Readonly<Record<string, Kind>>

export type KindName = keyof typeof kinds
export const kindNames = Object.keys(kinds) as KindName[]
export const kindOf = (name: KindName): Kind => kinds[name]
