/**
 * Publishes to streams with an acknowledgement for each message. The client's own method creates a timer and two errors
 * per request, which is a third of the engine's cost for a small message. Here all pending messages share one
 * subscription and one timer.
 */
import { randomUUID } from 'node:crypto'
import type { Msg, MsgHdrs, NatsConnection } from '@nats-io/transport-node'
import { inboxPrefix } from '#engine/actor/subject.ts'

export interface Acknowledgement {
  stream: string
  seq: number
  /** Whether the stream already had a message with this id. */
  duplicate?: boolean
}

interface Waiting {
  /** Milliseconds of the monotonic clock. */
  until: number
  subject: string
  resolve: (answer: Acknowledgement) => void
  reject: (error: Error) => void
}

/** How often expired messages are looked for, milliseconds. */
const lookMs = 250

export class StreamPublisher {
  private readonly connection: NatsConnection
  private readonly inbox = `${inboxPrefix}.stream.${randomUUID()}`
  private readonly timeoutMs: number
  private readonly waiting = new Map<string, Waiting>()
  private sent = 0
  private look: NodeJS.Timeout | undefined

  constructor(connection: NatsConnection, timeoutMs: number) {
    this.connection = connection
    this.timeoutMs = timeoutMs
    connection.subscribe(`${this.inbox}.*`, {
      callback: (error, message) => {
        if (!error) this.answered(message)
      },
    })
  }

  /**
   * Resolves once the stream has stored the message. @throws if it refuses, or does not respond in time: it may have
   * stored it then
   */
  publish(subject: string, body: string, headers?: MsgHdrs): Promise<Acknowledgement> {
    const { promise, resolve, reject } = Promise.withResolvers<Acknowledgement>()
    const key = String(++this.sent)
    this.waiting.set(key, { until: performance.now() + this.timeoutMs, subject, resolve, reject })
    this.look ??= setInterval(() => this.expire(), lookMs).unref()
    try {
      this.connection.publish(subject, body, { reply: `${this.inbox}.${key}`, ...(headers && { headers }) })
    } catch (error) {
      this.take(key)?.reject(error as Error)
    }
    return promise
  }

  private take(key: string): Waiting | undefined {
    const found = this.waiting.get(key)
    this.waiting.delete(key)
    return found
  }

  private answered(message: Msg): void {
    const found = this.take(message.subject.slice(this.inbox.length + 1))
    if (!found) return
    const { subject, resolve, reject } = found
    if (message.headers?.code === 503) return reject(new Error(`no stream accepts ${subject}`))
    const { stream, seq, duplicate, error } = message.json<
      Partial<Acknowledgement> & { error?: { description: string } }
    >()
    // A refusal contains the stream's name too.
    if (error || stream === undefined || !seq) reject(new Error(error?.description ?? `invalid response to ${subject}`))
    else resolve({ stream, seq, ...(duplicate && { duplicate }) })
  }

  /** In the order of sending. */
  private expire(): void {
    const now = performance.now()
    for (const [key, { until, subject, reject }] of this.waiting) {
      if (until > now) return
      this.waiting.delete(key)
      reject(new Error(`no response to ${subject}`))
    }
    clearInterval(this.look)
    this.look = undefined
  }
}
