/** Tells the listeners of organizations: at once, then at most every fifth of a second what has come together meanwhile. */
import type { SentSignal } from '#engine/actor/turn.ts'
import { EventBatch } from './event-batch.ts'

/** Between two tellings to one organization, milliseconds. */
export const pauseMs = 200

/** To whoever listens, in whatever process; nobody hears of it when none does. */
export type Tell = (orgId: string, told: readonly SentSignal[]) => void

export class Teller {
  private readonly send: Tell
  private readonly sleep: (ms: number) => Promise<void>
  /** What waits, by organizations that were told something within the pause. */
  private readonly pausing = new Map<string, EventBatch>()

  constructor(send: Tell, sleep: (ms: number) => Promise<void>) {
    this.send = send
    this.sleep = sleep
  }

  /** What it tells shows in what can be asked. */
  tell(orgId: string, told: readonly SentSignal[]): void {
    if (told.length === 0) return
    const waiting = this.pausing.get(orgId)
    if (waiting) return void waiting.add(told)
    const now = new EventBatch()
    now.add(told)
    this.pausing.set(orgId, new EventBatch())
    this.send(orgId, now.take())
    void this.sleep(pauseMs).then(() => this.goOn(orgId))
  }

  private goOn(orgId: string): void {
    const waiting = this.pausing.get(orgId)!
    this.pausing.delete(orgId)
    this.tell(orgId, waiting.take())
  }
}
