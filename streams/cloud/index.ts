/** Our side of every cloud: an account chooses its own by what it is. */
import type { CloudAccount, Connector } from '#streams/cloud/connector.ts'
import { absentConnector, fedConnector } from '#streams/cloud/fed.ts'
import { simulatedCloud, type SimulatedCloud, type SimulatedCloudOptions } from '#streams/cloud/simulated/connector.ts'
import { isSimulated } from '#streams/cloud/simulated/state/far.ts'
import type { Provider } from '#streams/names.ts'

/** Credentials that are left out may be any: of such an account only what its provider has is asked. */
export type Placed = Pick<CloudAccount, 'provider' | 'externalId'> & Partial<Pick<CloudAccount, 'credentials'>>

export interface Clouds {
  /** The cloud the account is in. */
  of: (account: Placed) => Connector
  /** Driven by test hooks and by the demo organization. */
  simulated: SimulatedCloud
}

/** Connectors of clouds as they are. */
export type RealClouds = Readonly<Partial<Record<Provider, Connector>>>

/** Without `real` all accounts are simulated. With it those are whose externalId begins with `sim-`. */
export function cloudsOf(options: SimulatedCloudOptions, real?: RealClouds): Clouds {
  const simulated = simulatedCloud(options)
  const of = (account: Placed): Connector => {
    if (real === undefined || isSimulated(account)) return simulated
    return account.credentials === null ? fedConnector() : (real[account.provider] ?? absentConnector())
  }
  return { of, simulated }
}
