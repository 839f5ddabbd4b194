/** What a test of a kind says, and what is the same in all of them. */
import type { ProvisioningKind } from '#streams/cloud/provision.ts'
import { jobId } from './job.ts'

export interface ProvisionCase {
  title: string
  kind: ProvisioningKind
  config: Record<string, unknown>
  /** What others have created, by path. */
  before?: Readonly<Record<string, Record<string, unknown>>>
  /** Collection and name, in order. */
  created: readonly string[]
  /** Bodies of requests, by collection and name. */
  bodies: Readonly<Record<string, object>>
  /** By step. */
  outputs: Readonly<Record<string, object>>
  /** Uids. */
  gone: readonly string[]
  /** Names. */
  secrets?: readonly string[]
  /** One whose creation has failed is not created again: its job has to be deleted. */
  isFinal?: true
}

/** Tags as Google accepts labels. */
export const labels = { team: 'shop-co', 'cost-center': '42', 'tidemark-job': jobId }

export const description = `Tidemark job ${jobId}`
export const region = 'projects/shop-prod/regions/us-central1'
