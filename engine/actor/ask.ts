/**
 * Commands with an answer. The command goes through the actor's lane like any message; the answer is sent after its
 * commit, so whoever got it can read what was written. Asked again after silence, the lane answers as it did the first time.
 */
import { randomUUID } from 'node:crypto'
import type { NatsConnection, Subscription } from '@nats-io/transport-node'
import { Fault, type Detail, type FaultKind } from '#engine/value/fault.ts'
import { parseJson } from '#engine/value/json.ts'
import { type Envelope, header, inboxPrefix, ingestSubject, orgWide, type Subject } from './subject.ts'
import type { Clock, Log } from './ports.ts'
import type { Static, TSchema } from '#engine/value/schema.ts'

interface Waiting {
  resolve: (value: unknown) => void
  reject: (fault: Fault) => void
}

type Reply =
  | { ok: true; value: unknown }
  | { ok: false; fault: { kind: FaultKind; code: string; message: string; detail: Detail } }

/** Milliseconds the asker waits in all, and after how many of silence the command is sent again. */
const waitMs = 10_000
const againMs = 3_000

export class Asker {
  private readonly log: Log
  private readonly clock: Clock
  private readonly inbox = `${inboxPrefix}.ask.${randomUUID()}`
  /** By id: the same may be asked for several at once. */
  private readonly waiting = new Map<string, Set<Waiting>>()
  private readonly subscription: Subscription

  constructor(connection: NatsConnection, log: Log, clock: Clock) {
    this.log = log
    this.clock = clock
    this.subscription = connection.subscribe(`${this.inbox}.*`, {
      callback: (error, message) => {
        if (!error) this.arrived(message.subject.slice(this.inbox.length + 1), message.string())
      },
    })
  }

  close(): void {
    this.subscription.unsubscribe()
  }

  /**
   * Resolves with the actor's reply once its turn has committed. The subject must be declared `once`.
   * Asked under an `id` that has been answered, the answer is the same and nothing happens again.
   * @throws the Fault the turn threw; Fault `unavailable` when no answer came in time, the command may then still happen only until its deadline.
   */
  async ask<S extends TSchema>(
    subject: Subject<S>,
    orgId: string,
    data: Static<S>,
    id: string = randomUUID(),
  ): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const own = { resolve, reject }
    this.await(id, own)
    const deadline = this.clock.now() + waitMs
    const timers = [0, againMs, 2 * againMs].map((ms) =>
      setTimeout(() => void this.send(subject, orgId, data, id, deadline).catch(() => {}), ms),
    )
    const late = setTimeout(
      () => reject(Fault.transient('unavailable', 'The service did not respond in time.')),
      waitMs,
    )
    try {
      return await promise
    } finally {
      for (const timer of [...timers, late]) clearTimeout(timer)
      this.forget(id, own)
    }
  }

  private await(id: string, own: Waiting): void {
    const all = this.waiting.get(id)
    if (all) all.add(own)
    else this.waiting.set(id, new Set([own]))
  }

  private forget(id: string, own: Waiting): void {
    const all = this.waiting.get(id)
    if (all?.delete(own) && all.size === 0) this.waiting.delete(id)
  }

  private async send(subject: Subject, orgId: string, data: unknown, id: string, deadline: number): Promise<void> {
    const envelope: Envelope = {
      id,
      type: subject.name,
      schemaVersion: 1,
      orgId,
      time: new Date(this.clock.now()).toISOString(),
      source: 'edge',
      data,
    }
    await this.log.publish({
      subject: ingestSubject(subject.kind, orgId, subject.place?.(data as never) ?? orgWide),
      // The stream drops a message it has had, and nobody would answer: each sending is one of its own.
      id: `${id}#${randomUUID()}`,
      headers: { [header.reply]: `${this.inbox}.${id}`, [header.deadline]: new Date(deadline).toISOString() },
      body: JSON.stringify(envelope),
    })
  }

  private arrived(id: string, body: string): void {
    const all = this.waiting.get(id)
    if (!all) return
    const reply = parseJson(body) as Reply
    for (const { resolve, reject } of all)
      if (reply.ok) resolve(reply.value)
      else reject(new Fault(reply.fault.kind, reply.fault.code, reply.fault.message, reply.fault.detail))
  }
}
