/** Decides, from a seed alone, what happens next: one queue of events in virtual time, ties broken by the seed. */

/** Seeded random numbers (splitmix32): the same seed draws the same ones everywhere. */
export class Random {
  private state: number

  constructor(seed: number) {
    this.state = Math.imul(seed ^ 0x5bf03635, 0x9e3779b1)
    for (let i = 0; i < 3; i++) this.next()
  }

  /** From 0, below 1. */
  next(): number {
    this.state = (this.state + 0x9e3779b9) | 0
    let z = this.state ^ (this.state >>> 16)
    z = Math.imul(z, 0x21f0aaad)
    z ^= z >>> 15
    z = Math.imul(z, 0x735a2d97)
    return ((z ^ (z >>> 15)) >>> 0) / 0x1_0000_0000
  }

  /** An integer from 0, below `n`. */
  below(n: number): number {
    return Math.floor(this.next() * n)
  }

  between(low: number, high: number): number {
    return low + this.below(high - low + 1)
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!
  }
}

/** What an event belongs to: the events of a dead host never happen, those of a paused one only after its pause. */
export interface Host {
  dead: boolean
  /** Virtual milliseconds. */
  pausedUntil: number
}

export interface Scheduled {
  at: number
  order: number
  host: Host | undefined
  run: (() => void) | undefined
}

export class Scheduler {
  /** Virtual milliseconds since the seed began. */
  now = 0
  events = 0
  readonly random: Random
  private readonly heap: Scheduled[] = []

  constructor(random: Random) {
    this.random = random
  }

  /** Runs `run` after `ms`. Clearing the event's `run` calls it off. */
  after(ms: number, run: () => void, host?: Host): Scheduled {
    const event = { at: this.now + Math.max(0, Math.trunc(ms)), order: this.random.next(), host, run }
    this.push(event)
    return event
  }

  get isEmpty(): boolean {
    return this.heap.length === 0
  }

  /** Runs all events up to virtual time `end`, each to the end of everything it sets off. */
  async runUntil(end: number): Promise<void> {
    // What was begun outside of events too, however deep it reaches.
    await quiet()
    while (this.heap.length > 0 && this.heap[0]!.at <= end) {
      const event = this.pop()
      const { host, run } = event
      if (!run || host?.dead) continue
      this.now = event.at
      if (host && host.pausedUntil > event.at) {
        this.push({ ...event, at: host.pausedUntil })
        continue
      }
      this.events++
      run()
      await quiet()
    }
    this.now = Math.max(this.now, end)
  }

  private push(event: Scheduled): void {
    const { heap } = this
    let i = heap.push(event) - 1
    while (i > 0) {
      const parent = (i - 1) >> 1
      if (!before(event, heap[parent]!)) break
      heap[i] = heap[parent]!
      i = parent
    }
    heap[i] = event
  }

  private pop(): Scheduled {
    const { heap } = this
    const top = heap[0]!
    const last = heap.pop()!
    const size = heap.length
    if (size === 0) return top
    let i = 0
    for (;;) {
      let child = 2 * i + 1
      if (child >= size) break
      if (child + 1 < size && before(heap[child + 1]!, heap[child]!)) child++
      if (!before(heap[child]!, last)) break
      heap[i] = heap[child]!
      i = child
    }
    heap[i] = last
    return top
  }
}

const before = (a: Scheduled, b: Scheduled): boolean => a.at < b.at || (a.at === b.at && a.order < b.order)

/** Resolves when no promise has anything left to do: ticks come after the last of them. */
const quiet = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve))
