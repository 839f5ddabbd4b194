/** Connectors of accounts that cannot be asked: nothing is asked or done, they are what producers send. */
import type { Detail } from '#engine/value/fault.ts'
import { cloudFault, type Connector } from '#streams/cloud/connector.ts'

const lacking = 'This account has no credentials. Its resources, metrics and costs are sent by producers.'
const absent =
  'The service cannot connect to this cloud yet. The resources, metrics and costs of the account are sent by producers.'

async function* nothing(): AsyncGenerator<never> {}

/** Of an account without credentials. */
export const fedConnector = (): Connector =>
  silent(lacking, { fixHint: 'Set credentials for the account: PATCH /cloud-accounts/{cloudAccountID}.' })

/** Of an account at a cloud that there is no connector of. */
export const absentConnector = (): Connector => silent(absent)

/** What it cannot do ends with a Fault `refused` `capability_missing` of these words. */
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
