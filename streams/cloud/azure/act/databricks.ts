/** What runs inside of workspaces of Databricks. In which of them is looked for: what the inventory says decides nothing. */
import type { Capacity } from '#streams/cloud/connector.ts'
import { inside } from '#streams/cloud/azure/map/databricks.ts'
import { numberAt } from '#streams/cloud/azure/map/resource.ts'
import { apis, askIn, hostOf, workspaceVersion, type InsideType } from '#streams/cloud/azure/session/workspace.ts'
import type { Item } from '#streams/cloud/azure/session/session.ts'
import { absent, ignoreNotFound } from '#streams/cloud/resource/verb/kind.ts'
import { wholeCounts } from '#streams/cloud/resource/verb/units.ts'
import { seenAs, type At, type AzureKind, type AzureState } from './kind.ts'

interface HostedState extends AzureState {
  host: string
}

/** In the workspaces of the subscription, one after the other; the one that the inventory names first. */
async function foundIn(at: At, type: InsideType): Promise<HostedState | undefined> {
  const call = {
    path: at.session.path('/providers/Microsoft.Databricks/workspaces'),
    query: { 'api-version': workspaceVersion },
  }
  const all = (await Array.fromAsync(at.session.pages(call))).flat()
  const named = at.ref.specs?.['workspace_url']
  const isNamed = (one: Item) => `https://${hostOf(one)}` === named
  for (const workspace of [...all.filter(isNamed), ...all.filter((one) => !isNamed(one))]) {
    const host = hostOf(workspace)
    if (host === undefined) continue
    const { get, id } = apis[type]
    const isPath = get.endsWith('/')
    const path = isPath ? `${get}${encodeURIComponent(at.id)}` : get
    const item = await ignoreNotFound(askIn(at.session, host, { path, query: isPath ? {} : { [id]: at.id } }))
    if (item) return { ...seenAs({ ...item, id: at.id } as Item, (one) => inside(type, one, workspace)), host }
  }
  return undefined
}

const lookFor =
  (type: InsideType): AzureKind['look'] =>
  async (at) => {
    const found = await foundIn(at, type)
    if (!found) return absent
    return type === 'azure-databricks-instance-pool' ? { ...found, capacity: capacityOf(found) } : found
  }

/** Asks the workspace that has it. */
async function postToWorkspace(at: At, type: InsideType, path: string, body: object): Promise<void> {
  const found = await foundIn(at, type)
  if (found) await askIn(at.session, found.host, { method: 'POST', path, body })
}

const onOff = (
  type: InsideType,
  start: (at: At) => [string, object],
  stop: (at: At) => [string, object],
): AzureKind => {
  const look = lookFor(type)
  return {
    look,
    start: (at) => postToWorkspace(at, type, ...start(at)),
    stop: (at) => postToWorkspace(at, type, ...stop(at)),
  }
}

const clusterId = ({ id }: At) => ({ cluster_id: id })

/** Deleted is what Databricks calls one that is ended and can be started again. */
const cluster = onOff(
  'azure-databricks-cluster',
  (at) => ['/api/2.1/clusters/start', clusterId(at)],
  (at) => ['/api/2.1/clusters/delete', clusterId(at)],
)

const warehouse = onOff(
  'azure-databricks-warehouse',
  ({ id }) => [`/api/2.0/sql/warehouses/${encodeURIComponent(id)}/start`, {}],
  ({ id }) => [`/api/2.0/sql/warehouses/${encodeURIComponent(id)}/stop`, {}],
)

const pools = 'azure-databricks-instance-pool'
/** A pool without a bound of its own. */
const machinesMax = 1000

/** What is counted are the machines that it keeps idle: others come and go with the clusters that use it. */
function capacityOf({ item }: AzureState): Capacity {
  const idle = numberAt(item, 'min_idle_instances') ?? 0
  return { min: 0, max: numberAt(item, 'max_capacity') ?? machinesMax, desired: idle }
}

/** Its name and the type of its nodes have to be said again; what is not said is taken away. */
async function idle(at: At, count: number, { item }: AzureState): Promise<void> {
  const kept = ['instance_pool_name', 'node_type_id', 'max_capacity', 'idle_instance_autotermination_minutes'] as const
  const members = kept.flatMap((name) => (item?.[name] === undefined ? [] : [[name, item[name]] as const]))
  const body = { instance_pool_id: at.id, ...Object.fromEntries(members), min_idle_instances: count }
  await postToWorkspace(at, pools, '/api/2.0/instance-pools/edit', body)
}

const lookPool = lookFor(pools)

/** A stop keeps none; what still works there goes on until its clusters end. */
const pool: AzureKind = {
  look: lookPool,
  start: (at, seen, { params = {} }) => idle(at, params.desired || 1, seen),
  stop: async (at, seen) => {
    if (seen.capacity?.desired !== 0) await idle(at, 0, seen)
  },
  scale: wholeCounts(
    (at, { desired }, seen) => idle(at, desired, seen),
    ({ desired }, seen: AzureState) => ({ ...capacityOf(seen), desired }),
  ),
}

export const insideKinds: Readonly<Record<InsideType, AzureKind>> = {
  'azure-databricks-cluster': cluster,
  'azure-databricks-instance-pool': pool,
  'azure-databricks-warehouse': warehouse,
}
