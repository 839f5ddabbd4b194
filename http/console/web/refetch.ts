/**
 * Nobody tells of every change, and nothing is told while the stream is away: after an act of one's own, and after one that
 * came too late, everything that is shown is asked anew. While a window is open it is left as it is: what is said in it is read.
 */
import { isAsking } from './api.ts'
import { liveState, emitResync } from './live.ts'

let open = 0
/** What goes on behind an act while the stream is away, milliseconds after it. */
const laterMs = [2000, 5000, 10_000]

/** What follows an act by itself comes first, so that nothing is asked of what it has taken away: for so long, milliseconds. */
const followMs = 150
const followMost = 20

let timer: ReturnType<typeof setTimeout> | undefined

export function refetchAll(): void {
  if (open > 0) return
  clearTimeout(timer)
  timer = setTimeout(() => refetchOnce(followMost), followMs)
}

function refetchOnce(left: number): void {
  if (open > 0) return
  if (isAsking() && left > 0) {
    timer = setTimeout(() => refetchOnce(left - 1), followMs)
    return
  }
  emitResync()
  if (liveState.value === 'live') return
  for (const ms of laterMs) setTimeout(() => open === 0 && emitResync(), ms)
}

/** A window is there until the returned function is called; what is behind it is asked anew then. */
export function holdRefetch(): () => void {
  open++
  return () => {
    open--
    refetchAll()
  }
}
