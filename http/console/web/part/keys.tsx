/** The keyboard: `/` to the search, `g` and a letter to a view, `?` for this list. */
import { Fragment } from 'preact'
import { signal } from '@preact/signals'
import { go } from '../router.ts'
import { switchTheme } from '../theme.ts'
import { views } from '../view/index.ts'
import { Drawer } from './drawer.tsx'

const isShown = signal(false)
/** How long `g` waits for its letter, milliseconds. */
const waitMs = 1500

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ['INPUT', 'SELECT', 'TEXTAREA'].includes(target.tagName))

const isOurs = ({ ctrlKey, metaKey, altKey, target }: KeyboardEvent): boolean =>
  !(ctrlKey || metaKey || altKey || isTyping(target) || document.querySelector('dialog[open]'))

function toSearch(event: KeyboardEvent): void {
  const search = document.querySelector<HTMLElement>('#view [data-search]')
  if (!search) return
  event.preventDefault()
  search.focus()
}

const single: Readonly<Record<string, (event: KeyboardEvent) => void>> = {
  '?': () => {
    isShown.value = true
  },
  t: switchTheme,
  '/': toSearch,
}

/** Follows the keys until the returned function is called. */
export function watchKeys(): () => void {
  let leading = -Infinity
  const pressed = (event: KeyboardEvent) => {
    if (!isOurs(event)) return
    if (event.timeStamp - leading < waitMs) {
      leading = -Infinity
      const view = views.find(({ key }) => key === event.key)
      if (view) go(view.name)
    } else if (event.key === 'g') leading = event.timeStamp
    else single[event.key]?.(event)
  }
  addEventListener('keydown', pressed)
  return () => removeEventListener('keydown', pressed)
}

export function Keys() {
  if (!isShown.value) return null
  return (
    <Drawer
      title="Keyboard shortcuts"
      onClose={() => {
        isShown.value = false
      }}
    >
      <dl class="keys">
        <dt>
          <kbd>/</kbd>
        </dt>
        <dd>Search or filter this view</dd>
        {views
          .filter(({ hidden }) => !hidden)
          .map(({ key, title }) => (
            <Fragment key={key}>
              <dt>
                <kbd>g</kbd> <kbd>{key}</kbd>
              </dt>
              <dd>{title}</dd>
            </Fragment>
          ))}
        <dt>
          <kbd>t</kbd>
        </dt>
        <dd>Switch between light and dark</dd>
        <dt>
          <kbd>Esc</kbd>
        </dt>
        <dd>Close the open panel</dd>
        <dt>
          <kbd>?</kbd>
        </dt>
        <dd>Show this list</dd>
      </dl>
    </Drawer>
  )
}
