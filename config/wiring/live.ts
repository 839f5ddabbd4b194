/**
 * Sends live events over NATS from the processes that produce them to those with listeners, without storing them. Each
 * organization has a subject in the service's account, which no other NATS user can reach.
 */
import type { NatsConnection } from '@nats-io/transport-node'
import { Fault } from '#engine/value/fault.ts'
import type { EngineOptions } from '#engine/run/engine.ts'
import { subjectToken } from '#engine/actor/subject.ts'
import type { SentSignal } from '#engine/actor/turn.ts'
import type { Source } from '#http/live/streams.ts'
import { deadLetterRecorded } from '#streams/live/messages.ts'
import { Teller } from '#streams/live/teller.ts'
import type { Connections } from '#config/state/connect.ts'

const subjectOf = (orgId: string): string => `tidemark.live.org.${subjectToken(orgId)}`
/** Tells all processes that any stream may have missed events. */
const missedSubject = 'tidemark.live.missed'
/** Milliseconds for the server to confirm a subscription. */
const heardMs = 5_000

export const tellerOf = ({ nats, clock }: Pick<Connections, 'nats' | 'clock'>): Teller =>
  new Teller(
    (orgId, told) => publish(nats, subjectOf(orgId), JSON.stringify(told)),
    (ms) => clock.sleep(ms),
  )

/**
 * Does nothing on a closed connection: when the server is back, listeners are told that they may have missed events.
 */
function publish(nats: NatsConnection, subject: string, body = ''): void {
  if (!nats.isClosed()) nats.publish(subject, body)
}

export const sourceOf =
  (nats: NatsConnection): Source =>
  (orgId, hear) => {
    const heard = nats.subscribe(subjectOf(orgId), {
      callback: (error, message) => {
        if (!error) hear(message.json<SentSignal[]>())
      },
    })
    return { heard: flushInTime(nats), leave: () => heard.unsubscribe() }
  }

async function flushInTime(nats: NatsConnection): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('NATS is not responding')), heardMs)
  })
  try {
    await Promise.race([nats.flush(), late])
  } catch (error) {
    throw Fault.transient('unavailable', 'Live events are unavailable. Try again.', error)
  } finally {
    clearTimeout(timer)
  }
}

/** Calls `missed` whenever events may not have arrived here. */
export function watchMissed(nats: NatsConnection, missed: () => void): void {
  nats.subscribe(missedSubject, {
    callback: (error) => {
      if (!error) missed()
    },
  })
  whenBack(nats, missed)
}

/** Tells all processes, after every reconnect, that events from this process may have been lost. */
export const admitMissed = (nats: NatsConnection): void => whenBack(nats, () => publish(nats, missedSubject))

function whenBack(nats: NatsConnection, work: () => void): void {
  void (async () => {
    for await (const { type } of nats.status()) if (type === 'reconnect') work()
  })()
}

/** Publishes the live events of the engine's commits. `letterName` returns the public id of a dead letter. */
export const engineTells = (
  nats: NatsConnection,
  teller: Teller,
  letterName: (id: string) => string,
): Pick<EngineOptions, 'committed' | 'takenOver'> => ({
  committed: ({ signals, commit: { dead } }) => {
    for (const [orgId, own] of Map.groupBy(signals, (one) => one.orgId))
      teller.tell(
        orgId,
        own.map(({ told }) => told),
      )
    for (const { id, orgId, code } of dead)
      if (orgId !== '') teller.tell(orgId, [{ event: deadLetterRecorded.name, data: { id: letterName(id), code } }])
  },
  takenOver: () => publish(nats, missedSubject),
})
