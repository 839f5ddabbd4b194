/** Paths of the resource manager: hosts, permission names, and parts of ids. */

/**
 * The server: the resource manager, Log Analytics, metrics of a region, blobs of a storage account, or a Databricks
 * workspace.
 */
export type Host = 'arm' | 'logs' | { metrics: string } | { blobs: string } | { workspace: string }

/**
 * Namespace and types in `/…/providers/<namespace>/<type>/<name>/<type>/<name>`; the last provider of a path counts.
 */
interface ProviderPath {
  namespace: string
  /** Types with the names between them. */
  parts: readonly string[]
}

function namedIn(path: string): ProviderPath | undefined {
  const [, namespace, rest = ''] = /.*\/providers\/([^/]+)(?:\/(.+))?$/i.exec(path) ?? []
  return namespace === undefined ? undefined : { namespace, parts: rest.split('/').filter(Boolean) }
}

/** `Microsoft.Compute/virtualMachines`; for an action followed by its name. */
export function typeIn(path: string): string {
  const named = namedIn(path)
  if (named) return [named.namespace, ...named.parts.filter((_, at) => at % 2 === 0)].join('/')
  if (/\/operationresults\//i.test(path)) return 'Microsoft.Resources/subscriptions/operationresults'
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

/**
 * The permission as in roles. Something below a resource without its own type, such as the instance view, belongs to
 * the resource.
 */
export function permissionOf(method: string, path: string): string {
  return `${typeIn(path)}/${verbs[method] ?? 'action'}`
}

/** The service, as a unit that limits calls separately. */
export function serviceOf(path: string, host: Host = 'arm'): string {
  if (host === 'logs') return 'logs'
  if (host !== 'arm')
    return 'metrics' in host ? 'metrics' : 'blobs' in host ? 'storage' : `databricks ${host.workspace}`
  return namedIn(path)?.namespace.toLowerCase() ?? 'microsoft.resources'
}

/** Azure uses different cases for the same id. */
export const uidOf = (id: string): string => id.toLowerCase()

/** `rg` in `/subscriptions/s/resourceGroups/rg/…`, as written. */
export const groupOf = (id: string): string | undefined => /\/resourcegroups\/([^/]+)/i.exec(id)?.[1]

/** The last name in an id. */
export const nameOf = (id: string): string => id.split('/').at(-1) ?? id

/** The id of the parent: `/…/servers/s` for `/…/servers/s/databases/d`. */
export const parentOf = (id: string): string => id.split('/').slice(0, -2).join('/')

const idShape =
  /^\/subscriptions\/[0-9a-z-]+\/resourcegroups\/[^/?#%\\]+\/providers\/microsoft\.[a-z.]+(\/[^/?#%\\]+\/[^/?#%\\]+)+$/

/** Whether it is the id of a resource in the subscription, so that it can be used as a path. */
export const isIdOf = (subscription: string, uid: string): boolean =>
  idShape.test(uid.toLowerCase()) &&
  !uid.includes('/../') &&
  uid.toLowerCase().startsWith(`/subscriptions/${subscription.toLowerCase()}/`)
