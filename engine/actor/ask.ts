/**
 * Commands with a response. A command goes through the actor's lane like any message. The response is sent after the
 * commit, so a caller that has it can read what was written. If the command is sent again after a timeout, the lane
 * returns the first response.
 */
import { randomUUID } from 'node:crypto'
import type { NatsConnection, Subscription } from '@nats-io/transport-node'
import { Fault, type Detail, type FaultKind } from '#engine/value/fault.ts'
import { parseJson } from '#engine/value/json.ts'
import { engineRetries, pauseBefore } from './retry.ts'
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

/** Milliseconds that a caller waits in total. */
const waitMs = 10_000

/** Milliseconds after the first attempt at which each is made, as long as there is no response. */
const attemptsMs = Array.from({ length: engineRetries.ask.tries }, (_, n) => n * pauseBefore(engineRetries.ask, 2)!)

export class Asker {
  private readonly log: Log
  private readonly clock: Clock
  private readonly inbox = `${inboxPrefix}.ask.${randomUUID()}`
  /** By command id. Several callers may wait for the same id. */
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
   * An `id` that was already answered returns the same reply and has no further effect.
   * @throws the Fault the turn threw; Fault `unavailable` if there is no reply in time. The command may then still run,
   * but only until its deadline.
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
    const timers = attemptsMs.map((ms) =>
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
      // The stream drops message ids it has seen, and then nothing would reply: each attempt has its own id.
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
