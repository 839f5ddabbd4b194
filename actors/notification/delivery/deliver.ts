/**
 * Sends an event: one post or mail. The actor counts tries and their pauses. A repeat by another process has the same
 * delivery id, so that the receiver recognizes it.
 */
import { deliver, deliverMail, type DeliverInput } from './effect.ts'
import { recipients, type RecipientTools } from './recipient.ts'
import { send, type SendTools } from './send.ts'
import type { Tools } from '#actors/tools.ts'
import { ofStores, type EffectCall, type EffectWork } from '#engine/run/effect.ts'
import type { Pace } from '#engine/run/pace.ts'
import { connectionsMax } from '#streams/delivery/connection-pool.ts'
import type { DeliveryOutcome } from '#streams/delivery/outcome.ts'
import { deliveryReported } from '#streams/notification/messages.ts'
import { retries } from '#streams/retry.ts'

type DeliverTools = SendTools & RecipientTools & Pick<Tools, 'publisher' | 'pace' | 'report' | 'tried'>

/**
 * Calls to one channel at once. Without a pace, as many as the channel may have connections, so that no call waits for
 * another.
 */
const atOnce = 4
const atOnceUnpaced = connectionsMax

export const deliverWork = (tools: DeliverTools): EffectWork => workOf(tools, { name: deliver.name, pool: 'deliver' })

export const deliverMailWork = (tools: DeliverTools): EffectWork =>
  workOf(tools, { name: deliverMail.name, pool: 'mail' })

function workOf(tools: DeliverTools, of: Pick<EffectWork, 'name' | 'pool'>): EffectWork {
  const recipient = recipients(tools)
  const unreported = new UnreportedOutcomes()
  const tryOnce = async (
    { channelId, deliveryId, createdAt, event }: DeliverInput,
    orgId: string,
  ): Promise<TryOutcome> => {
    const to = await recipient(orgId, channelId)
    if ('gone' in to) return { outcome: 'final', responseStatus: 0, message: to.gone, isGone: true }
    const outcome = await send(tools, to, event, { deliveryId, createdAt }).catch(unwritten(tools))
    const sinceMs = tools.clock.now() - Date.parse(event.occurredAt)
    tools.tried({ channel: to.type, outcome: outcome.outcome, sinceMs })
    return outcome
  }
  const tell = async (input: DeliverInput, call: EffectCall, outcome: TryOutcome): Promise<void> => {
    await report(tools, input, call, outcome)
    unreported.delete(call.key)
  }
  const told = async (input: DeliverInput, call: EffectCall): Promise<void> => {
    const outcome = unreported.get(call.key) ?? (await tryOnce(input, call.orgId))
    unreported.set(call.key, outcome)
    await tell(input, call, outcome)
  }
  return {
    ...of,
    pace: paceOf(tools),
    // The receiver's answer is reported, not thrown: only failures of our own stores repeat the call.
    retry: retries.recordedCall,
    run: (input, call) => told(input as DeliverInput, call).catch(ofStores(call)),
    failed: (input, call, { message }) =>
      tell(input as DeliverInput, call, unreported.get(call.key) ?? { outcome: 'retry', responseStatus: 0, message }),
  }
}

/** `isGone`: the recipient no longer exists, and nothing was sent. */
type TryOutcome = DeliveryOutcome & { isGone?: true }

const paces = new WeakMap<object, Pace>()

/** One pace for both works: the limit of an organization is for its chats and mails together. */
function paceOf({ pace }: Pick<DeliverTools, 'pace'>): Pace {
  const made = paces.get(pace) ?? { atOnce: pace.perSecond > 0 ? atOnce : atOnceUnpaced, ...pace }
  paces.set(pace, made)
  return made
}

/**
 * Outcomes of tries that could not be reported yet, by the key of their call, so that nobody is notified again while
 * the stream is unavailable. Keeps the newest few thousand; the entry of a call that went to another process stays
 * until then.
 */
class UnreportedOutcomes extends Map<string, TryOutcome> {
  override set(key: string, outcome: TryOutcome): this {
    super.set(key, outcome)
    if (this.size > 4096) this.delete(this.keys().next().value!)
    return this
  }
}

/**
 * What a receiver does is an outcome, not an error. An error that is thrown is caused by the event, and would occur
 * again.
 */
const unwritten =
  ({ report: reporter }: Pick<DeliverTools, 'report'>) =>
  (error: unknown): DeliveryOutcome => {
    reporter.error({ err: error }, 'a notification could not be rendered')
    return { outcome: 'final', responseStatus: 0, message: 'The message could not be rendered (template).' }
  }

function report(
  { publisher }: DeliverTools,
  { channelId, deliveryId, tries }: DeliverInput,
  { key, orgId }: EffectCall,
  outcome: TryOutcome,
): Promise<void> {
  const data = { channelId, deliveryId, tries, ...outcome, message: outcome.message.slice(0, 1024) }
  return publisher.report({ subject: deliveryReported, orgId, data, id: key })
}
