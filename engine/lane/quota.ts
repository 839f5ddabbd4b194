/**
 * Limits what one organization's producers may send through a lane per minute of the broker's clock. Counted from where
 * the lane opens its stream: after a crash a message never has more messages before it than the first time, so a
 * message that was accepted once is accepted again.
 */
import { minuteMs } from '#engine/value/day.ts'
import { Fault } from '#engine/value/fault.ts'
import type { LogMessage } from '#engine/actor/ports.ts'

/** 0 means no limit. */
export interface QuotaLimits {
  messages: number
  bytes: number
}

export class Quota {
  private readonly limits: QuotaLimits
  private minute = 0
  private used = new Map<string, { messages: number; bytes: number }>()

  constructor(limits: QuotaLimits = { messages: 0, bytes: 0 }) {
    this.limits = limits
  }

  /** Counts the message; returns the fault if it exceeds the limit. Messages between actors do not count. */
  exceeded({ subject, headers, body, at }: LogMessage): Fault | undefined {
    const { messages, bytes } = this.limits
    if ((messages === 0 && bytes === 0) || subject.startsWith('actor.')) return undefined
    const minute = Math.floor(at / minuteMs)
    // Also if the broker's clock was set back: otherwise all that follows would count as one minute.
    if (minute !== this.minute) {
      this.minute = minute
      this.used.clear()
    }
    const org = subject.split('.')[1] ?? ''
    const used = this.used.get(org) ?? { messages: 0, bytes: 0 }
    used.messages++
    used.bytes += body.length
    for (const name in headers) used.bytes += name.length + headers[name]!.length
    this.used.set(org, used)
    const isOver = (limit: number, count: number) => limit > 0 && count > limit
    if (isOver(messages, used.messages)) return over(`${messages} messages`)
    if (isOver(bytes, used.bytes)) return over(`${bytes} bytes`)
    return undefined
  }
}

const over = (limit: string): Fault =>
  Fault.refused(
    'quota_exceeded',
    `The producers of the organization sent more than ${limit} in a minute. Replay the message later.`,
  )
