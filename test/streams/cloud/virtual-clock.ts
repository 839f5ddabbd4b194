import type { Clock } from '#engine/actor/ports.ts'

interface Sleeper {
  due: number
  wake: () => void
}

/** Time that passes only while all that is under way waits for it: then as far as the next that waits. */
export class VirtualClock implements Clock {
  private time: number
  private readonly sleepers = new Set<Sleeper>()
  private isArmed = false

  constructor(from = Date.parse('2026-01-15T10:00:00Z')) {
    this.time = from
  }

  now(): number {
    return this.time
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const sleeper = {
        due: this.time + ms,
        wake: () => {
          this.sleepers.delete(sleeper)
          signal?.removeEventListener('abort', sleeper.wake)
          resolve()
        },
      }
      this.sleepers.add(sleeper)
      signal?.addEventListener('abort', sleeper.wake)
      this.arm()
    })
  }

  /** Behind everything that can go on without time passing. */
  private arm(): void {
    if (this.isArmed) return
    this.isArmed = true
    setImmediate(() => {
      this.isArmed = false
      const [next] = [...this.sleepers].toSorted((a, b) => a.due - b.due)
      if (!next) return
      this.time = Math.max(this.time, next.due)
      next.wake()
      if (this.sleepers.size > 0) this.arm()
    })
  }
}
