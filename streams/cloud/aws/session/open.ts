/** How a call of the connector comes to its session. */
import type { CloudAccount } from '#streams/cloud/connector.ts'
import { assumeRole } from './credentials.ts'
import { AwsSession, type AwsOptions } from './session.ts'

/** A session of its own for each call of the connector; closed when the call is over. Those of an account share its role for a while. */
export function openAws(account: CloudAccount, options: AwsOptions, signal?: AbortSignal): AwsSession {
  return new AwsSession(account, options, assumeRole(account, options), signal)
}

/** One that assumes the role itself, whatever others were given: for who wants to know whether that may be done. */
export const openAnew = (account: CloudAccount, options: AwsOptions): AwsSession =>
  new AwsSession(account, options, assumeRole(account, options, true))
