/** Our side of every cloud: an account chooses its own by what it is. */
import type { CloudAccount, Connector, Driver } from '#streams/cloud/connector.ts'
import { fedConnector } from '#streams/cloud/fed.ts'
import { simulatedCloud, type SimulatedCloud, type SimulatedCloudOptions } from '#streams/cloud/simulated/connector.ts'
import { isSimulated } from '#streams/cloud/simulated/far.ts'
import type { Provider } from '#streams/names.ts'

/** Credentials that are left out may be any: of such an account only what its provider has is asked. */
export type Placed = Pick<CloudAccount, 'provider' | 'externalId'> & Partial<Pick<CloudAccount, 'credentials'>>

export interface Clouds {
  /** The cloud the account is in. */
  of: (account: Placed) => Connector
  driverOf: (account: Placed) => Driver
  /** Driven by test hooks and by the demo organization. */
  simulated: SimulatedCloud
}

/** Connectors of clouds as they are; a cloud that has none here is simulated. */
export type RealClouds = Readonly<Partial<Record<Provider, Connector>>>

/** Without `real` all accounts are simulated. With it those are whose externalId begins with `sim-`. */
export function cloudsOf(options: SimulatedCloudOptions, real?: RealClouds): Clouds {
  const simulated = simulatedCloud(options)
  const of = (account: Placed): Connector => {
    const own = real?.[account.provider]
    if (own === undefined || isSimulated(account)) return simulated
    return account.credentials === null ? fedConnector(own) : own
  }
  return { of, driverOf: (account) => of(account).driver, simulated }
}
