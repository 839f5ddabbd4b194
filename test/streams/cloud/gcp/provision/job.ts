/** Jobs in Google Cloud. */
import * as calls from '#streams/cloud/gcp/provision/index.ts'
import type { ClusterOptions } from '#streams/cloud/gcp/cluster/cluster.ts'
import type { ProvisioningKind } from '#streams/cloud/provision.ts'
import { account } from '#test/streams/cloud/gcp/far-google.ts'
import { jobId, ProvisioningRun } from '#test/streams/cloud/provisioning-job.ts'

export { jobId }
/** Of everything that the job creates. */
export const ownName = 'tidemark-0f9f2b9f6a01'

export class Job extends ProvisioningRun<ClusterOptions> {
  constructor(options: ClusterOptions, kind: ProvisioningKind, config: Record<string, unknown>, id = jobId) {
    super({ calls, options, account, region: 'us-central1' }, { jobId: id, kind, config })
  }
}
