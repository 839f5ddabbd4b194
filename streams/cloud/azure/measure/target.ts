/** Which resource in Azure has a metric of a resource of ours, and which of its series belong to it. */
import type { ResourceRef } from '#streams/cloud/connector.ts'
import { nameOf, parentOf, typeIn } from '#streams/cloud/azure/session/path.ts'
import type { MetricSource } from '#streams/metric/source.ts'

/**
 * The id to ask: the resource itself, or what it is a part of, or its service `default`. Undefined if it has no such metric:
 * one of our types may be several in Azure, of which only one has metrics, and a batch with another one would be refused.
 */
export function askedOf({ resourceUid, specs }: ResourceRef, namespace: string): string | undefined {
  const [own, wanted] = [typeIn(resourceUid).toLowerCase(), namespace.toLowerCase()]
  if (own === wanted) return resourceUid
  if (own.startsWith(`${wanted}/`)) return partOf(resourceUid, wanted)
  const isWithout = specs?.['kind'] === 'FileStorage'
  return wanted.startsWith(`${own}/`) && !isWithout
    ? `${resourceUid}/${wanted.slice(own.length + 1)}/default`
    : undefined
}

const partOf = (uid: string, wanted: string): string =>
  typeIn(uid).toLowerCase() === wanted ? uid : partOf(parentOf(uid), wanted)

/**
 * Whether a series with such values of dimensions is of the resource. A value that the resource does not have is any one for
 * totals, which add up; levels do not.
 */
export function isOf(
  { dimensions, statistic }: MetricSource,
  ref: ResourceRef,
  values: ReadonlyMap<string, string>,
): boolean {
  return Object.entries(dimensions).every(([name, wanted]) => {
    if (wanted === '{any}') return true
    const own = wanted.startsWith('{') ? valueOf(wanted.slice(1, -1), ref) : wanted
    if (own === undefined) return statistic === 'Sum'
    return own
      .toLowerCase()
      .split('|')
      .includes(values.get(name.toLowerCase()) ?? '')
  })
}

function valueOf(word: string, { resourceUid, specs }: ResourceRef): string | undefined {
  if (word === 'name') return nameOf(resourceUid)
  const value = specs?.[word.replace('specs.', '')]
  return typeof value === 'string' ? value : undefined
}
