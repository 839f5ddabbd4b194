/** What the view that is shown calls itself: its heading, and that of what is open in it. */
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

export interface Heading {
  /** Empty while the view is loading. */
  view: string
  /** Of the thing whose details are open; empty without one. */
  detail: string
}

export const heading = signal<Heading>({ view: '', detail: '' })

const textOf = (selector: string): string => document.querySelector(selector)?.textContent?.trim() ?? ''

function look(): void {
  const next = { view: textOf('#view h1'), detail: textOf('#view .opened :is(h1, h2)') }
  if (next.view === heading.value.view && next.detail === heading.value.detail) return
  heading.value = next
  if (isFocusWanted && next.view !== '') focusHeading()
}

/** Follows the headings of what is drawn. */
export function useHeading(): void {
  useEffect(() => {
    const observer = new MutationObserver(look)
    observer.observe(document.querySelector('.page')!, { childList: true, subtree: true, characterData: true })
    look()
    return () => observer.disconnect()
  }, [])
}

let isFocusWanted = false

/** Moves the focus to the heading of the view that is being opened by a key, which so is read out. */
export function focusNextHeading(): void {
  isFocusWanted = true
  // The view may be there already.
  requestAnimationFrame(() => {
    if (isFocusWanted && document.querySelector('#view h1')) focusHeading()
  })
}

function focusHeading(): void {
  isFocusWanted = false
  const found = document.querySelector<HTMLElement>('#view h1')
  if (!found) return
  found.tabIndex = -1
  found.focus()
}
