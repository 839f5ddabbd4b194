/** Recorded answers of Google Cloud, as a connector would turn them into resources. */
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

export const gcpSightings = (folder: string): Sighting[] =>
  recordings(folder, 'gcp', /\.jsonl\.gz$/).flatMap((path) =>
    linesOf(path).flatMap(({ data }: Json) => itemsOf(data).flatMap(resource)),
  )

/** What an answer lists: its items, those of every zone of an aggregated list, or the one resource it is. */
function itemsOf(data: Json): Json[] {
  if (typeof data !== 'object' || data === null) return []
  const { items, clusters } = data
  // Most zones of an aggregated list hold a warning and nothing else.
  const zones = items && !Array.isArray(items) ? Object.values(items as object) : []
  const zonal = zones.flatMap((zone: Json) =>
    Object.values((zone ?? {}) as object)
      .filter(Array.isArray)
      .flat(),
  )
  const single = data.selfLink && data.kind !== 'storage#bucket' ? [data] : []
  return [...(Array.isArray(items) ? items : zonal), ...(clusters ?? []), ...single]
}

const last = (url: string | undefined): string => (url ?? '').split('/').at(-1) ?? ''

function found(type: string, item: Json, state: string | null | undefined, more: Partial<Found> = {}): Found[] {
  const status = statusOf(type, state)
  const zone = last(item.zone)
  const common = {
    name: item.name,
    type,
    provider: 'gcp' as const,
    region: zone.replace(/-[a-z]$/, ''),
    tags: tagsOf(item.labels ?? item.resourceLabels),
  }
  return [{ resourceUid: item.selfLink, ...common, ...more, ...(status && { status }) }]
}

/** Resources are known by their kind; a cluster has none and is known by its link. */
function resource(item: Json): Sighting[] {
  if (item.kind in kinds) return kinds[item.kind]!(item)
  return /^https:\/\/container\.googleapis\.com\/.*\/clusters\//.test(item.selfLink ?? '')
    ? found('gcp-gke', item, null)
    : []
}

const kinds: Readonly<Record<string, (item: Json) => Sighting[]>> = {
  'compute#instance': (i) => found('gcp-vm', i, i.status, { instanceType: last(i.machineType) }),
  'compute#disk': (d) => found('gcp-disk', d, null, { instanceType: last(d.type), sizeGB: numberOf(d.sizeGb) }),
  'compute#address': (a) => found('gcp-address', a, null, { region: last(a.region) }),
  'compute#instanceGroupManager': (g) =>
    found('gcp-mig', g, undefined, { status: g.targetSize > 0 ? 'running' : 'stopped' }),
  'storage#bucket': (b) => found('gcp-gcs-bucket', b, null, { region: b.location?.toLowerCase() ?? '' }),
  'sql#instance': (d) => {
    const status = d.state !== 'RUNNABLE' ? 'pending' : d.settings?.activationPolicy === 'NEVER' ? 'stopped' : 'running'
    const instanceType = d.settings?.tier ?? ''
    const sizeGB = numberOf(d.settings?.dataDiskSizeGb)
    return found('gcp-cloudsql', d, undefined, {
      region: d.region ?? '',
      instanceType,
      sizeGB,
      status,
      tags: tagsOf(d.settings?.userLabels),
    })
  },
}
