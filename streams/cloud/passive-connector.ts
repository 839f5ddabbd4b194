/** Connectors of accounts that cannot be queried: they do nothing, because producers send the data. */
import type { Detail } from '#engine/value/fault.ts'
import { cloudFault, type Connector } from '#streams/cloud/connector.ts'

const lacking = 'This account has no credentials. Its resources, metrics and costs are sent by producers.'
const absent =
  'The service cannot connect to this cloud yet. The resources, metrics and costs of the account are sent by producers.'

async function* nothing(): AsyncGenerator<never> {}

/** For an account without credentials. */
export const fedConnector = (): Connector =>
  silent(lacking, { fixHint: 'Set credentials for the account: PATCH /cloud-accounts/{cloudAccountID}.' })

/** For an account in a cloud without a connector. */
export const absentConnector = (): Connector => silent(absent)

/** All calls throw a Fault `refused` `capability_missing` with this message. */
function silent(message: string, detail: Detail = {}): Connector {
  const refuse = async (): Promise<never> => {
    throw cloudFault('user_action', 'capability_missing', message, detail)
  }
  return {
    driver: 'none',
    verify: async () => ({ verdict: 'unknown', missingPermissions: [], message }),
    discover: () => ({ seen: [], pages: nothing() }),
    measure: nothing,
    usage: nothing,
    bill: nothing,
    repeats: {},
    infrastructureFor: [],
    act: refuse,
    look: refuse,
    access: refuse,
    policies: refuse,
    replacePolicies: refuse,
    quotas: refuse,
    createInfrastructure: refuse,
    provisions: [],
    provision: refuse,
    unprovision: refuse,
    describe: refuse,
    createDatabase: refuse,
    dropDatabase: refuse,
  }
}
