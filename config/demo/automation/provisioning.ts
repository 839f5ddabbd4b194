/** Provisioning in the demo organization: a database server that becomes ready, and machines that exceed a quota. */
import { spaceIdOf } from '#actors/catalog/job/advance.ts'
import { Fault } from '#engine/value/fault.ts'
import { uuidOf } from '#engine/value/id.ts'
import { patiently } from '#config/demo/retry.ts'
import type { Running } from '#config/product/product.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { provisioningBegun, spaceSaved } from '#streams/catalog.ts'
import type { ProvisioningKind } from '#streams/cloud/provision.ts'

/** The account of the simulated cloud where it is provisioned. Components can be installed in its cluster. */
const account = 'sim-aws-staging'
const region = 'us-east-1'

const accountSql = `select id from cloud_account where org_id = $1 and external_id = $2 and status in ('connected', 'degraded')`
const clusterSql = `
  select uid, name, region from resource
  where org_id = $1 and cloud_account_id = $2 and type = 'aws-eks' and deleted_at is null order by name limit 1`

interface Cluster {
  uid: string
  name: string
  region: string
}

const jobs: readonly { kind: ProvisioningKind; name: string; config: Record<string, unknown> }[] = [
  {
    kind: 'datastore',
    name: 'Orders of the team',
    config: {
      engine: 'postgres',
      version: '16',
      instanceClass: 'db.t3.medium',
      allocatedStorageGB: 50,
      multiAZ: false,
      backupRetentionDays: 7,
    },
  },
  {
    kind: 'vm_pool',
    name: 'Load generators',
    // Exceeds the quota of the simulated cloud.
    config: {
      name: 'load-generators',
      instanceType: 'm5.large',
      min: 1,
      max: 500,
      createLoadBalancer: false,
      listenerPorts: [],
    },
  },
]

/** Creates each once: the object's id is also the id of its message. The jobs then end by themselves. */
export async function makeProvisioning(running: Running, orgId: string): Promise<void> {
  const { store } = running.connections
  const [found] = await store.rows<{ id: string }>(accountSql, [orgId, account])
  if (!found) return
  const [cluster] = await store.rows<Cluster>(clusterSql, [orgId, found.id])
  if (cluster)
    await makeSpace(running, orgId, found.id, { name: cluster.name, region: cluster.region, uid: cluster.uid })
  const spaceId = await makeSpace(running, orgId, found.id, { name: 'Staging', region, uid: null })
  for (const job of jobs) await begin(running, orgId, { account: found.id, spaceId }, job)
}

/** Returns the space's id. An existing space made by a person is used as it is. */
async function makeSpace(
  { product }: Running,
  orgId: string,
  cloudAccountId: string,
  { name, region, uid: clusterUid }: { name: string; region: string; uid: string | null },
): Promise<string> {
  const spaceId = spaceIdOf(orgId, cloudAccountId, region, clusterUid)
  const kind = clusterUid === null ? ('account_region' as const) : ('cluster' as const)
  const place = { spaceId, cloudAccountId, provider: 'aws', region, kind, clusterUid }
  const data = { ...place, isNew: true as const, name, userId: 'demo' }
  await unlessThere(() => product.get(tokens.asker).ask(spaceSaved, orgId, data, spaceId))
  return spaceId
}

async function begin(
  { product }: Running,
  orgId: string,
  { account: cloudAccountId, spaceId }: { account: string; spaceId: string },
  { kind, name, config }: (typeof jobs)[number],
): Promise<void> {
  const jobId = uuidOf('demo', orgId, 'provisioning', kind)
  const place = { spaceId, provider: 'aws', region, clusterUid: null }
  const what = { kind, name, config, tags: { team: 'platform' }, expiresAt: null, userId: 'demo' }
  const data = { cloudAccountId, jobId, ...place, ...what }
  await unlessThere(() => product.get(tokens.asker).ask(provisioningBegun, orgId, data, jobId))
}

/** What people have made, disabled or deleted meanwhile stays as it is. */
async function unlessThere(make: () => Promise<unknown>): Promise<void> {
  try {
    await patiently(make)
  } catch (error) {
    if (!(error instanceof Fault) || !['conflict', 'missing', 'refused'].includes(error.kind)) throw error
  }
}
