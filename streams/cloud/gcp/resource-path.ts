/**
 * What resources of Google Cloud are called. Those of Compute Engine by their path, as nodes and volumes of clusters name them; all else
 * by Google's full resource name, for services call what is theirs alike.
 */
import { cloudFault } from '#streams/cloud/connector.ts'

/** `projects/…` of a link of Compute Engine; undefined for what is none. */
export const pathIn = (link: string | undefined): string | undefined => /projects\/[^/]+\/.+$/.exec(link ?? '')?.[0]

/** The last part of a link or a path. */
export const lastOf = (link: string | undefined): string => link?.slice(link.lastIndexOf('/') + 1) ?? ''

/** `us-central1` of `us-central1-a`, of links to either, and of scopes of lists; `global` for what is in none. */
export function regionIn(place: string | undefined): string {
  const name = lastOf(place)
  if (name === '' || name === 'global') return 'global'
  return /^([a-z]+(?:-[a-z]+)+\d+)(?:-[a-z])?$/.exec(name)?.[1] ?? name
}

export const fullName = (service: string, path: string): string => `//${service}.googleapis.com/${path}`

/** What calls of its service name it by: the path within the service. */
export const pathOf = (uid: string): string => uid.replace(/^\/\/[a-z]+\.googleapis\.com\//, '')

/**
 * The parts of a path by what stands before them: `zones`, `instances`. @throws `not_found` for a uid that is of no such shape: nothing
 * else is put into addresses
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

/** A path whose every part may stand in an address. @throws `not_found` */
export function safePath(uid: string): string {
  const path = pathOf(uid)
  if (path.split('/').every(isPart)) return path
  throw cloudFault('user_action', 'not_found', `${uid} is not a Google Cloud resource.`)
}

/** The id of a project, with its domain before it where it is of one. */
export const projectShape = /^(?:[a-z0-9.-]{1,63}:)?[a-z][a-z0-9-]{4,28}[a-z0-9]$/

/** Locations of storage that are no single region. */
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
