/** The connectors of all clouds, and the choice of an account's. */
import type { CloudAccount, Connector } from '#streams/cloud/connector.ts'
import { absentConnector, fedConnector } from '#streams/cloud/passive-connector.ts'
import { simulatedCloud, type SimulatedCloud, type SimulatedCloudOptions } from '#streams/cloud/simulated/connector.ts'
import { isSimulated } from '#streams/cloud/simulated/state/cloud-state.ts'
import { isOwnCluster } from '#streams/cloud/kubernetes/own/account.ts'
import type { Provider } from '#streams/names.ts'

/** Credentials may be left out: then only the provider decides. */
export type AccountIdentity = Pick<CloudAccount, 'provider' | 'externalId'> & Partial<Pick<CloudAccount, 'credentials'>>

export interface Clouds {
  /** The cloud of an account. */
  of: (account: AccountIdentity) => Connector
  /** Controlled by test hooks and the demo organization. */
  simulated: SimulatedCloud
}

/** Connectors of real clouds, and of clusters without a cloud account. */
export type RealClouds = Readonly<Partial<Record<Provider | 'cluster', Connector>>>

/** Without `real`, all accounts are simulated. With it, only those whose externalId begins with `sim-`. */
export function cloudsOf(options: SimulatedCloudOptions, real?: RealClouds): Clouds {
  const simulated = simulatedCloud(options)
  const of = (account: AccountIdentity): Connector => {
    if (real === undefined || isSimulated(account)) return simulated
    return account.credentials === null
      ? fedConnector()
      : (real[isOwnCluster(account) ? 'cluster' : account.provider] ?? absentConnector())
  }
  return { of, simulated }
}
