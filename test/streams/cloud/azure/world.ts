/** A subscription that stands still: what its lists hold, a few items a page. */
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { discoverAzure } from '#streams/cloud/azure/discover/discover.ts'
import { childrenIn } from '#streams/cloud/azure/cluster/cluster.ts'
import { openAzure } from '#streams/cloud/azure/session/open.ts'
import type { ScanCoverage } from '#streams/refresh.ts'
import type { CloudAccount } from '#streams/cloud/connector.ts'
import { account, armError, subscription, type Answer, type AnswerServer, type Question } from './answer-server.ts'

export const root = `/subscriptions/${subscription}`
export const idOf = (kind: string, name: string, group = 'Shop'): string =>
  `${root}/resourceGroups/${group}/providers/${kind}/${name}`

export type Lists = Record<string, object[]>

const named = (kind: string, name: string, more: object = {}) => ({
  id: idOf(kind, name),
  name: name.split('/').at(-1),
  location: 'westeurope',
  ...more,
})

const vm = 'Microsoft.Compute/virtualMachines'

export const machines = Array.from({ length: 14 }, (_, n) =>
  named(vm, `vm-${n}`, { properties: { hardwareProfile: { vmSize: 'Standard_D2s_v3' } } }),
)

/** By path behind the subscription, or of what lies below something. */
export const lists = (): Lists => ({
  [`/providers/${vm}`]: [...machines],
  '/providers/Microsoft.Compute/disks': [named('Microsoft.Compute/disks', 'disk-1', { managedBy: machines[0]!.id })],
  '/providers/Microsoft.Sql/servers': ['sql-1', 'sql-2'].map((name) => named('Microsoft.Sql/servers', name)),
  ...Object.fromEntries(
    ['sql-1', 'sql-2'].map((server) => [
      `/resourceGroups/Shop/providers/Microsoft.Sql/servers/${server}/databases`,
      [named('Microsoft.Sql/servers', `${server}/databases/orders`)],
    ]),
  ),
  '/providers/Microsoft.Web/sites': [
    named('Microsoft.Web/sites', 'shop', {
      kind: 'app,linux',
      location: 'West Europe',
      properties: { state: 'Running' },
    }),
    named('Microsoft.Web/sites', 'jobs', { kind: 'functionapp', location: 'eastus', properties: { state: 'Stopped' } }),
  ],
  '/providers/Microsoft.ContainerService/managedClusters': [
    named('Microsoft.ContainerService/managedClusters', 'aks-1', {
      properties: {
        powerState: { code: 'Running' },
        nodeResourceGroup: 'MC_shop',
        agentPoolProfiles: [{ name: 'system', count: 2, vmSize: 'Standard_D2s_v3', powerState: { code: 'Running' } }],
      },
    }),
  ],
  '/providers/Microsoft.Compute/virtualMachineScaleSets': [
    named('Microsoft.Compute/virtualMachineScaleSets', 'web', { sku: { name: 'Standard_D2s_v3', capacity: 3 } }),
    {
      ...named('Microsoft.Compute/virtualMachineScaleSets', 'aks-system'),
      id: idOf('Microsoft.Compute/virtualMachineScaleSets', 'aks-system', 'mc_SHOP'),
      sku: { name: 'Standard_D2s_v3', capacity: 2 },
    },
  ],
  '/providers/Microsoft.Network/trafficmanagerprofiles': [],
})

export const pageSize = 2

/** What is not in the lists is an empty list; views of sets and states of machines are told where they are asked for. */
export function answering(all: Lists): (question: Question) => Answer {
  return ({ path, query }) => {
    const rest = path.slice(root.length)
    if (query['statusOnly'])
      return {
        body: {
          value: machines.map(({ id }, at) => ({
            id: id.toUpperCase(),
            properties: { instanceView: { statuses: [{ code: `PowerState/${at % 2 ? 'deallocated' : 'running'}` }] } },
          })),
        },
      }
    if (rest.endsWith('/instanceView'))
      return { body: { virtualMachine: { statusesSummary: [{ code: 'PowerState/running', count: 2 }] } } }
    if (rest.endsWith('/listClusterUserCredential')) return armError(404, 'NotFound')
    const items = all[rest] ?? []
    const at = Number(query['$skiptoken'] ?? 0)
    const isMore = at + pageSize < items.length
    const nextLink = `https://management.azure.com${path}?api-version=1&$skiptoken=${at + pageSize}`
    return { body: { value: items.slice(at, at + pageSize), ...(isMore && { nextLink }) } }
  }
}

export interface Scanned {
  found: DiscoveredResource[]
  seen: readonly ScanCoverage[]
  missing: readonly string[]
  message: string | undefined
  fault: unknown
}

export async function scanned(
  { options }: AnswerServer,
  of: CloudAccount = account,
  only?: ReadonlySet<string>,
  looksInside = false,
): Promise<Scanned> {
  const open = (one: CloudAccount, signal?: AbortSignal) => openAzure(one, options, signal)
  const discovery = discoverAzure({ open, ...(looksInside && { childrenOf: childrenIn(options) }) })(
    of,
    undefined,
    only,
  )
  const found: DiscoveredResource[] = []
  let fault: unknown
  try {
    for await (const page of discovery.pages) found.push(...page)
  } catch (error) {
    fault = error
  }
  const { missingPermissions = [], message } = discovery
  return { found, seen: discovery.seen as readonly ScanCoverage[], missing: missingPermissions, message, fault }
}

/** Whether what is of the type, in the region, of the parent, was seen. */
export const isSeen = (seen: readonly ScanCoverage[], type: string, region = 'westeurope', parent = ''): boolean =>
  seen.some(
    ({ types, regions, outsideOf, parents = [] }) =>
      (types.length === 0 || types.includes(type)) &&
      (outsideOf ? !outsideOf.includes(region) : regions.length === 0 || regions.includes(region)) &&
      (parents.length === 0 || parents.includes(parent)),
  )
