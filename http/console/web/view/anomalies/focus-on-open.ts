/** Where the keyboard goes when an anomaly is opened: to what is shown of it, which may be far below the list. */
import { useEffect, useRef } from 'preact/hooks'

let isOpening = false

/** A link of the list was followed. */
export function markOpening({ metaKey, ctrlKey, shiftKey }: MouseEvent): void {
  isOpening = !(metaKey || ctrlKey || shiftKey)
}

export function useFocusOnOpen<E extends HTMLElement>(id: string) {
  const place = useRef<E>(null)
  useEffect(() => {
    if (!isOpening) return
    isOpening = false
    place.current?.focus({ preventScroll: true })
    place.current?.scrollIntoView({ block: 'start' })
  }, [id])
  return place
}
