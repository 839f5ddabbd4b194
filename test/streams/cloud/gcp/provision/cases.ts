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

const description = `Tidemark job ${jobId}`
const region = 'projects/shop-prod/regions/us-central1'
/** `Private_B` in Google's letters, with the beginning of its SHA-256, because `private-b` is another name. */
const privateSubnet = `${ownName}-private-b-91ba1f`

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
  {
    title: 'a network',
    kind: 'network',
    config: {
      name: 'shop',
      cidr: '10.20.0.0/16',
      subnets: [
        { name: 'public-a', cidr: '10.20.0.0/20', zone: 'us-central1-a', public: true },
        { name: 'Private_B', cidr: '10.20.128.0/20', public: false },
      ],
    },
    created: [`networks/${ownName}`, `subnetworks/${ownName}-public-a`, `subnetworks/${privateSubnet}`],
    bodies: {
      [`networks/${ownName}`]: {
        name: ownName,
        description,
        autoCreateSubnetworks: false,
        routingConfig: { routingMode: 'REGIONAL' },
      },
      [`subnetworks/${ownName}-public-a`]: {
        name: `${ownName}-public-a`,
        description,
        network: `projects/shop-prod/global/networks/${ownName}`,
        ipCidrRange: '10.20.0.0/20',
        privateIpGoogleAccess: true,
      },
    },
    outputs: {
      create: {
        networkUid: `projects/shop-prod/global/networks/${ownName}`,
        name: ownName,
        subnets: [
          { name: 'public-a', uid: `${region}/subnetworks/${ownName}-public-a` },
          { name: 'Private_B', uid: `${region}/subnetworks/${privateSubnet}` },
        ],
      },
    },
    gone: [
      `projects/shop-prod/global/networks/${ownName}`,
      `${region}/subnetworks/${ownName}-public-a`,
      `${region}/subnetworks/${privateSubnet}`,
    ],
  },
]
