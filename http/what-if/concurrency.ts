/** Limits how many what-if questions a process answers at a time, and how long each may take. */
import { Fault } from '#engine/value/fault.ts'
import { personOf, type Caller } from '#http/identity/organization/caller.ts'

const atATime = 2
const msMax = 30_000

/** Keys of organizations and people with a running question. */
const running = new Set<string>()
let answering = 0

/** Called before each part of the work. @throws Fault `transient` `unavailable` when the time is over */
export type GoOn = () => void

/**
 * One question at a time for an organization, and for a person over all their organizations. The signal aborts work
 * elsewhere when the time is over.
 * @throws Fault `rate_limited` if one of them has a running question, `transient` `unavailable` if too many are
 * waiting, or when the time is over
 */
export async function runWhatIf<T>(
  caller: Caller,
  work: (goOn: GoOn, signal: AbortSignal) => Promise<T>,
): Promise<T & { tookMs: number }> {
  const { orgId } = caller
  const person = personOf(caller)
  const keys = [`org ${orgId}`, ...(person === '' ? [] : [`user ${person}`])]
  if (keys.some((key) => running.has(key))) {
    const told = 'Another what-if of yours or of your organization is running. Try again when it has finished.'
    throw Fault.invalid('rate_limited', told, { retryAfter: msMax / 1000 })
  }
  if (answering >= atATime) throw Fault.transient('unavailable', `${atATime} what-ifs are already running.`)
  for (const key of keys) running.add(key)
  answering++
  const began = performance.now()
  const ending = new AbortController()
  const late = Fault.transient('unavailable', `The what-if took longer than ${msMax / 1000} s. Request fewer days.`)
  const timer = setTimeout(() => ending.abort(late), msMax)
  try {
    const answer = await work(() => ending.signal.throwIfAborted(), ending.signal)
    return { ...answer, tookMs: Math.round(performance.now() - began) }
  } finally {
    clearTimeout(timer)
    for (const key of keys) running.delete(key)
    answering--
  }
}
