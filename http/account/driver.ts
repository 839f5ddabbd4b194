/** Requests about an account; every endpoint that shows one uses the same names. */
import type { CloudAccount } from '#actors/account/entity.ts'
import { t } from '#engine/value/schema.ts'
import type { Services } from '#http/edge/services.ts'
import { drivers, type Driver as Name } from '#streams/cloud/connector.ts'
import { isProvider } from '#streams/names.ts'

export const Driver = t.Enum(drivers, {
  description:
    'the source of its data: real, the cloud itself; simulated, a simulated cloud of this installation; none, only what producers send',
})

type ProviderAccount = Pick<CloudAccount, 'provider' | 'externalId' | 'credentials'>

/** An account whose cloud is still unknown is fed by producers. */
export const driverOf = ({ provider, externalId, credentials }: ProviderAccount, cloudOf: Services['cloudOf']): Name =>
  isProvider(provider) ? cloudOf({ provider, externalId, credentials }).driver : 'none'
