/** Names in paths of the resource manager: what is asked there, what the right to it is called, and what an id names. */

/** Who is asked: the resource manager, metrics of a region, what is stored in an account, or a workspace of Databricks. */
export type Host = 'arm' | { metrics: string } | { blobs: string } | { workspace: string }

/** Namespace and types of `/…/providers/<namespace>/<type>/<name>/<type>/<name>`; the last provider of a path counts. */
interface ProviderPath {
  namespace: string
  /** With the names between them. */
  parts: readonly string[]
}

function namedIn(path: string): ProviderPath | undefined {
  const [, namespace, rest = ''] = /.*\/providers\/([^/]+)(?:\/(.+))?$/i.exec(path) ?? []
  return namespace === undefined ? undefined : { namespace, parts: rest.split('/').filter(Boolean) }
}

/** `Microsoft.Compute/virtualMachines`, and of an action of one its name behind it. */
export function typeIn(path: string): string {
  const named = namedIn(path)
  if (named) return [named.namespace, ...named.parts.filter((_, at) => at % 2 === 0)].join('/')
  if (/\/resourcegroups(\/|$)/i.test(path)) return 'Microsoft.Resources/subscriptions/resourceGroups'
  return /^\/subscriptions\/[^/]+$/i.test(path) ? 'Microsoft.Resources/subscriptions' : (path.split('/').at(-1) ?? '')
}

const verbs: Readonly<Record<string, string>> = {
  GET: 'read',
  PUT: 'write',
  PATCH: 'write',
  DELETE: 'delete',
  POST: 'action',
}

/** As roles name it. What is read below a resource without a type of its own belongs to it: its instance view. */
export function permissionOf(method: string, path: string): string {
  return `${typeIn(path)}/${verbs[method] ?? 'action'}`
}

/** One that counts calls by itself. */
export function serviceOf(path: string, host: Host = 'arm'): string {
  if (host !== 'arm')
    return 'metrics' in host ? 'metrics' : 'blobs' in host ? 'storage' : `databricks ${host.workspace}`
  return namedIn(path)?.namespace.toLowerCase() ?? 'microsoft.resources'
}

/** Azure writes one id in several cases, and means one resource. */
export const uidOf = (id: string): string => id.toLowerCase()

/** `rg` of `/subscriptions/s/resourceGroups/rg/…`, as it is written. */
export const groupOf = (id: string): string | undefined => /\/resourcegroups\/([^/]+)/i.exec(id)?.[1]

/** The last name. */
export const nameOf = (id: string): string => id.split('/').at(-1) ?? id

/** The id of what it is part of: `/…/servers/s` of `/…/servers/s/databases/d`. */
export const parentOf = (id: string): string => id.split('/').slice(0, -2).join('/')

const idShape =
  /^\/subscriptions\/[0-9a-z-]+\/resourcegroups\/[^/?#%\\]+\/providers\/microsoft\.[a-z.]+(\/[^/?#%\\]+\/[^/?#%\\]+)+$/

/** Whether it is the id of a resource of the subscription, which may be asked for as it stands. */
export const isIdOf = (subscription: string, uid: string): boolean =>
  idShape.test(uid.toLowerCase()) &&
  !uid.includes('/../') &&
  uid.toLowerCase().startsWith(`/subscriptions/${subscription.toLowerCase()}/`)
