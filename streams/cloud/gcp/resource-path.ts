/**
 * Uids of Google Cloud resources. For Compute Engine they are paths, as nodes and volumes of clusters contain them; for
 * other services Google's full resource names, because names within services are not unique.
 */
import { cloudFault } from '#streams/cloud/connector.ts'

/** `projects/…` in a link of Compute Engine; undefined for other links. */
export const pathIn = (link: string | undefined): string | undefined => /projects\/[^/]+\/.+$/.exec(link ?? '')?.[0]

/** The last part of a link or path. */
export const lastOf = (link: string | undefined): string => link?.slice(link.lastIndexOf('/') + 1) ?? ''

/** `us-central1` for `us-central1-a`, for links to either, and for scopes of lists; `global` if there is no region. */
export function regionIn(place: string | undefined): string {
  const name = lastOf(place)
  if (name === '' || name === 'global') return 'global'
  return /^([a-z]+(?:-[a-z]+)+\d+)(?:-[a-z])?$/.exec(name)?.[1] ?? name
}

export const fullName = (service: string, path: string): string => `//${service}.googleapis.com/${path}`

/** The path within the service, which calls use. */
export const pathOf = (uid: string): string => uid.replace(/^\/\/[a-z]+\.googleapis\.com\//, '')

/**
 * The parts of a path by the words before them: `zones`, `instances`.
 * @throws `not_found` for a uid of another shape, because parts become part of addresses
 */
export function partsOf(uid: string, ...names: readonly string[]): Record<string, string> {
  const parts = pathOf(uid).split('/')
  const found = Object.fromEntries(
    parts.flatMap((part, index) => (index % 2 === 0 ? [[part, parts[index + 1] ?? ''] as const] : [])),
  )
  if (names.every((name) => isPart(found[name]))) return found
  throw cloudFault('user_action', 'not_found', `${uid} is not a Google Cloud resource.`)
}

const isPart = (part: string | undefined): boolean =>
  part !== undefined && /^[\w.:-]{1,255}$/.test(part) && !/^\.+$/.test(part)

/** A path whose parts are safe in an address. @throws `not_found` */
export function safePath(uid: string): string {
  const path = pathOf(uid)
  if (path.split('/').every(isPart)) return path
  throw cloudFault('user_action', 'not_found', `${uid} is not a Google Cloud resource.`)
}

/** A project id, optionally with its domain before it. */
export const projectShape = /^(?:[a-z0-9.-]{1,63}:)?[a-z][a-z0-9-]{4,28}[a-z0-9]$/

/** Storage locations that are not a single region. */
export const wide: readonly string[] = [
  'global',
  'us',
  'eu',
  'asia',
  'asia1',
  'nam4',
  'eur4',
  'eur5',
  'eur7',
  'eur8',
  '',
]
