/** The address of the page is all it shows: the view, and what it is asked with. */
import { signal } from '@preact/signals'
import { searchOf, type Query } from './address.ts'
import { keepScroll, restoreScroll } from './scroll.ts'

export interface PageRoute {
  view: string
  query: URLSearchParams
}

const here = (): PageRoute => ({
  view: location.pathname.split('/').at(-1) || 'overview',
  query: new URLSearchParams(location.search),
})

export const currentRoute = signal<PageRoute>(here())

export const hrefOf = (view: string, query: Query | URLSearchParams = {}): string => {
  const text = (query instanceof URLSearchParams ? query : searchOf(query)).toString()
  return `${view === 'overview' ? './' : view}${text && `?${text}`}`
}

/** Leads to a view; `replace` where going back should not lead to what is left. */
export function go(view: string, query: Query | URLSearchParams = {}, { replace = false } = {}): void {
  if (!replace) keepScroll()
  history[replace ? 'replaceState' : 'pushState'](null, '', hrefOf(view, query))
  currentRoute.value = here()
}

/** The parameters of the address with some set anew; null takes one away. */
export function withParams(changes: Query): URLSearchParams {
  const query = new URLSearchParams(currentRoute.value.query)
  for (const name of Object.keys(changes)) query.delete(name)
  for (const [name, value] of searchOf(changes)) query.append(name, value)
  return query
}

/** Stays in the view. */
export const change = (changes: Query, options?: { replace?: boolean }): void =>
  go(currentRoute.value.view, withParams(changes), options)

export const param = (name: string): string | undefined => currentRoute.value.query.get(name) ?? undefined
export const params = (name: string): string[] => currentRoute.value.query.getAll(name)

/** Links within the console change the view without loading the page. */
export function watchLinks(): void {
  history.scrollRestoration = 'manual'
  addEventListener('popstate', ({ state }) => {
    currentRoute.value = here()
    restoreScroll(state)
  })
  document.addEventListener('click', (event) => {
    const to = isPlain(event) ? targetOf(event) : undefined
    const view = to && viewOf(to)
    if (!to || view === undefined) return
    event.preventDefault()
    const isSame = to.pathname === location.pathname
    go(view, to.searchParams)
    if (!isSame) scrollTo(0, 0)
  })
}

/** Not what opens a window of its own. */
const isPlain = ({ button, metaKey, ctrlKey, shiftKey, altKey, defaultPrevented }: MouseEvent): boolean =>
  button === 0 && !(metaKey || ctrlKey || shiftKey || altKey || defaultPrevented)

/** Where the link leads that was pressed; in a drawing its address is an object. */
function targetOf(event: MouseEvent): URL | undefined {
  const link = (event.target as Element).closest?.('a')
  if (!link || link.getAttribute('target') || link.hasAttribute('download')) return undefined
  const href = link.getAttribute('href')
  return href === null ? undefined : new URL(href, location.href)
}

/** The view at an address of the console; undefined elsewhere. */
function viewOf(to: URL): string | undefined {
  const base = new URL('./', location.href)
  const view = to.pathname.slice(base.pathname.length)
  const isOurs = to.origin === location.origin && to.pathname.startsWith(base.pathname) && !view.includes('/')
  return isOurs ? view || 'overview' : undefined
}
