/** What the menu leads to: views, and parts of views that have a place of their own in it. */
import { hrefOf, type PageRoute } from '../router.ts'
import { views, type View } from '../view/index.ts'

export interface MenuEntry {
  /** Of its icon too. */
  name: string
  title: string
  group: View['group']
  view: View
  /** The part of the view; undefined for the view itself. */
  tab?: string
  href: string
}

interface Part {
  view: string
  tab: string
  title: string
  /** The entry that it follows. */
  after: string
}

const parts: readonly Part[] = [
  { view: 'savings', tab: 'commitments', title: 'Commitments', after: 'workflows' },
  { view: 'sources', tab: 'dead-letters', title: 'Dead letters', after: 'sources' },
  { view: 'members', tab: 'roles', title: 'Roles', after: 'members' },
]

const toEntry = (view: View): MenuEntry => ({
  name: view.name,
  title: view.title,
  group: view.group,
  view,
  href: hrefOf(view.name),
})

const partsAfter = (name: string): MenuEntry[] =>
  parts
    .filter(({ after }) => after === name)
    .map(({ view: of, tab, title }) => {
      const view = views.find((one) => one.name === of)!
      return { name: tab, title, group: view.group, view, tab, href: hrefOf(of, { tab }) }
    })

/** In the order of the menu. */
export const menuEntries: readonly MenuEntry[] = views
  .filter(({ hidden }) => !hidden)
  .flatMap((view) => [toEntry(view), ...partsAfter(view.name)])

export const menuGroups: readonly (readonly [View['group'], readonly MenuEntry[]])[] = [
  ...Map.groupBy(menuEntries, ({ group }) => group),
]

/** The views that a view without a place in the menu is opened from. */
const parents: Readonly<Record<string, string>> = { resource: 'inventory' }

/** The entry of what an address shows. */
export function entryOf({ view, query }: PageRoute): MenuEntry | undefined {
  const ofView = menuEntries.filter((one) => one.view.name === (parents[view] ?? view))
  return ofView.find(({ tab }) => tab !== undefined && tab === query.get('tab')) ?? ofView.find(({ tab }) => !tab)
}
