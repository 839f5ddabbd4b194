/** Asks again by the clock what no event tells of, while it is under way and somebody looks. */
import { useEffect, useRef } from 'preact/hooks'

/** How late a service may be with what it does at a moment, and the longest that a browser waits at once, milliseconds. */
const lateMs = 1000
const againMs = 5000
const longestMs = 2_000_000_000

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

/** Calls back when the next of these moments has come, and until it is not among them any more. */
export function useMoments(moments: readonly string[], then: () => void): void {
  const latest = useRef(then)
  latest.current = then
  const next = moments.toSorted()[0]
  useEffect(() => {
    if (next === undefined) return
    let timer: ReturnType<typeof setTimeout>
    const wait = (least: number) => {
      const ms = Math.max(least, Date.parse(next) - Date.now() + lateMs)
      timer = setTimeout(
        () => {
          if (ms <= longestMs) latest.current()
          wait(againMs)
        },
        Math.min(ms, longestMs),
      )
    }
    wait(0)
    return () => clearTimeout(timer)
  }, [next])
}
