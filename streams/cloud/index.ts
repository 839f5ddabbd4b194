/** Our side of every cloud: an account chooses its own by what it is. */
import type { CloudAccount, Connector } from '#streams/cloud/connector.ts'
import { simulatedCloud, type SimulatedCloud, type SimulatedCloudOptions } from '#streams/cloud/simulated/connector.ts'

type Placed = Pick<CloudAccount, 'provider' | 'externalId'>

interface Cloud {
  connector: Connector
  /** Whether the account is in it. */
  holds: (account: Placed) => boolean
}

export interface Clouds {
  /** The cloud the account is in. */
  of: (account: Placed) => Connector
  /** Driven by test hooks and by the demo organization. */
  simulated: SimulatedCloud
}

/** The first that holds an account answers for it; the simulated cloud is the last and holds what no other does. */
export function cloudsOf(options: SimulatedCloudOptions): Clouds {
  const simulated = simulatedCloud(options)
  const all: readonly Cloud[] = [{ connector: simulated, holds: () => true }]
  return { of: (account) => all.find((cloud) => cloud.holds(account))!.connector, simulated }
}
