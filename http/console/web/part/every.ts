/** Asks again by the clock what no event tells of, while it is under way and somebody looks. */
import { useEffect, useRef } from 'preact/hooks'

export function useEvery(seconds: number, isUnderWay: boolean, then: () => void): void {
  const latest = useRef(then)
  latest.current = then
  useEffect(() => {
    if (!isUnderWay) return
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') latest.current()
    }, seconds * 1000)
    return () => clearInterval(timer)
  }, [seconds, isUnderWay])
}
