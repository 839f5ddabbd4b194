/** The connector of accounts without credentials: nothing is asked or done, they are what producers send. */
import { cloudFault, type Connector } from '#streams/cloud/connector.ts'

const lacking = 'This account has no credentials: its resources, metrics and costs are what producers send.'

/** @throws Fault `refused` `capability_missing`, always */
async function refuse(): Promise<never> {
  const fixHint = 'Give the account credentials of its cloud: PATCH /cloud-accounts/{cloudAccountID}.'
  throw cloudFault('user_action', 'capability_missing', lacking, { fixHint })
}

async function* nothing(): AsyncGenerator<never> {}

export const fedConnector = ({ infrastructureFor, repeats }: Connector): Connector => ({
  driver: 'none',
  verify: async () => ({ verdict: 'unknown', missingPermissions: [], message: lacking }),
  discover: () => ({ seen: [], pages: nothing() }),
  measure: nothing,
  bill: nothing,
  repeats,
  infrastructureFor,
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
})
