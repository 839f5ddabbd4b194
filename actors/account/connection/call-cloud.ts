import { noticingRefusal } from './refusal.ts'
import type { Tools } from '#actors/tools.ts'
import type { EffectCall } from '#engine/run/effect.ts'
import { Fault } from '#engine/value/fault.ts'
import type { Clock } from '#engine/actor/ports.ts'
import type { CloudAccount, Connector } from '#streams/cloud/connector.ts'

export type AskingTools = Pick<Tools, 'publisher' | 'cloudOf' | 'clock' | 'now' | 'reads'>

/** Maximum milliseconds until a cloud answers. */
const answerMs = 60_000

/**
 * Makes one call to the cloud of the account. If the cloud refuses the credentials, the account is notified.
 * @throws what the cloud throws, and as `awaitAnswer`
 */
export const callCloud = <T>(
  tools: AskingTools,
  account: CloudAccount,
  call: EffectCall,
  ask: (cloud: Connector) => Promise<T>,
): Promise<T> =>
  noticingRefusal(tools, { orgId: call.orgId, cloudAccountId: account.id, key: call.key }, () =>
    awaitAnswer(ask(tools.cloudOf(account)), tools.clock, call),
  )

/** @throws Fault `transient` if the cloud does not answer in time, or this process ends first */
async function awaitAnswer<T>(answer: Promise<T>, clock: Clock, { signal }: EffectCall): Promise<T> {
  const over = new AbortController()
  const late = async (): Promise<never> => {
    await clock.sleep(answerMs, AbortSignal.any([over.signal, signal]))
    // The answer has arrived, so nobody reads this result; creating a fault with its stack would cost more than many
    // answers.
    if (over.signal.aborted) return undefined as never
    throw Fault.transient('no_answer', 'The cloud did not answer within 60 seconds.')
  }
  try {
    return await Promise.race([answer, late()])
  } finally {
    over.abort()
  }
}
