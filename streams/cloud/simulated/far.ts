import { bucketOf, cloudFault, type ActionOutcome, type Bucket, type CloudAccount } from '#streams/cloud/connector.ts'
import { faultOf, plannedVerdict, type Call, type Faults } from '#streams/cloud/simulated/faults.ts'
import type { PowerLog } from '#streams/cloud/simulated/power.ts'
import type { SimAccount, SimResource } from '#streams/cloud/simulated/resource.ts'
import type { World } from '#streams/cloud/simulated/world.ts'

/** A call somebody made, and how it ended. */
export interface MadeCall extends Call {
  at: Date
  outcome: 'ok' | Bucket
}

/** The far side of the simulated cloud: the world, and all that changes in it. */
export interface Far {
  now: () => Date
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  world: World
  log: PowerLog
  faults: Faults
  /** The newest 10,000, oldest first. */
  calls: MadeCall[]
  /** Outcomes of the newest 10,000 actions that had their effect, by account and action id. */
  done: Map<string, ActionOutcome>
}

export const rememberedMax = 10_000

/** False for accounts that their own producers feed: the simulated cloud knows nothing of what is in them. */
export const isSimulated = ({ externalId }: CloudAccount): boolean => externalId.startsWith('sim-')

/** Undefined for accounts of producers. @throws a `user_action` fault when the simulated cloud has no such account. */
export function simOf({ world }: Far, account: CloudAccount): SimAccount | undefined {
  if (!isSimulated(account)) return undefined
  const { provider, externalId } = account
  const sim = world.accounts.find((known) => known.externalId === externalId && known.provider === provider)
  if (sim) return sim
  throw cloudFault('user_action', 'account_not_found', `The simulated cloud has no ${provider} account ${externalId}.`)
}

/** The world's resource of that uid, if it is in the account. */
export function resourceOf(far: Far, account: CloudAccount, uid: string): SimResource | undefined {
  const sim = simOf(far, account)
  const resource = far.world.byUid.get(uid)
  return sim && resource?.account === sim ? resource : undefined
}

/** Notes the call and lets the plan strike it. @throws the fault the plan names, after its delay */
export async function beginCall(far: Far, call: Call, signal?: AbortSignal): Promise<void> {
  const error = await strikeCall(far, call, signal)
  if (error !== undefined) throw faultOf(error)
}

/** As `beginCall`, but hands the plan's error over as it is written. */
export async function strikeCall(far: Far, call: Call, signal?: AbortSignal): Promise<string | undefined> {
  const { delayMs, error } = far.faults.strike(call)
  const fails = error !== undefined && plannedVerdict(call.call, error) === undefined
  far.calls.push({ ...call, at: far.now(), outcome: fails ? bucketOf(faultOf(error)) : 'ok' })
  if (far.calls.length > rememberedMax) far.calls.shift()
  if (delayMs > 0) await far.sleep(delayMs, signal)
  return error
}
