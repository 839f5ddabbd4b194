/** What a person looked at lately in an organization, newest first: kept in this browser. */
import { untracked } from '@preact/signals'
import { currentRoute, hrefOf, type PageRoute } from '../router.ts'
import { session, viewerKey } from '../session.ts'
import { heading } from './heading.ts'
import { entryOf } from './menu-entries.ts'

export interface RecentItem {
  href: string
  title: string
  view: string
}

const recentMax = 20
const keyNow = (): string => JSON.stringify(['recent', viewerKey()])

const isItem = (value: unknown): value is RecentItem => {
  const { href, title, view } = (value ?? {}) as Partial<RecentItem>
  return [href, title, view].every((one) => typeof one === 'string')
}

export function recentItems(): RecentItem[] {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(keyNow()) ?? '[]')
    return Array.isArray(value) ? value.filter(isItem) : []
  } catch {
    return []
  }
}

/** Of the address, what belongs to a glance and not to the thing that is looked at. */
const passing = ['receipt', 'figure', 'page']

function remember({ view, query }: PageRoute): void {
  const entry = entryOf({ view, query })
  const { view: title, detail } = heading.value
  if (!session.value?.orgID || !entry || title === '') return
  const kept = new URLSearchParams(query)
  for (const name of passing) kept.delete(name)
  // Another period or filter of a view is the view; something that is open in it is a thing of its own.
  const isThing = detail !== '' || entry.view.name !== view
  const item = { href: isThing ? hrefOf(view, kept) : entry.href, title: isThing ? detail || title : entry.title, view }
  const others = recentItems().filter(({ href }) => href !== item.href)
  localStorage.setItem(keyNow(), JSON.stringify([item, ...others].slice(0, recentMax)))
}

/** Remembers what is left for something else. */
export function watchRecent(): () => void {
  let shown = currentRoute.peek()
  return currentRoute.subscribe((next) => {
    // What is drawn is still that of before.
    if (next !== shown) untracked(() => remember(shown))
    shown = next
  })
}
