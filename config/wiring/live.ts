/**
 * What is told at once goes from the processes that make it to those that have listeners over NATS, without a store: one subject
 * for each organization, within the service's account, which no other user of the server can reach.
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
/** All streams of all processes may have missed something. */
const missedSubject = 'tidemark.live.missed'
/** So long the server may take to know that somebody listens, milliseconds. */
const heardMs = 5_000

export const tellerOf = ({ nats, clock }: Pick<Connections, 'nats' | 'clock'>): Teller =>
  new Teller(
    (orgId, told) => publish(nats, subjectOf(orgId), JSON.stringify(told)),
    (ms) => clock.sleep(ms),
  )

/** A connection that is closed tells nobody: who listened is told when the server is back that something may be missing. */
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

/** Calls `missed` whenever what was told may not have come here. */
export function watchMissed(nats: NatsConnection, missed: () => void): void {
  nats.subscribe(missedSubject, {
    callback: (error) => {
      if (!error) missed()
    },
  })
  whenBack(nats, missed)
}

/** Says to all processes that what this one told may not have gone out, whenever that may be so. */
export const admitMissed = (nats: NatsConnection): void => whenBack(nats, () => publish(nats, missedSubject))

function whenBack(nats: NatsConnection, work: () => void): void {
  void (async () => {
    for await (const { type } of nats.status()) if (type === 'reconnect') work()
  })()
}

/** What the engine tells of its commits; `letterName` names what was set aside as the API does. */
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
