/** What the API's search has found, as lines of the palette. */
import type { Reply } from '../api.ts'
import { hrefOf } from '../router.ts'
import type { PaletteEntry } from './entry.ts'
import { open } from './own-entries.ts'

type Found = Reply<'GET /search'>
type Item = Found['items'][number]
type Kind = Item['kind']

interface Shown {
  group: string
  icon: string
  href: (item: Item) => string
}

/** Saved views are not asked for: the page has them. */
const shownKinds: Readonly<Record<Exclude<Kind, 'saved_view'>, Shown>> = {
  resource: { group: 'Resources', icon: 'inventory', href: ({ id }) => hrefOf('resource', { uid: id }) },
  team: { group: 'Teams', icon: 'teams', href: ({ id }) => hrefOf('teams', { team: id }) },
  resource_group: { group: 'Resource groups', icon: 'groups', href: ({ id }) => hrefOf('groups', { group: id }) },
  dashboard: { group: 'Dashboards', icon: 'dashboards', href: ({ id }) => hrefOf('dashboards', { dashboard: id }) },
  unit_metric: { group: 'Unit economics', icon: 'units', href: ({ id }) => hrefOf('units', { metric: id }) },
  cloud_account: {
    group: 'Cloud accounts',
    icon: 'sources',
    href: ({ id }) => hrefOf('costs', { 'filter[cloud_account_id]': id }),
  },
  tag: { group: 'Tags', icon: 'tags', href: ({ id }) => hrefOf('tags', { key: id }) },
  budget: { group: 'Budgets', icon: 'budgets', href: ({ id }) => hrefOf('budgets', { budget: id }) },
  recommendation: {
    group: 'Recommendations',
    icon: 'recommendations',
    href: ({ id }) => hrefOf('recommendations', { rec: id }),
  },
  anomaly: {
    group: 'Anomalies',
    icon: 'anomalies',
    href: ({ id }) => hrefOf('anomalies', { anomaly: id, include_suppressed: true }),
  },
  schedule: { group: 'Schedules', icon: 'schedules', href: ({ id }) => hrefOf('schedules', { schedule: id }) },
  autoscaler_policy: { group: 'Autoscaling', icon: 'scaling', href: ({ id }) => hrefOf('scaling', { policy: id }) },
  event_plan: { group: 'Event readiness', icon: 'events', href: ({ id }) => hrefOf('events', { plan: id }) },
  person: { group: 'Members', icon: 'members', href: ({ title }) => hrefOf('members', { search: title }) },
}

export const askedKinds = Object.keys(shownKinds) as (keyof typeof shownKinds)[]

export const toEntries = ({ items }: Found): PaletteEntry[] =>
  items.flatMap((item) => {
    const shown = (shownKinds as Partial<Record<Kind, Shown>>)[item.kind]
    if (!shown) return []
    const { group, icon, href } = shown
    const { title, detail } = item
    return [{ id: `${item.kind} ${item.id}`, group, title, detail, icon, run: () => open(href(item)) }]
  })
