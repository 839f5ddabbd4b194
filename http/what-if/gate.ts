/** How many questions of what would have been are answered at a time by a process, and how long one may take. */
import { Fault } from '#engine/fault.ts'

const atATime = 2
const msMax = 10_000

const running = new Set<string>()

/** What a question asks before each part of its work. @throws Fault `transient` `unavailable` when its time is over */
export type GoOn = () => void

/**
 * One at a time an organization. `elapsed` is milliseconds since it began.
 * @throws Fault `transient` `unavailable` where others are before it, or when its time is over
 */
export async function answered<T>(orgId: string, work: (goOn: GoOn) => Promise<T>): Promise<T & { tookMs: number }> {
  if (running.has(orgId)) throw Fault.transient('unavailable', 'Another what-if of the organization is being answered.')
  if (running.size >= atATime) throw Fault.transient('unavailable', `${atATime} what-ifs are being answered already.`)
  running.add(orgId)
  const began = performance.now()
  const took = (): number => Math.round(performance.now() - began)
  try {
    const answer = await work(() => {
      if (took() <= msMax) return
      throw Fault.transient('unavailable', `It took longer than ${msMax / 1000} s: ask for fewer days.`)
    })
    return { ...answer, tookMs: took() }
  } finally {
    running.delete(orgId)
  }
}
