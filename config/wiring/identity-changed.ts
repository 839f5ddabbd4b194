/**
 * Processes tell each other about changes of users and access. If a message is lost, the others notice within five
 * seconds.
 */
import type { NatsConnection } from '@nats-io/transport-node'
import type { IdentityChange } from '#http/identity/tools.ts'

const subject = 'tidemark.identity.changed'

/** Calls `changed` for every message, and answers if the sender asks for it. */
export function onChanged(nats: NatsConnection, changed: (what: IdentityChange) => void): void {
  nats.subscribe(subject, {
    callback: (error, message) => {
      if (error) return
      changed(message.json<IdentityChange>())
      if (message.reply) message.respond()
    },
  })
}

export const announce = (nats: NatsConnection, changed: IdentityChange): void =>
  nats.publish(subject, JSON.stringify(changed))

/** Milliseconds to wait for another process after the last answer. Below: for all answers. */
const stallMs = 150
const heardMs = 1000

/**
 * Resolves when the processes that answer in time have received everything that this one announced before: a connection
 * keeps the order. A process that is later, or receives nothing, drops its cached data by itself within five seconds.
 */
export async function waitUntilHeard(nats: NatsConnection): Promise<void> {
  try {
    const answers = await nats.requestMany(subject, '{}', { strategy: 'stall', stall: stallMs, maxWait: heardMs })
    for await (const _ of answers);
  } catch {
    // No process listens, or NATS is unavailable.
  }
}
