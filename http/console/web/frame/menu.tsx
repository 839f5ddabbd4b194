/** The menu: views in groups that fold; what is folded stays so for this person. */
import { useEffect, useState } from 'preact/hooks'
import { SavedMenu } from '../part/saved-views.tsx'
import { currentRoute, hrefOf } from '../router.ts'
import { may } from '../session.ts'
import { Icon } from './icon.tsx'
import { entryOf, menuGroups, type MenuEntry } from './menu-entries.ts'
import { isTexts, preference } from './preference.ts'

const folded = preference('menu-folded', isTexts, [])

const toggle = (group: string): void =>
  folded.set(folded.value.includes(group) ? folded.value.filter((one) => one !== group) : [...folded.value, group])

/** @param isIn whether somebody is in an organization: others have no saved views */
export function Menu({ isIn, orgID }: { isIn: boolean; orgID: string | null }) {
  // Where it is narrow the views stand behind a button; whoever has chosen one wants to see that.
  const [isOpen, setOpen] = useState(false)
  const route = currentRoute.value
  useEffect(() => setOpen(false), [route])
  const now = entryOf(route)
  return (
    <nav class={isOpen ? 'menu open' : 'menu'} aria-label="Views">
      <a class="brand" href={hrefOf('overview')}>
        <span class="mark" aria-hidden="true" />
        Tidemark
      </a>
      <button type="button" class="fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? 'Close' : 'Views'}
      </button>
      {menuGroups.map(([group, entries]) => (
        <Group key={group} group={group} entries={entries} now={now} />
      ))}
      {isIn && <SavedMenu key={orgID} />}
    </nav>
  )
}

interface GroupProps {
  group: string
  entries: readonly MenuEntry[]
  now: MenuEntry | undefined
}

function Group({ group, entries, now }: GroupProps) {
  const isFolded = folded.value.includes(group)
  const id = `menu-${group.toLowerCase()}`
  return (
    <>
      <h2>
        <button type="button" class="group" aria-expanded={!isFolded} aria-controls={id} onClick={() => toggle(group)}>
          {group}
          <Icon name="fold" size={12} />
        </button>
      </h2>
      <ul id={id} hidden={isFolded}>
        {entries.map((entry) => (
          <li key={entry.name}>
            <a
              href={entry.href}
              aria-current={entry === now ? 'page' : undefined}
              class={may(entry.view.permission) ? '' : 'lacking'}
            >
              <Icon name={entry.name} />
              {entry.title}
            </a>
          </li>
        ))}
      </ul>
    </>
  )
}
