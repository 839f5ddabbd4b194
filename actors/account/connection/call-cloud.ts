/** One call to the cloud of an account. */
import { noticingRefusal } from './refusal.ts'
import type { Tools } from '#actors/tools.ts'
import type { EffectCall } from '#engine/run/effect.ts'
import { Fault } from '#engine/value/fault.ts'
import type { Clock } from '#engine/actor/ports.ts'
import type { CloudAccount, Connector } from '#streams/cloud/connector.ts'

export type AskingTools = Pick<Tools, 'publisher' | 'cloudOf' | 'clock' | 'now' | 'reads'>

/** Milliseconds a cloud may take to answer. */
const answerMs = 60_000

/** One call to the cloud of the account, which hears of it where its credentials are refused. @throws what the cloud throws, and as `answered` */
export const callCloud = <T>(
  tools: AskingTools,
  account: CloudAccount,
  call: EffectCall,
  ask: (cloud: Connector) => Promise<T>,
): Promise<T> =>
  noticingRefusal(tools, { orgId: call.orgId, cloudAccountId: account.id, key: call.key }, () =>
    awaitAnswer(ask(tools.cloudOf(account)), tools.clock, call),
  )

/** @throws Fault `transient` where the cloud does not answer in time, or this process ends first */
async function awaitAnswer<T>(answer: Promise<T>, clock: Clock, { signal }: EffectCall): Promise<T> {
  const over = new AbortController()
  const late = async (): Promise<never> => {
    await clock.sleep(answerMs, AbortSignal.any([over.signal, signal]))
    // It was answered: nobody reads this, and a fault with its stack costs more than many an answer.
    if (over.signal.aborted) return undefined as never
    throw Fault.transient('no_answer', 'The cloud did not answer within 60 seconds.')
  }
  try {
    return await Promise.race([answer, late()])
  } finally {
    over.abort()
  }
}
