/** How a call of the connector comes to its session. */
import type { CloudAccount } from '#streams/cloud/connector.ts'
import { assumed } from './credentials.ts'
import { AwsSession, type AwsOptions } from './session.ts'

/** A session of its own for each call of the connector; closed when the call is over. */
export const openAws = (account: CloudAccount, options: AwsOptions, signal?: AbortSignal): AwsSession =>
  new AwsSession(account, options, assumed(account, options), signal)
