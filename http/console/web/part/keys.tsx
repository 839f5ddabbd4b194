/** The keyboard: Ctrl or Cmd K for everything, `/` to the search, `g` and a letter to a view, `?` for this list. */
import { Fragment } from 'preact'
import { signal } from '@preact/signals'
import { focusNextHeading } from '../frame/heading.ts'
import { isFlag, preference } from '../frame/preference.ts'
import { openPalette } from '../frame/palette-state.ts'
import { go } from '../router.ts'
import { switchTheme } from '../theme.ts'
import { views } from '../view/index.ts'
import { Drawer } from './drawer.tsx'

const isShown = signal(false)
/** Keys without Ctrl or Cmd can be switched off: speech input types them by chance. */
const hasSingleKeys = preference('single-keys', isFlag, true)

export const showKeys = (): void => {
  isShown.value = true
}
/** How long `g` waits for its letter, milliseconds. */
const waitMs = 1500

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ['INPUT', 'SELECT', 'TEXTAREA'].includes(target.tagName))

const isOurs = ({ ctrlKey, metaKey, altKey, target }: KeyboardEvent): boolean =>
  !(ctrlKey || metaKey || altKey || isTyping(target) || document.querySelector('dialog[open]'))

const isPaletteKey = ({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean =>
  key.toLowerCase() === 'k' && (ctrlKey || metaKey) && !altKey && !shiftKey && !document.querySelector('dialog[open]')

function toSearch(event: KeyboardEvent): void {
  const search = document.querySelector<HTMLElement>('#view [data-search]')
  if (!search) return
  event.preventDefault()
  search.focus()
}

const single: Readonly<Record<string, (event: KeyboardEvent) => void>> = {
  '?': showKeys,
  t: switchTheme,
  '/': toSearch,
}

/** Follows the keys until the returned function is called. */
export function watchKeys(): () => void {
  let leading = -Infinity
  const pressed = (event: KeyboardEvent) => {
    if (isPaletteKey(event)) {
      event.preventDefault()
      openPalette()
      return
    }
    if (!hasSingleKeys.value || !isOurs(event)) return
    if (event.timeStamp - leading < waitMs) {
      leading = -Infinity
      const view = views.find(({ key }) => key === event.key)
      if (view) {
        go(view.name)
        focusNextHeading()
      }
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
      <p>
        <label>
          <input
            type="checkbox"
            checked={hasSingleKeys.value}
            onChange={(event) => hasSingleKeys.set(event.currentTarget.checked)}
          />{' '}
          Use keys without Ctrl or Cmd
        </label>
      </p>
      <dl class="keys">
        <dt>
          <kbd>Ctrl</kbd> <kbd>K</kbd> or <kbd>⌘</kbd> <kbd>K</kbd>
        </dt>
        <dd>Search and commands</dd>
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
