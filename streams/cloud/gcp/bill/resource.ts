/** What a line of a bill is about, called as the inventory calls it. */
import type { BillingLine } from '#streams/billing/messages.ts'
import { memberOf, objectOf, textAt, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'
import { lastOf } from '#streams/cloud/gcp/resource-path.ts'

/** What tells how a line's resource is called in the inventory. */
interface Context {
  /** The id of the line's project, and its number. */
  project: string | undefined
  number: unknown
  /** The name of the resource. */
  name: string | undefined
}

/** A line that was read of a file, with the name of its resource put right. */
export function withUid(line: BillingLine): BillingLine {
  const { ResourceId: id, SubAccountId: project, ResourceName: name } = line
  if (!id) return line
  const uid = uidOf(id, { project: project ?? undefined, number: undefined, name: name ?? undefined })
  return uid === id ? line : { ...line, ResourceId: uid }
}

/** The line with the name of its resource put right; as it is where it is about none. */
export function withResourceName(line: Json): Json {
  const name = textAt(line, 'resource', 'global_name')
  if (name === undefined) return line
  const uid = uidOf(name, {
    project: textAt(line, 'project', 'id'),
    number: memberOf(line, 'project', 'number'),
    name: textAt(line, 'resource', 'name'),
  })
  return uid === name ? line : { ...line, resource: { ...objectOf(line['resource']), global_name: uid } }
}

/**
 * Bills number projects and machines, where the inventory has their names; what is in a zone or a region they put there, where GKE itself
 * says locations; and buckets they put into a project of no name.
 */
function uidOf(globalName: string, context: Context): string {
  const [, service = '', path = ''] = /^\/\/([a-z]+)\.googleapis\.com\/(.+)$/.exec(globalName) ?? []
  // Disks are told of in the singular.
  const own = inProject(path, context).replace(/\/(disk|instance|snapshot|image)\//, '/$1s/')
  if (service === 'compute') return withName(own, lastOf(context.name))
  if (service === 'container') return `//container.googleapis.com/${own.replace(/\/(zones|regions)\//, '/locations/')}`
  if (service === 'storage') return `//storage.googleapis.com/${own.replace(/^projects\/_\/buckets\//, '')}`
  return service === '' ? globalName : `//${service}.googleapis.com/${own}`
}

/** The number of the line's own project gives way to its id. */
function inProject(path: string, { project: id, number }: Context): string {
  const [, found] = /^projects\/(\d+)\//.exec(path) ?? []
  const isOwn = typeof number === 'string' || typeof number === 'number' ? found === `${number}` : number === undefined
  return found === undefined || id === undefined || !isOwn ? path : path.replace(found, id)
}

/** The number of a machine gives way to its name, where the line has one. */
const withName = (path: string, name: string): string =>
  /\/\d+$/.test(path) && name !== '' && !/^\d+$/.test(name) ? path.replace(/[^/]+$/, name) : path
