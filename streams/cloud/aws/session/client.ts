/** A client of one service of AWS, and what it is made with. */
import type { AwsCredentialIdentityProvider } from '@smithy/types'

/** What all of its clients have in common. */
export interface AwsClient {
  send(command: unknown, options: { abortSignal: AbortSignal }): Promise<unknown>
  destroy(): void
}

export interface ClientConfig {
  region: string
  credentials: AwsCredentialIdentityProvider
  /** 1: whoever asks counts the tries. */
  maxAttempts: number
  endpoint?: string
  forcePathStyle?: boolean
}
