/** The parts of a resource that the audit stores: those its record shows, and the specs that rules of its type read. */
import { toRealNames } from '#actors/resource/observation-order.ts'
import { dayMs } from '#engine/value/day.ts'
import { sameData } from '#engine/actor/row.ts'
import type { Static } from '#engine/value/schema.ts'
import { schedulable } from '#streams/cloud/resource/resource-type.ts'
import type { resourceDiscovered } from '#streams/resource/messages.ts'
import type { AuditedResource, ResourceAudit, Since } from './entity.ts'
import { agedRelations, relatedNames } from './facts.ts'
import { numberOf } from './number.ts'
import { programOf } from '#actors/recommendation/rule/compile.ts'

type ResourceObservation = Static<typeof resourceDiscovered.schema>

/** What an observation leaves out keeps its last known value, as in the resource's own row. */
export function auditedOf(
  found: ResourceObservation,
  known: Pick<ResourceAudit, 'resource' | 'specs'>,
): { resource: AuditedResource; specs: Record<string, unknown> } {
  const { provider, type } = toRealNames(found)
  const isSame = known.resource.type === type
  const { name, region, specs } = found
  const resource: AuditedResource = {
    name,
    type,
    provider,
    region,
    ...fillDefaults(found),
    status: found.status ?? (isSame ? known.resource.status : 'pending'),
    schedulable: found.schedulable ?? schedulable(type, Boolean(specs?.['owner'])),
    hourlyRateUsd: found.hourlyRateUSD ?? (isSame ? known.resource.hourlyRateUsd : null),
    fed: found.refreshId ? 'connector' : 'producer',
  }
  return { resource, specs: specs ? specsFor(type, specs) : isSame ? known.specs : {} }
}

/** Defaults of fields that are left out. */
function fillDefaults({
  instanceType = '',
  sizeGB = null,
  unitCount = null,
  parentUID = '',
  tags = {},
  ...more
}: ResourceObservation) {
  const { resourceGroup = '' } = more
  return {
    instanceType,
    sizeGb: sizeGB,
    unitCount,
    parentUid: parentUID,
    tags,
    resourceGroup: resourceGroup.toLowerCase(),
  }
}

/** Since when the resource exists by its specs: its creation, its last detachment or change. Null if the specs do not say. */
export function bornBy(specs: Readonly<Record<string, unknown>>, at: Date): Date | null {
  const told = ['created_at', 'unchanged_since'].map((name) => Date.parse(String(specs[name])))
  const detached = numberOf(specs['detached_days'] ?? specs['days_detached']) ?? 0
  const signs = [...told, at.getTime() - Math.max(0, detached) * dayMs].filter(
    (sign) => sign > 0 && sign < at.getTime(),
  )
  return signs.length === 0 ? null : new Date(Math.min(...signs))
}

/** Maximum bytes of JSON for the specs of one resource. */
const bytesMax = 8192

const specNamesByType = new Map<string, ReadonlySet<string>>()

/** Names of the specs that rules of the type read, including relations that the cloud reports. */
export function specNames(type: string): ReadonlySet<string> {
  const known = specNamesByType.get(type)
  if (known) return known
  const { specs, paths } = programOf(type)
  const related = paths
    .filter((path) => path.startsWith('rel.'))
    .flatMap((path) => [...relatedNames(path.slice(4)), agedRelations[path]?.time ?? 'state'])
  const names = new Set([
    ...specs,
    ...related,
    'created_at',
    'unchanged_since',
    'state',
    'owner',
    'account',
    'project',
    'zone',
  ])
  specNamesByType.set(type, names)
  return names
}

/** Sorted by name; what exceeds the limit is left out and counts as unknown. */
export function specsFor(type: string, specs: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const names = specNames(type)
  let bytes = 0
  const kept = Object.entries(specs)
    .filter(([name]) => names.has(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .filter(([name, value]) => (bytes += name.length + (JSON.stringify(value)?.length ?? 0)) <= bytesMax)
  return Object.fromEntries(kept)
}

const agedSpecsByType = new Map<string, readonly string[]>()

/** Names of the specs whose age rules of the type read. */
function agedSpecs(type: string): readonly string[] {
  const known = agedSpecsByType.get(type)
  if (known) return known
  const { paths } = programOf(type)
  const asked = paths.flatMap((path) => /^hist\.attribute_days\.(.+)$/.exec(path)?.[1] ?? [])
  const related = paths.flatMap((path) => agedRelations[path]?.spec ?? [])
  const names = [...new Set([...asked, ...related])]
  agedSpecsByType.set(type, names)
  return names
}

/** For each spec whose age rules read: since when it has its value. */
export function sinceAnew(
  { since, specs: before, resource }: Pick<ResourceAudit, 'since' | 'specs' | 'resource'>,
  type: string,
  specs: Readonly<Record<string, unknown>>,
  at: Date,
): Record<string, Since> {
  const isKnown = (name: string) => resource.type === type && Object.hasOwn(since, name)
  const there = agedSpecs(type).filter((name) => Object.hasOwn(specs, name))
  return Object.fromEntries(
    there.map((name): [string, Since] => {
      const isSame = sameData(before[name], specs[name])
      if (isKnown(name) && isSame) return [name, since[name]!]
      return [name, { at: at.toISOString(), isExact: isKnown(name) }]
    }),
  )
}
