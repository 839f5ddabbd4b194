import type { Clock } from '#engine/actor/ports.ts'
import type { Host, Scheduler } from '#test/sim/scheduler.ts'

/** Milliseconds since 1970 at which every simulation begins. */
export const epochMs = Date.parse('2026-01-15T10:00:00Z')

/** The clock of one host: virtual time plus what the host's own clock is off by. */
export class MemoryClock implements Clock {
  /** Milliseconds; changed by clock jumps. Sleeping does not follow it. */
  skewMs = 0
  private readonly scheduler: Scheduler
  private readonly host: Host | undefined

  constructor(scheduler: Scheduler, host?: Host) {
    this.scheduler = scheduler
    this.host = host
  }

  now(): number {
    return epochMs + this.scheduler.now + this.skewMs
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const wake = () => {
        event.run = undefined
        signal?.removeEventListener('abort', wake)
        resolve()
      }
      const event = this.scheduler.after(ms, wake, this.host)
      signal?.addEventListener('abort', wake)
    })
  }
}
