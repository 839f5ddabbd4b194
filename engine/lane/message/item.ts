/** What a lane reads, message by message, and the batches in which it runs them. */
import type { Fault } from '#engine/value/fault.ts'
import { isRefusal, type Message, type MessageRefusal } from './message.ts'

export type Item = Message | MessageRefusal

/** As a message that is dead-lettered with `fault`: only this one, even if it was packed with others. */
export const setAside = (item: Item, fault: Fault): MessageRefusal => ({
  log: item.log,
  index: item.index,
  fault,
  orgId: item.orgId,
  place: item.place,
  ...(item.reminded && { reminded: item.reminded }),
  type: isRefusal(item) ? item.type : item.envelope.type,
  messageId: isRefusal(item) ? item.messageId : item.envelope.id,
  body: isRefusal(item) ? item.body : Buffer.from(JSON.stringify(item.envelope)),
})

/** Whether this version does not know its type. */
export const isUnknown = (item: Item): boolean => isRefusal(item) && item.fault.code === 'unknown_type'

export const isBarrier = (item: Item): boolean =>
  !isRefusal(item) && item.receivers.some((r) => r.reaction.barrier === true)

/** A message that must run alone is a batch of its own; one that was packed with others is forwarded on its own. */
export function* batchParts(items: Item[]): Generator<Item[]> {
  let part: Item[] = []
  for (const one of bySequence(items)) {
    if (one.length > 1) {
      for (const item of one) if (!isRefusal(item) && isBarrier(item)) item.forward = item.log.subject.split('.')[2]!
      part.push(...one)
    } else if (isBarrier(one[0]!)) {
      if (part.length > 0) yield part
      yield one
      part = []
    } else part.push(...one)
  }
  if (part.length > 0) yield part
}

export const bySequence = (items: Item[]): Item[][] => [...Map.groupBy(items, (item) => item.log.seq).values()]
