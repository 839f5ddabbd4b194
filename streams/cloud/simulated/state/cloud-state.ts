import { bucketOf, cloudFault, type CloudAccount } from '#streams/cloud/connector.ts'
import { plannedFault, plannedVerdict, type Blow, type Call } from './faults.ts'
import type { Ledger, MadeCall } from './ledger.ts'
import { madeResource } from '#streams/cloud/simulated/provision/provisioned-resources.ts'
import { accountsWithoutResources } from '#streams/cloud/simulated/bill/payer.ts'
import type { SimAccount, SimResource } from '#streams/cloud/simulated/world/resource.ts'
import type { World } from '#streams/cloud/simulated/world/world.ts'

/** The simulated cloud's side: the world, and everything that changes in it. */
export interface Far {
  now: () => Date
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  world: World
  ledger: Ledger
}

/** False for accounts with producers: the simulated cloud does not know their content. */
export const isSimulated = ({ externalId }: Pick<CloudAccount, 'externalId'>): boolean => externalId.startsWith('sim-')

/** Undefined for accounts of producers. @throws a `user_action` fault if the simulated cloud has no such account */
export function simOf({ world }: Far, account: CloudAccount): SimAccount | undefined {
  if (!isSimulated(account)) return undefined
  const { provider, externalId } = account
  const all = [...world.accounts, ...accountsWithoutResources]
  const sim = all.find((known) => known.externalId === externalId && known.provider === provider)
  if (sim) return sim
  throw cloudFault('user_action', 'account_not_found', `The simulated cloud has no ${provider} account ${externalId}.`)
}

/** A resource of the world or one that was provisioned, if it is in the account. */
export function resourceOf(far: Far, account: CloudAccount, uid: string): SimResource | undefined {
  const sim = simOf(far, account)
  const made = madeResource(far.ledger.log, account, sim, uid)
  if (made) return made
  const resource = far.world.byUid.get(uid)
  return sim && resource?.account === sim ? resource : undefined
}

/** Records the call and applies the fault plan. @throws the planned fault, after its delay */
export async function beginCall(far: Far, call: Call, signal?: AbortSignal): Promise<void> {
  const error = await strikeCall(far, call, signal)
  if (error !== undefined) throw plannedFault(error)
}

/** Like `beginCall`, but returns the planned error's text. */
export async function strikeCall(far: Far, call: Call, signal?: AbortSignal): Promise<string | undefined> {
  const { delayMs, error } = far.ledger.note(() => {
    const { struck, ...blow } = far.ledger.aimAt(call)
    const made = { ...call, outcome: outcomeOf(call, blow) }
    return { ...blow, entry: { at: far.now(), call: made, ...(struck && { struck }) } }
  })
  if (delayMs > 0) await far.sleep(delayMs, signal)
  return error
}

/** The outcome of a call according to the plan; a planned verdict is an answer. */
export function outcomeOf({ call }: Call, { error }: Blow): MadeCall['outcome'] {
  const fails = error !== undefined && plannedVerdict(call, error) === undefined
  return fails ? bucketOf(plannedFault(error)) : 'ok'
}
