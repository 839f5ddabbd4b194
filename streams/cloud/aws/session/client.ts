/** A client of one AWS service, and its configuration. */
import type { AwsCredentialIdentityProvider } from '@smithy/types'

/** The interface that all clients share. */
export interface AwsClient {
  send(command: unknown, options: { abortSignal: AbortSignal }): Promise<unknown>
  destroy(): void
}

export interface ClientConfig {
  region: string
  credentials: AwsCredentialIdentityProvider
  /** 1, because callers do the retries. */
  maxAttempts: number
  endpoint?: string
  forcePathStyle?: boolean
  /** The address of each request, instead of one with the account's number in its host. */
  endpointProvider?: () => { url: URL }
  /** How requests are sent, if not as the client does by itself. */
  requestHandler?: object
}
