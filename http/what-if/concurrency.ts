/** How many questions of what would have been are answered at a time by a process, and how long one may take. */
import { Fault } from '#engine/value/fault.ts'
import { personOf, type Caller } from '#http/identity/organization/caller.ts'

const atATime = 2
const msMax = 30_000

/** Keys of the organizations and people who are being answered. */
const running = new Set<string>()
let answering = 0

/** What a question asks before each part of its work. @throws Fault `transient` `unavailable` when its time is over */
export type GoOn = () => void

/**
 * One at a time an organization, and a person over all of theirs. The signal ends what goes on elsewhere when its time is over.
 * @throws Fault `rate_limited` where one of them asks another, `transient` `unavailable` where others are before it,
 * or when its time is over
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
