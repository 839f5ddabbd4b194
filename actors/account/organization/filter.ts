/**
 * Which accounts of a cloud organization are connected: those that `include` allows, minus those that `exclude` names.
 */
import type { AccountFilter, CloudOrganization } from '#streams/account/organization.ts'

export interface FilteredAccount {
  externalId: string
  name: string
  path: string
  tags: Readonly<Record<string, string>>
}

/** All members of `include` must match; of `exclude` one is enough. */
export function isAllowed(account: FilteredAccount, { include, exclude }: CloudOrganization): boolean {
  const isIncluded = include === undefined || matches(account, include).every(Boolean)
  return isIncluded && !(exclude !== undefined && matches(account, exclude).some(Boolean))
}

/** Whether deciding needs the accounts' tags. */
export const needsTags = ({ include, exclude }: CloudOrganization): boolean =>
  [include, exclude].some((filter) => filter?.tags !== undefined)

/** One result for each member of the filter; for tags, one for each key. */
function matches(account: FilteredAccount, { paths, tags, pattern }: AccountFilter): boolean[] {
  return [
    ...(paths ? [paths.some((path) => isBelow(account.path, path))] : []),
    ...Object.entries(tags ?? {}).map(([key, values]) => hasTag(account, key, values)),
    ...(pattern !== undefined ? [isLike(account.name, pattern) || isLike(account.externalId, pattern)] : []),
  ]
}

function hasTag({ tags }: FilteredAccount, key: string, values: readonly string[]): boolean {
  const value = Object.hasOwn(tags, key) ? tags[key] : undefined
  return value !== undefined && (values.length === 0 || values.includes(value))
}

/** A slash at either end of `path` changes nothing. */
function isBelow(own: string, path: string): boolean {
  const wanted = path.replace(/^\/+|\/+$/g, '')
  return wanted === '' || `${own}/`.startsWith(`/${wanted}/`)
}

/**
 * Ignores case. Compares from left to right with one point of return, so the time is at most the length of the pattern
 * times that of the text.
 */
function isLike(text: string, pattern: string): boolean {
  const [own, wanted] = [text.toLowerCase(), pattern.toLowerCase()]
  let [at, next, starAt, starNext] = [0, 0, -1, 0]
  while (at < own.length) {
    if (wanted[next] === '*') {
      starAt = next++
      starNext = at
    } else if (wanted[next] === '?' || wanted[next] === own[at]) {
      next++
      at++
    } else if (starAt >= 0) {
      next = starAt + 1
      at = ++starNext
    } else return false
  }
  while (wanted[next] === '*') next++
  return next === wanted.length
}
