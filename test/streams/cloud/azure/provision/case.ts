/** Jobs in Azure, and what a test of a kind says. */
import * as calls from '#streams/cloud/azure/provision/index.ts'
import type { ClusterOptions } from '#streams/cloud/azure/cluster/cluster.ts'
import type { ProvisioningKind } from '#streams/cloud/provision.ts'
import { account, subscription } from '#test/streams/cloud/azure/answer-server.ts'
import { jobId, ProvisioningRun } from '#test/streams/cloud/provisioning-job.ts'

/** Of everything that the job creates. */
export const ownName = `tidemark-${jobId}`

/** The resource group of the job, as requests and as the inventory have it. */
export const group = `/subscriptions/${subscription}/resourceGroups/${ownName}`
export const groupUid = group.toLowerCase()

export class Job extends ProvisioningRun<ClusterOptions> {
  constructor(options: ClusterOptions, kind: ProvisioningKind, config: Record<string, unknown>, failed = () => {}) {
    super({ calls, options, account, region: 'westeurope', failed }, { jobId, kind, config })
  }
}

export interface ProvisionCase {
  title: string
  kind: ProvisioningKind
  config: Record<string, unknown>
  /** What others have created, by path. */
  before?: Readonly<Record<string, Record<string, unknown>>>
  /** Type and name, in order, after the group. */
  created: readonly string[]
  /** Bodies of requests, by type and name. */
  bodies: Readonly<Record<string, object>>
  /** By step. */
  outputs: Readonly<Record<string, object>>
  /** Uids. */
  gone: readonly string[]
  /** Names. */
  secrets?: readonly string[]
}

/** Tags as Azure accepts them. */
export const tags = { team: 'Shop & Co', 'Cost:Center': '42', 'tidemark:job': jobId }
