/** The facts of one audited resource, by path of the rule language. */
import { dayMs } from '#engine/value/day.ts'
import { environmentIn } from '#actors/tagging/suggestion/predict.ts'
import { typeOf } from '#streams/cloud/resource/resource-type.ts'
import type { AuditedResource, ResourceAudit } from './entity.ts'
import { businessHoursPerWeek, type GovernanceSpec } from '#actors/recommendation/policy/governance.ts'
import { isOfOtherSize } from './resize.ts'
import type { Fact, FactSource, KnownValue, PricedResource, References } from '#actors/recommendation/rule/contract.ts'

/** What rules depend on besides the resource. */
export interface Grounds {
  governance: Required<GovernanceSpec>
  references: References
  now: Date
}

/**
 * A value that was there at the first observation has been there for at least the days since: rules that ask for a
 * minimum believe this from so many days on.
 */
const sinceDaysMin = 14

type Answer = (row: ResourceAudit, grounds: Grounds) => Fact

/** How paths are answered, by their first part. Any other path has the value that the newest sweep collected. */
const spaces: Readonly<Record<string, (name: string, path: string) => Answer>> = {
  specs:
    (name) =>
    ({ specs }) =>
      valueOf(specs, name),
  rel: answerFromSpecs,
  res: (name, path) => (Object.hasOwn(ofResource, name) ? ofResource[name]! : ({ facts }) => valueOf(facts, path)),
  hist: (name, path) =>
    name.startsWith(attributeDays) ? daysOf(name.slice(attributeDays.length)) : answerFromSweep(path),
  gov: settledAnswer,
  policy: settledAnswer,
  tags: settledAnswer,
  bill: (name, path) => (row) => valueOf(row.facts, path) ?? (name === 'cost_30d' ? projectCost(row) : undefined),
}

const attributeDays = 'attribute_days.'

/** Splits a path at its first dot. */
function apart(path: string): [space: string, name: string] {
  const dot = path.indexOf('.')
  return [path.slice(0, dot), path.slice(dot + 1)]
}

/** Cache of answers by path: rules read the same few hundred paths of every resource. */
const answers = new Map<string, Answer>()
const answersMax = 4096

function answerOf(path: string): Answer {
  const known = answers.get(path)
  if (known) return known
  const [space, name] = apart(path)
  const made = Object.hasOwn(spaces, space) ? spaces[space]!(name, path) : answerFromSweep(path)
  if (answers.size >= answersMax) answers.clear()
  answers.set(path, made)
  return made
}

type GovernanceAnswer = (row: Pick<ResourceAudit, 'resource' | 'env'>, governance: Required<GovernanceSpec>) => Fact

/** `gov.*`, `policy.*`, `tags.*` and `res.env`: derived from the organization's settings and the resource. */
export function settledFact(path: string): GovernanceAnswer {
  const [space, name] = apart(path)
  if (space === 'tags') return ({ resource }) => tagOf(resource.tags, name) ?? null
  if (space === 'gov') return ({ resource }, governance) => governanceChecks[name]?.(resource, governance)
  return space === 'policy' ? (_, governance) => settings[name]?.(governance) : environmentOf
}

function settledAnswer(_name: string, path: string): Answer {
  const settled = settledFact(path)
  return (row, { governance }) => settled(row, governance)
}

/** Answers every path; undefined is unknown. */
export function sourceOf(row: ResourceAudit, grounds: Grounds): FactSource {
  const source: FactSource = (path) =>
    path.startsWith('ref.') ? grounds.references.fact(path, priced) : answerOf(path)(row, grounds)
  const priced = pricedOf(row, source)
  return source
}

export const pricedOf = ({ resource }: Pick<ResourceAudit, 'resource'>, source: FactSource): PricedResource => ({
  type: resource.type,
  provider: resource.provider,
  region: resource.region,
  instanceType: resource.instanceType,
  source,
})

/** Converts a value for rules; anything but plain values and lists of these is unknown. */
export function valueOf(values: Readonly<Record<string, unknown>>, name: string): Fact {
  if (!Object.hasOwn(values, name)) return undefined
  const value = values[name]
  if (value === null || typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string')
    return value
  return Array.isArray(value) ? (value.filter(isPlain) as KnownValue) : undefined
}

/**
 * The value from the newest sweep. Days of a status are rounded down like all ages: otherwise the finding would differ
 * an hour later.
 */
const answerFromSweep =
  (path: string): Answer =>
  (row) => {
    if (isOfOtherSize(row, path)) return undefined
    const value = valueOf(row.facts, path)
    return path === 'hist.status_days' && typeof value === 'number' ? Math.floor(value) : value
  }

const isPlain = (one: unknown): boolean => ['number', 'boolean', 'string'].includes(typeof one)

/**
 * Relations reported by the cloud are among the specs, under the last part of the path; they are newer than a sweep.
 */
function answerFromSpecs(name: string, path: string): Answer {
  const names = relatedNames(name)
  const aged = agedRelations[path]
  return (row, grounds) => {
    for (const one of names) if (Object.hasOwn(row.specs, one)) return valueOf(row.specs, one)
    const began = aged?.time === undefined ? undefined : row.specs[aged.time]
    if (began === null) return null
    if (typeof began === 'string') return wholeDays(began, grounds.now)
    const swept = valueOf(row.facts, path)
    return swept === undefined && aged?.is(valueOf(row.specs, aged.spec)) ? daysOf(aged.spec)(row, grounds) : swept
  }
}

/** States that clouds report for a detached resource. */
const detachedStates = ['available', 'unattached', 'detached', 'reserved']

interface AgedRelation {
  spec: string
  /** The spec with the time of the change, where the cloud says it; null: there was none. */
  time?: string
  /** Whether the relation is over with such a value. */
  is: (value: Fact) => boolean
}

/**
 * Relations that follow from how long an attribute has its value: since the time that the cloud says, since it was seen to
 * become so, or once it has been observed long enough.
 */
export const agedRelations: Readonly<Record<string, AgedRelation>> = {
  'rel.detached_days': {
    spec: 'state',
    time: 'detached_at',
    is: (state) => typeof state === 'string' && detachedStates.includes(state.toLowerCase()),
  },
  'rel.unmounted_days': { spec: 'pod_count', is: (pods) => pods === 0 },
}

/** Hours in thirty days. */
const monthHours = 720

/** Cost without a bill: that of running as it does now. */
const projectCost = ({ resource: { hourlyRateUsd, status }, factsAt }: ResourceAudit): Fact =>
  hourlyRateUsd === null || factsAt ? undefined : status === 'stopped' ? 0 : hourlyRateUsd * monthHours

/** `detached_days` is also reported as `days_detached`. */
export function relatedNames(name: string): string[] {
  const [, what] = /^(\w+)_days$/.exec(name) ?? []
  return what === undefined ? [name] : [name, `days_${what}`]
}

const ofResource: Readonly<Record<string, Answer>> = {
  uid: ({ uid }) => uid,
  name: ({ resource }) => resource.name,
  type: ({ resource }) => resource.type,
  provider: ({ resource }) => resource.provider,
  region: ({ resource }) => resource.region,
  status: ({ resource }) => resource.status,
  schedulable: ({ resource }) => resource.schedulable,
  instance_type: ({ resource }) => (resource.instanceType === '' ? null : resource.instanceType),
  size_gb: ({ resource }) => resource.sizeGb,
  unit_count: ({ resource }) => resource.unitCount,
  resource_group: ({ resource }) => resource.resourceGroup,
  parent_uid: ({ resource }) => resource.parentUid,
  taggable: ({ resource }) => typeOf(resource.type)?.taggable,
  tag_count: ({ resource }) => Object.keys(resource.tags).length,
  age_days: (row, { now }) => ageDays(row, now),
  env: (row, { governance }) => environmentOf(row, governance),
  // A resource with nothing that contains it is not recreated by anything.
  managed: ({ resource, specs, facts }) =>
    resource.parentUid === '' && !specs['owner'] ? false : valueOf(facts, 'res.managed'),
}

/** Whole days since its oldest sign of age. */
const ageDays = ({ bornAt, firstSeenAt }: ResourceAudit, now: Date): number =>
  Math.max(0, Math.floor((now.getTime() - Math.min((bornAt ?? now).getTime(), firstSeenAt.getTime())) / dayMs))

type TaggedResource = Pick<ResourceAudit, 'env'> & { readonly resource: Pick<AuditedResource, 'tags'> }

/** From the cloud's own tag, otherwise what people accepted (decision G-43). */
export function environmentOf({ resource, env }: TaggedResource, { envTagKeys }: Required<GovernanceSpec>): string {
  for (const key of envTagKeys) {
    const said = environmentIn(tagOf(resource.tags, key) ?? '')
    if (said !== undefined) return said
  }
  return env === '' ? 'unknown' : env
}

/** Ignores the case of the key; of several spellings the first in alphabetical order. */
function tagOf(tags: Readonly<Record<string, string>>, key: string): string | undefined {
  const wanted = key.toLowerCase()
  let spelled: string | undefined
  for (const one of Object.keys(tags))
    if (one.toLowerCase() === wanted && (spelled === undefined || one < spelled)) spelled = one
  return spelled === undefined ? undefined : tags[spelled]
}

/**
 * Whole days for which a spec has had its value: known since a change was seen, otherwise once it has been observed
 * long enough.
 */
function daysOf(spec: string): Answer {
  return ({ since }, { now }) => {
    const known = since[spec]
    if (!known) return undefined
    const days = wholeDays(known.at, now)
    return known.isExact || days >= sinceDaysMin ? days : undefined
  }
}

const wholeDays = (since: string, now: Date): number => Math.floor((now.getTime() - Date.parse(since)) / dayMs)

const settings: Readonly<Record<string, (governance: Required<GovernanceSpec>) => Fact>> = {
  nonprod_envs: ({ nonprodEnvs }) => nonprodEnvs,
  business_hours_per_week: businessHoursPerWeek,
}

/** Global resources have no region. */
const isGlobal = (region: string): boolean => ['', 'global', '-'].includes(region.toLowerCase())

type GovernanceCheck = (resource: AuditedResource, governance: Required<GovernanceSpec>) => Fact

const missingTags = ({ tags, type }: AuditedResource, { requiredTags }: Required<GovernanceSpec>): string[] =>
  typeOf(type)?.taggable ? requiredTags.filter((key) => !tagOf(tags, key)) : []

const invalidTags = ({ tags }: AuditedResource, { allowedTagValues }: Required<GovernanceSpec>): string[] =>
  Object.entries(allowedTagValues).flatMap(([key, values]) => {
    const value = tagOf(tags, key)
    return value === undefined || values.some((one) => isAlike(one, value)) ? [] : [`${key}=${value}`]
  })

const governanceChecks: Readonly<Record<string, GovernanceCheck>> = {
  missing_required_tags: missingTags,
  missing_required_tag_count: (...of) => missingTags(...of).length,
  invalid_tag_values: invalidTags,
  invalid_tag_value_count: (...of) => invalidTags(...of).length,
  region_allowed: ({ region }, { allowedRegions }) =>
    allowedRegions.length === 0 || isGlobal(region) || allowedRegions.some((one) => isAlike(one, region)),
  type_allowed: ({ instanceType }, { allowedInstanceTypes }) =>
    allowedInstanceTypes.length === 0 || instanceType === '' || allowedInstanceTypes.includes(instanceType),
}

const isAlike = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

/** Whether the resource has the tag by which people exclude it from cost findings. */
export function isOptedOut({ tags }: AuditedResource, { optOutTag }: Required<GovernanceSpec>): boolean {
  const [key = '', ...value] = optOutTag.split('=')
  return key !== '' && isAlike(tagOf(tags, key) ?? '', value.join('=')) && tagOf(tags, key) !== undefined
}
