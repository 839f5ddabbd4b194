/** Sends events to the listeners of organizations: immediately, then collected events at most five times a second. */
import type { SentSignal } from '#engine/actor/turn.ts'
import { EventBatch } from './event-batch.ts'

/** Milliseconds between two messages to one organization. */
export const pauseMs = 200

/** Sends to listeners in all processes; without listeners, the events are dropped. */
export type Tell = (orgId: string, told: readonly SentSignal[]) => void

export class Teller {
  private readonly send: Tell
  private readonly sleep: (ms: number) => Promise<void>
  /** Waiting events of organizations that got a message within the pause. */
  private readonly pausing = new Map<string, EventBatch>()

  constructor(send: Tell, sleep: (ms: number) => Promise<void>) {
    this.send = send
    this.sleep = sleep
  }

  /** Call when the reported changes are visible to queries. */
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
