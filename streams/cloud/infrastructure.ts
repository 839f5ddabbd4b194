/** Which accounts need something of ours at their cloud before policies can do anything there. */
import type { CloudAccount } from '#streams/cloud/connector.ts'
import { isSimulated } from '#streams/cloud/simulated/far.ts'

/** What is looked at of an account; credentials sealed or opened, null where it has none. */
export interface Placed {
  provider: string
  externalId: string
  credentials: CloudAccount['credentials']
}

/** They change by what their own cloud tells, which has to be forwarded. */
const forwarded: readonly string[] = ['aws-asg', 'aws-ecs-service']

/**
 * Whether policies for targets of the type need the role and the function of `createInfrastructure`: those of real accounts of AWS
 * alone. Everything of the simulated cloud works at once, and so do accounts that producers feed: without credentials nothing can be
 * made at their cloud.
 */
export const needsInfrastructure = ({ provider, externalId, credentials }: Placed, targetType: string): boolean =>
  provider === 'aws' && credentials !== null && !isSimulated({ externalId }) && forwarded.includes(targetType)
