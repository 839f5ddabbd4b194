/** How processes tell each other what changed of who people are. A message that is lost costs five seconds. */
import type { NatsConnection } from '@nats-io/transport-node'
import type { IdentityChange } from '#http/identity/tools.ts'

const subject = 'tidemark.identity.changed'

/** Calls back with every change, and answers who asks whether it was heard. */
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

/** Milliseconds behind the last answer in which another process may answer, and in which all do. */
const stallMs = 150
const heardMs = 1000

/**
 * Resolves once processes that answer in time have heard what this one announced before: a connection keeps the order. Whoever
 * is later, or hears nothing, forgets by himself within five seconds.
 */
export async function waitUntilHeard(nats: NatsConnection): Promise<void> {
  try {
    const answers = await nats.requestMany(subject, '{}', { strategy: 'stall', stall: stallMs, maxWait: heardMs })
    for await (const _ of answers);
  } catch {
    // Nobody listens, or NATS is away.
  }
}
