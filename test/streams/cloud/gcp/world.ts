/** A project of three regions, and what a scan of it comes to. */
import { Fault } from '#engine/value/fault.ts'
import { discoverGcp, type GcpDiscovery } from '#streams/cloud/gcp/discover/discover.ts'
import { openGcp } from '#streams/cloud/gcp/session/session.ts'
import type { CloudAccount, DiscoveredResource } from '#streams/cloud/connector.ts'
import type { ScanCoverage } from '#streams/refresh.ts'
import { account, farGoogle, type Answer, type FarGoogle, type FarOptions, type Question } from './far-google.ts'

export const project = 'shop-prod'
const zones = ['europe-west1-b', 'us-central1-a', 'us-east1-c']
const pages = 7
const pageSize = 6
const link = (path: string) => `https://www.googleapis.com/compute/v1/projects/${project}/${path}`

const machine = (zone: string, name: string) => ({
  name,
  id: `1${name.length}${zone.length}`,
  status: 'RUNNING',
  zone: link(`zones/${zone}`),
  selfLink: link(`zones/${zone}/instances/${name}`),
  machineType: link(`zones/${zone}/machineTypes/n2-standard-2`),
})
const disk = (zone: string, name: string) => ({
  name,
  selfLink: link(`zones/${zone}/disks/${name}`),
  type: link(`zones/${zone}/diskTypes/pd-ssd`),
  sizeGb: '20',
  users: [link(`zones/${zone}/instances/${name}`)],
})
const namesOn = (page: number) => Array.from({ length: pageSize }, (_, n) => `web-${page}-${n}`)

/** A page of a list of the whole project: something in each zone, and nothing in one more. */
function scoped(query: URLSearchParams, member: string, of: (zone: string, name: string) => object) {
  const page = Number(query.get('pageToken') ?? 0)
  const items = zones.map(
    (zone) => [`zones/${zone}`, { [member]: namesOn(page).map((name) => of(zone, name)) }] as const,
  )
  const empty = { warning: { code: 'NO_RESULTS_ON_PAGE', message: 'none' } }
  return {
    items: { ...Object.fromEntries(items), 'zones/asia-east1-a': empty },
    ...(page + 1 < pages && { nextPageToken: String(page + 1) }),
  }
}

const pool = link('zones/us-central1-a/instanceGroupManagers/gke-shop-default')
const answers: Readonly<Record<string, (query: URLSearchParams) => object>> = {
  instances: (query) => scoped(query, 'instances', machine),
  disks: (query) => scoped(query, 'disks', disk),
  instanceGroupManagers: () => ({
    items: {
      'zones/us-central1-a': {
        instanceGroupManagers: [
          { name: 'gke-shop-default', selfLink: pool, targetSize: 3 },
          {
            name: 'api',
            selfLink: link('zones/us-central1-a/instanceGroupManagers/api'),
            targetSize: 2,
            instanceTemplate: link('global/instanceTemplates/api'),
          },
        ],
      },
    },
  }),
  autoscalers: () => ({
    items: {
      'zones/us-central1-a': {
        autoscalers: [
          {
            name: 'api',
            target: link('zones/us-central1-a/instanceGroupManagers/api'),
            autoscalingPolicy: { minNumReplicas: 1, maxNumReplicas: 5 },
          },
        ],
      },
    },
  }),
  instanceTemplates: () => ({
    items: { global: { instanceTemplates: [{ name: 'api', properties: { machineType: 'e2-standard-2' } }] } },
  }),
  addresses: () => ({ items: { 'regions/us-central1': { addresses: [{ name: 'front', status: 'RESERVED' }] } } }),
  forwardingRules: () => ({ items: { global: { forwardingRules: [{ name: 'front', IPAddress: '203.0.113.7' }] } } }),
}

const cluster = {
  name: 'shop',
  location: 'us-central1',
  status: 'RUNNING',
  endpoint: '203.0.113.1',
  nodePools: [
    { name: 'default', status: 'RUNNING', instanceGroupUrls: [pool], config: { machineType: 'e2-standard-4' } },
  ],
}

/** What Google answers where nothing goes wrong. */
export function world({ path, query }: Question): Answer {
  const [, listed] = /\/aggregated\/(\w+)$/.exec(path) ?? []
  if (listed !== undefined) return { body: answers[listed]?.(query) ?? {} }
  const others: Readonly<Record<string, object>> = {
    [`/v3/projects/${project}`]: { name: 'projects/12', projectId: project, state: 'ACTIVE' },
    [`/v1/projects/${project}/locations/-/clusters`]: { clusters: [cluster] },
    [`/compute/v1/projects/${project}/global/snapshots`]: {
      items: [{ name: 'monday', diskSizeGb: '20', storageLocations: ['us'] }],
    },
    [`/sql/v1beta4/projects/${project}/instances`]: {
      items: [
        {
          name: 'orders',
          region: 'europe-west1',
          state: 'RUNNABLE',
          settings: { tier: 'db-custom-2-7680', activationPolicy: 'ALWAYS' },
        },
      ],
    },
    '/storage/v1/b': {
      items: [
        { name: 'shop-media', location: 'US-EAST1' },
        { name: 'shop-logs', location: 'EU' },
      ],
    },
    [`/bigquery/v2/projects/${project}/datasets`]: {
      datasets: [{ datasetReference: { datasetId: 'mart', projectId: project }, location: 'EU' }],
    },
    [`/bigquery/v2/projects/${project}/datasets/mart`]: {
      datasetReference: { datasetId: 'mart', projectId: project },
      location: 'EU',
    },
    [`/v2/projects/${project}/locations/-/instances`]: {
      instances: [{ name: `projects/${project}/locations/us-central1-a/instances/lab`, state: 'STOPPED' }],
    },
  }
  return { body: others[path] ?? {} }
}

/** Uids of all there is, by what they are of. */
export const everything = (): Map<string, { type: string; region: string }> => {
  const region = (zone: string) => zone.replace(/-[a-z]$/, '')
  const names = Array.from({ length: pages }, (_, page) => namesOn(page)).flat()
  const zonal = zones.flatMap((zone) =>
    names.flatMap((name) => [
      [`projects/${project}/zones/${zone}/instances/${name}`, { type: 'gcp-vm', region: region(zone) }] as const,
      [`projects/${project}/zones/${zone}/disks/${name}`, { type: 'gcp-disk', region: region(zone) }] as const,
    ]),
  )
  const group = (name: string) => `projects/${project}/zones/us-central1-a/instanceGroupManagers/${name}`
  const gke = `//container.googleapis.com/projects/${project}/locations/us-central1/clusters/shop`
  return new Map([
    ...zonal,
    [`//cloudresourcemanager.googleapis.com/projects/${project}`, { type: 'gcp-project', region: 'global' }],
    [gke, { type: 'gcp-gke', region: 'us-central1' }],
    [`${gke}/nodePools/default`, { type: 'gcp-gke-nodepool', region: 'us-central1' }],
    [group('api'), { type: 'gcp-mig', region: 'us-central1' }],
    [group('gke-shop-default'), { type: 'gcp-mig', region: 'us-central1' }],
    [`projects/${project}/regions/us-central1/addresses/front`, { type: 'gcp-address', region: 'us-central1' }],
    [`projects/${project}/global/forwardingRules/front`, { type: 'gcp-forwarding-rule', region: 'global' }],
    [`projects/${project}/global/snapshots/monday`, { type: 'gcp-snapshot', region: 'global' }],
    [
      `//cloudsql.googleapis.com/projects/${project}/instances/orders`,
      { type: 'gcp-cloudsql', region: 'europe-west1' },
    ],
    ['//storage.googleapis.com/shop-media', { type: 'gcp-gcs-bucket', region: 'us-east1' }],
    ['//storage.googleapis.com/shop-logs', { type: 'gcp-gcs-bucket', region: 'eu' }],
    [`//bigquery.googleapis.com/projects/${project}/datasets/mart`, { type: 'gcp-bigquery-dataset', region: 'eu' }],
    [
      `//notebooks.googleapis.com/projects/${project}/locations/us-central1-a/instances/lab`,
      { type: 'gcp-workbench', region: 'us-central1' },
    ],
  ])
}

const holds = (list: readonly string[] | undefined, one: string) => !list?.length || list.includes(one)

/** Whether a scan that ended so has looked where a resource is: as the account's statement says it. */
export const isSeen = (seen: readonly ScanCoverage[], { type, region }: { type: string; region: string }): boolean =>
  seen.some((part) => holds(part.types, type) && holds(part.regions, region) && !part.outsideOf?.includes(region))

/** What such a scan would delete of what is known and still there. */
export const wronglyDeleted = (found: readonly DiscoveredResource[], seen: readonly ScanCoverage[]): string[] => {
  const uids = new Set(uidsOf(found))
  return [...everything()].filter(([uid, one]) => !uids.has(uid) && isSeen(seen, one)).map(([uid]) => uid)
}

export const uidsOf = (found: readonly DiscoveredResource[]) => found.map(({ resourceUid }) => resourceUid)

export interface Scanned {
  found: DiscoveredResource[]
  seen: readonly ScanCoverage[]
  missing: readonly string[]
  message: string | undefined
  fault: Fault | undefined
  far: FarGoogle
}

export interface ScanOptions extends Partial<GcpDiscovery>, FarOptions {
  of?: CloudAccount
  only?: ReadonlySet<string>
}

export async function scanned(
  answer: (question: Question) => Answer,
  { of = account, only, ...more }: ScanOptions = {},
): Promise<Scanned> {
  const far = await farGoogle(answer, more)
  const discovery = discoverGcp({ open: (one, signal) => openGcp(one, far.options, signal), ...more })(
    of,
    undefined,
    only,
  )
  const found: DiscoveredResource[] = []
  let fault: Fault | undefined
  try {
    for await (const page of discovery.pages) found.push(...page)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    fault = error
  }
  const { seen, missingPermissions = [], message } = discovery
  await far.close()
  return { found, seen: seen as readonly ScanCoverage[], missing: missingPermissions, message, fault, far }
}
