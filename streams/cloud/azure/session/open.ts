/** How a call of the connector comes to its session. */
import type { CloudAccount } from '#streams/cloud/connector.ts'
import { AzureSession, type AzureOptions } from './session.ts'

/** A session of its own for each call of the connector; those of an account share its tokens. */
export const openAzure = (account: CloudAccount, options: AzureOptions, signal?: AbortSignal): AzureSession =>
  new AzureSession(account, options, signal)
