/** Publishes many messages, as producers do. */
import { Publisher, type Event } from '#engine/run/publisher.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import type { Connections } from '#config/state/connect.ts'

/** Messages of ours that are not acknowledged yet. */
const flightMax = 256
/** Discoveries of a message. */
const packed = 200

export interface Found {
  orgId: string
  data: { resourceUid: string; cloudAccountId: string } & Record<string, unknown>
}

/** Keeps a bounded number of them in flight. */
export async function each(count: number, work: (i: number) => Promise<unknown>, max = flightMax): Promise<void> {
  let next = 0
  const worker = async () => {
    for (let i = next++; i < count; i = next++) await work(i)
  }
  await Promise.all(Array.from({ length: max }, worker))
}

/** Discoveries, 200 of an account a message. */
export async function publishFound(c: Connections, found: readonly Found[]): Promise<void> {
  const publisher = new Publisher(c.log, c.clock, 'bench')
  const places = [...Map.groupBy(found, ({ orgId, data }) => `${orgId}/${data.cloudAccountId}`)]
  const messages = places.flatMap(([place, list]) =>
    Array.from({ length: Math.ceil(list.length / packed) }, (_, n) => ({
      id: `found-${place}-${n}`,
      some: list.slice(n * packed, (n + 1) * packed),
    })),
  )
  await each(messages.length, async (n) => {
    const { id, some } = messages[n]!
    const events = some.map((one) => ({ subject: resourceDiscovered, ...one })) as unknown as [Event, ...Event[]]
    await publisher.publishTogether(id, events)
  })
}
