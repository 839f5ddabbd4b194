/** Whether a place of the page was looked at: what costs a question of its own is asked then. */
import { useEffect, useRef, useState } from 'preact/hooks'

export function useSeen<E extends Element>() {
  const place = useRef<E>(null)
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    if (isSeen || !place.current) return
    const watch = new IntersectionObserver((found) => {
      if (found.some(({ isIntersecting }) => isIntersecting)) setSeen(true)
    })
    watch.observe(place.current)
    return () => watch.disconnect()
  }, [isSeen])
  return { place, isSeen }
}
