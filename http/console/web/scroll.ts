/** Going back shows a view at the place where it was left, once it is tall enough again. */

/** How long a view may take to come back, milliseconds. */
const waitMs = 4000

/** Keeps the place of the entry of the history that is left. */
export const keepScroll = (): void => history.replaceState({ scroll: globalThis.scrollY }, '', location.href)

/** @param state of the entry of the history that is opened again */
export function restoreScroll(state: unknown): void {
  const to = (state as { scroll?: number } | null)?.scroll
  if (to === undefined) return
  const watch = new ResizeObserver(() => {
    if (document.documentElement.scrollHeight < to + innerHeight) return
    end()
    scrollTo(0, to)
  })
  const end = () => {
    watch.disconnect()
    clearTimeout(timer)
    for (const name of ['wheel', 'touchstart', 'keydown']) removeEventListener(name, end)
  }
  const timer = setTimeout(end, waitMs)
  // Whoever moves meanwhile decides.
  for (const name of ['wheel', 'touchstart', 'keydown']) addEventListener(name, end, { once: true })
  watch.observe(document.body)
}
