/** The way from a process to a server: a call arrives later than it was made, and its answer later still, or otherwise. */
import type { Host, Scheduler } from '#test/sim/scheduler.ts'

/**
 * Makes a call: `apply` is what the server does when it arrives, all at once. `part` does only some of it, for calls that
 * servers do not carry out whole or not at all.
 */
export type Link = <T>(name: string, apply: () => T, part?: () => void) => Promise<T>

/** A link to a server that is always there: for everyone who is not under test. */
export const directLink: Link = async (_, apply) => apply()

/** Virtual milliseconds that a call, or its answer, takes at most when nothing is wrong. */
const usualMs = 20

/** What may happen to a call, as probabilities. */
export interface LinkFaults {
  /** It never arrives; the caller gets an error. */
  lost: number
  /** It takes effect, though the caller gets an error. */
  torn: number
  /** Only part of it takes effect, and the caller gets an error. */
  partial: number
  /** It takes effect again, some time later. */
  repeated: number
  /** It, or its answer, takes up to `slowMs`. */
  slow: number
  slowMs: number
}

export const noFaults: LinkFaults = { lost: 0, torn: 0, partial: 0, repeated: 0, slow: 0, slowMs: 0 }

export interface LinkOptions {
  scheduler: Scheduler
  host: Host
  /** Asked at each call: faults come and go. */
  faults: (name: string) => LinkFaults
  /** While it says true every call fails at once. */
  away: () => boolean
  trace: (line: string) => void
  /** Calls that are made all the time, and are answered the moment they arrive: half the events for nothing lost. */
  polls: ReadonlySet<string>
  /** How many calls of all links are on their way for longer than usual. */
  late: { count: number }
}

/** A link with the faults its options ask for; everything of it is lost with its host. */
export function faultyLink(options: LinkOptions): Link {
  const { scheduler, host } = options
  return (name, apply, part) => {
    const { promise, resolve, reject } = Promise.withResolvers<never>()
    const answer = (settle: () => void) => void scheduler.after(delay(options, options.faults(name)), settle, host)
    const arrive = () => {
      const fate = options.away() ? 'lost' : draw(options, options.faults(name), part !== undefined)
      if (fate !== 'none') options.trace(`${name}: ${fate}`)
      if (fate === 'lost') return answer(() => reject(new LinkError(name, 'lost')))
      if (fate === 'partial') {
        attempt(part!)
        return answer(() => reject(new LinkError(name, 'partial')))
      }
      try {
        const result = apply()
        if (fate === 'repeated') travel(options, scheduler.random.below(4000), () => attempt(apply))
        if (fate === 'none' && options.polls.has(name) && host.pausedUntil <= scheduler.now) resolve(result as never)
        else answer(() => (fate === 'torn' ? reject(new LinkError(name, 'torn')) : resolve(result as never)))
      } catch (error) {
        answer(() => reject(error as Error))
      }
    }
    const depart = () => {
      if (host.dead) return
      // Half of what a process has sent before it died still arrives.
      travel(options, delay(options, options.faults(name)), () => {
        if (!host.dead || scheduler.random.chance(0.5)) arrive()
      })
    }
    if (host.pausedUntil > scheduler.now) scheduler.after(0, depart, host)
    else depart()
    return promise
  }
}

/** What a caller gets for a call that went wrong. */
export class LinkError extends Error {
  readonly fate: Fate

  constructor(name: string, fate: Fate) {
    super(`${name}: ${fate}`)
    this.fate = fate
  }
}

/** What is late counts: a world is not done before it has arrived. */
function travel({ scheduler, late }: LinkOptions, ms: number, arrive: () => void): void {
  const counts = ms > usualMs ? 1 : 0
  late.count += counts
  scheduler.after(ms, () => {
    late.count -= counts
    arrive()
  })
}

type Fate = 'none' | 'lost' | 'torn' | 'partial' | 'repeated'

function draw({ scheduler }: LinkOptions, faults: LinkFaults, divisible: boolean): Fate {
  const { lost, torn, partial, repeated } = faults
  if (lost + torn + partial + repeated === 0) return 'none'
  let x = scheduler.random.next()
  if ((x -= lost) < 0) return 'lost'
  if ((x -= torn) < 0) return 'torn'
  if ((x -= partial) < 0) return divisible ? 'partial' : 'lost'
  return x < repeated ? 'repeated' : 'none'
}

function delay({ scheduler: { random } }: LinkOptions, { slow, slowMs }: LinkFaults): number {
  if (slow > 0 && random.chance(slow)) return random.below(slowMs)
  return random.chance(0.9) ? random.below(3) : random.below(usualMs)
}

/** For what no caller hears the end of. */
function attempt(apply: () => unknown): void {
  try {
    apply()
  } catch {
    // Refused.
  }
}
