/** Where the page is: the group of the menu, the view, and what is open in it. */
import { currentRoute } from '../router.ts'
import { heading } from './heading.ts'
import { entryOf } from './menu-entries.ts'

export function Breadcrumbs() {
  const route = currentRoute.value
  const entry = entryOf(route)
  if (!entry) return null
  const isOwn = entry.view.name === route.view
  const detail = isOwn ? heading.value.detail : heading.value.view
  return (
    <nav class="crumbs" aria-label="Breadcrumb">
      <ol>
        <li>{entry.group}</li>
        <li aria-current={detail === '' ? 'page' : undefined}>
          {detail === '' ? entry.title : <a href={entry.href}>{entry.title}</a>}
        </li>
        {detail !== '' && (
          <li aria-current="page" class="clip" dir="auto" title={detail}>
            {detail}
          </li>
        )}
      </ol>
    </nav>
  )
}
