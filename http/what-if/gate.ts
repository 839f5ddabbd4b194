/** How many questions of what would have been are answered at a time by a process, and how long one may take. */
import { Fault } from '#engine/fault.ts'

const atATime = 2
const msMax = 10_000

const running = new Set<string>()

/** What a question asks before each part of its work. @throws Fault `transient` `unavailable` when its time is over */
export type GoOn = () => void

/**
 * One at a time an organization. The signal ends what goes on elsewhere when its time is over.
 * @throws Fault `rate_limited` where the organization asks another, `transient` `unavailable` where others are before it,
 * or when its time is over
 */
export async function answered<T>(
  orgId: string,
  work: (goOn: GoOn, signal: AbortSignal) => Promise<T>,
): Promise<T & { tookMs: number }> {
  if (running.has(orgId)) {
    const told = 'Another what-if of the organization is being answered: ask again when it is.'
    throw Fault.invalid('rate_limited', told, { retryAfter: msMax / 1000 })
  }
  if (running.size >= atATime) throw Fault.transient('unavailable', `${atATime} what-ifs are being answered already.`)
  running.add(orgId)
  const began = performance.now()
  const ending = new AbortController()
  const late = Fault.transient('unavailable', `It took longer than ${msMax / 1000} s: ask for fewer days.`)
  const timer = setTimeout(() => ending.abort(late), msMax)
  try {
    const answer = await work(() => ending.signal.throwIfAborted(), ending.signal)
    return { ...answer, tookMs: Math.round(performance.now() - began) }
  } finally {
    clearTimeout(timer)
    running.delete(orgId)
  }
}
