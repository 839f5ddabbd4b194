/** One job of each kind, and by hand what Google is asked to create, what the job tells, and what leaves the inventory. */
import type { ProvisioningKind } from '#streams/cloud/provision.ts'
import { jobId, ownName } from './job.ts'

export interface ProvisionCase {
  title: string
  kind: ProvisioningKind
  config: Record<string, unknown>
  /** Collection and name, in order. */
  created: readonly string[]
  /** Bodies of requests, by collection and name. */
  bodies: Readonly<Record<string, object>>
  /** By step. */
  outputs: Readonly<Record<string, object>>
  /** Uids. */
  gone: readonly string[]
  secrets?: Readonly<Record<string, true>>
}

/** Tags as Google accepts labels. */
const labels = { team: 'shop-co', 'cost-center': '42', 'tidemark-job': jobId }

const repository = `//artifactregistry.googleapis.com/projects/shop-prod/locations/us-central1/repositories/${ownName}`

export const cases: readonly ProvisionCase[] = [
  {
    title: 'a registry',
    kind: 'registry',
    config: { name: 'shop/images', immutableTags: true },
    created: [`repositories/${ownName}`],
    bodies: {
      [`repositories/${ownName}`]: { format: 'DOCKER', dockerConfig: { immutableTags: true }, labels },
    },
    outputs: {
      create: { registryUid: repository, uri: `us-central1-docker.pkg.dev/shop-prod/${ownName}/shop/images` },
    },
    gone: [repository],
  },
]
