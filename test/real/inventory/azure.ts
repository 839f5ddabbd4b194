/** Recorded answers of Azure, as a connector would turn them into resources. */
import {
  linesOf,
  numberOf,
  recordings,
  statusOf,
  tagsOf,
  type Found,
  type Json,
  type Sighting,
} from '#test/real/inventory/recording.ts'
import type { ResourceStatus } from '#streams/resource/messages.ts'

export const azureSightings = (folder: string): Sighting[] =>
  recordings(folder, 'azure', /^(?!wire_).*\.jsonl\.gz$/).flatMap((path) =>
    linesOf(path).flatMap(({ data }: Json) => itemsOf(data).flatMap(resource)),
  )

/** Those of a recording of the wire. The power state of a machine comes in an answer of its own. */
export function azureWireSightings(path: string): Sighting[] {
  const machines = new Map<string, Json>()
  return linesOf(path).flatMap(({ uri, responseBody }: Json) => {
    const data = JSON.parse(responseBody as string) as Json
    const [, machine] = /(\/subscriptions\/.*)\/instanceView\?/i.exec(uri as string) ?? []
    if (machine) {
      const known = machines.get(uidOf(machine)) ?? { id: machine }
      return resource({ ...known, properties: { ...known.properties, instanceView: data } })
    }
    for (const item of itemsOf(data)) machines.set(uidOf(item.id), item)
    return itemsOf(data).flatMap(resource)
  })
}

const powers = { running: 'running', deallocated: 'stopped', stopped: 'stopped' } as const

/** What the answers about the power of machines say, read plainly, by uid. */
export const powerOf = (path: string): [string, 'running' | 'stopped'][] =>
  linesOf(path).flatMap(({ uri, responseBody }: Json) => {
    const [, machine] = /(\/subscriptions\/.*)\/instanceView\?/i.exec(uri as string) ?? []
    const [, power] = /"PowerState\/(\w+)"/.exec(responseBody as string) ?? []
    return machine && power
      ? [[uidOf(machine), powers[power as keyof typeof powers]] as [string, 'running' | 'stopped']]
      : []
  })

/** Azure writes one id in several cases, and means one resource. */
export const uidOf = (id: string): string => id.toLowerCase()

const itemsOf = (data: Json): Json[] => {
  const items = Array.isArray(data?.value) ? data.value : [data]
  return items.filter((item: Json) => typeof item?.id === 'string')
}

/** By the type in the id, in lower case. A database of MariaDB is of a type the product has no entry for. */
const types: Readonly<Record<string, string>> = {
  'microsoft.compute/virtualmachines': 'azure-vm',
  'microsoft.compute/virtualmachinescalesets': 'azure-vmss',
  'microsoft.compute/disks': 'azure-disk',
  'microsoft.compute/snapshots': 'azure-snapshot',
  'microsoft.network/networkinterfaces': 'azure-nic',
  'microsoft.network/publicipaddresses': 'azure-public-ip',
  'microsoft.network/loadbalancers': 'azure-load-balancer',
  'microsoft.storage/storageaccounts': 'azure-storage-account',
  'microsoft.web/serverfarms': 'azure-app-service-plan',
  'microsoft.sql/servers/databases': 'azure-sql-database',
  'microsoft.dbforpostgresql/servers': 'azure-postgres',
  'microsoft.dbformysql/servers': 'azure-mysql',
  'microsoft.dbformariadb/servers': 'azure-mariadb',
}

/** `microsoft.sql/servers/databases` of `../providers/Microsoft.Sql/servers/s1/databases/d1`. */
export function typeIn(id: string): string | undefined {
  const [, namespace = '', rest = ''] = /.*\/providers\/([^/]+)\/(.+)/i.exec(id) ?? []
  const kinds = rest.split('/').filter((_, at) => at % 2 === 0)
  return types[[namespace, ...kinds].join('/').toLowerCase()]
}

function resource(item: Json): Sighting[] {
  const type = typeIn(item.id)
  if (type === undefined) return []
  const status = statusIn(item, type)
  const found: Found = {
    resourceUid: uidOf(item.id),
    name: item.name ?? item.id.split('/').at(-1),
    type,
    provider: 'azure',
    region: (item.location ?? '').toLowerCase().replaceAll(' ', ''),
    resourceGroup: /\/resourceGroups\/([^/]+)/i.exec(item.id)?.[1] ?? '',
    instanceType: sizeOf(item, type),
    sizeGB: numberOf(item.properties?.diskSizeGB),
    tags: tagsOf(item.tags),
    ...(status && { status }),
  }
  return [found]
}

const sizeOf = ({ properties, sku }: Json, type: string): string =>
  (type === 'azure-vm' ? properties?.hardwareProfile?.vmSize : sku?.name) ?? ''

/** A list of machines does not tell whether they run: only the instance view does. */
function statusIn({ properties, sku }: Json, type: string): ResourceStatus | undefined {
  if (type === 'azure-vmss') return sku?.capacity === 0 ? 'stopped' : 'running'
  if (type !== 'azure-vm') return statusOf(type, properties?.userVisibleState)
  const seen = (properties?.instanceView?.statuses ?? []) as { code: string }[]
  return statusOf(type, seen.find(({ code }) => code.startsWith('PowerState/'))?.code)
}
