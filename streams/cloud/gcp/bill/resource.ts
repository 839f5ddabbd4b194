/** Converts the resource of a bill line to its uid in the inventory. */
import type { BillingLine } from '#streams/billing/messages.ts'
import { memberOf, objectOf, textAt, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'
import { lastOf } from '#streams/cloud/gcp/resource-path.ts'

/** What is needed to convert a resource's name. */
interface Context {
  /** Id of the line's project. Below: its number. */
  project: string | undefined
  number: unknown
  /** The resource's name. */
  name: string | undefined
}

/** A line from a file, with the uid of its resource. */
export function withUid(line: BillingLine): BillingLine {
  const { ResourceId: id, SubAccountId: project, ResourceName: name } = line
  if (!id) return line
  const uid = uidOf(id, { project: project ?? undefined, number: undefined, name: name ?? undefined })
  return uid === id ? line : { ...line, ResourceId: uid }
}

/** The line with the uid of its resource; unchanged if it has none. */
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
 * Bills contain numbers of projects and machines where the inventory has names; zones and regions where GKE has
 * locations; and buckets in a nameless project.
 */
function uidOf(globalName: string, context: Context): string {
  const [, service = '', path = ''] = /^\/\/([a-z]+)\.googleapis\.com\/(.+)$/.exec(globalName) ?? []
  // Bills name disks and similar types in the singular.
  const own = inProject(path, context).replace(/\/(disk|instance|snapshot|image)\//, '/$1s/')
  if (service === 'compute') return withName(own, lastOf(context.name))
  if (service === 'container') return `//container.googleapis.com/${own.replace(/\/(zones|regions)\//, '/locations/')}`
  if (service === 'storage') return `//storage.googleapis.com/${own.replace(/^projects\/_\/buckets\//, '')}`
  return service === '' ? globalName : `//${service}.googleapis.com/${own}`
}

/** Replaces the number of the line's own project with its id. */
function inProject(path: string, { project: id, number }: Context): string {
  const [, found] = /^projects\/(\d+)\//.exec(path) ?? []
  const isOwn = typeof number === 'string' || typeof number === 'number' ? found === `${number}` : number === undefined
  return found === undefined || id === undefined || !isOwn ? path : path.replace(found, id)
}

/** Replaces the number of a machine with its name, if the line has one. */
const withName = (path: string, name: string): string =>
  /\/\d+$/.test(path) && name !== '' && !/^\d+$/.test(name) ? path.replace(/[^/]+$/, name) : path
