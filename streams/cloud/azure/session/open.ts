/** Opens sessions for calls of the connector. */
import type { CloudAccount } from '#streams/cloud/connector.ts'
import { AzureSession, type AzureOptions } from './session.ts'

/** A separate session for each call of the connector; sessions of an account share its tokens. */
export const openAzure = (account: CloudAccount, options: AzureOptions, signal?: AbortSignal): AzureSession =>
  new AzureSession(account, options, signal)
