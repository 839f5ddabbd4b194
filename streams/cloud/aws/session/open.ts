/** Opens sessions for calls of the connector. */
import type { CloudAccount } from '#streams/cloud/connector.ts'
import { assumeRole } from './credentials.ts'
import { AwsSession, type AwsOptions } from './session.ts'

/**
 * A separate session for each call of the connector, closed after the call. Sessions of an account share its
 * credentials for a while.
 */
export function openAws(account: CloudAccount, options: AwsOptions, signal?: AbortSignal): AwsSession {
  return new AwsSession(account, options, assumeRole(account, options), signal)
}

/** A session that assumes the role itself, ignoring cached credentials, to check whether that is permitted. */
export const openAnew = (account: CloudAccount, options: AwsOptions): AwsSession =>
  new AwsSession(account, options, assumeRole(account, options, true))
