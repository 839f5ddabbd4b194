/** What a line of a bill is about, called as the inventory calls it. */
import { memberOf, objectOf, textAt, type Json } from '#streams/cloud/kubernetes/api/wire.ts'
import { lastOf } from '#streams/cloud/gcp/place.ts'

/** The line with the name of its resource put right; as it is where it is about none. */
export function named(line: Json): Json {
  const name = textAt(line, 'resource', 'global_name')
  if (name === undefined) return line
  const uid = uidOf(name, line)
  return uid === name ? line : { ...line, resource: { ...objectOf(line['resource']), global_name: uid } }
}

/**
 * Bills number projects and machines, where the inventory has their names; what is in a zone or a region they put there, where GKE itself
 * says locations; and buckets they put into a project of no name.
 */
function uidOf(globalName: string, line: Json): string {
  const [, service = '', path = ''] = /^\/\/([a-z]+)\.googleapis\.com\/(.+)$/.exec(globalName) ?? []
  // Disks are told of in the singular.
  const own = inProject(path, line).replace(/\/(disk|instance|snapshot|image)\//, '/$1s/')
  if (service === 'compute') return withName(own, lastOf(textAt(line, 'resource', 'name')))
  if (service === 'container') return `//container.googleapis.com/${own.replace(/\/(zones|regions)\//, '/locations/')}`
  if (service === 'storage') return `//storage.googleapis.com/${own.replace(/^projects\/_\/buckets\//, '')}`
  return service === '' ? globalName : `//${service}.googleapis.com/${own}`
}

/** The number of the line's own project gives way to its id. */
function inProject(path: string, line: Json): string {
  const id = textAt(line, 'project', 'id')
  const number = memberOf(line, 'project', 'number')
  const [, found] = /^projects\/(\d+)\//.exec(path) ?? []
  const isOwn = typeof number === 'string' || typeof number === 'number' ? found === `${number}` : number === undefined
  return found === undefined || id === undefined || !isOwn ? path : path.replace(found, id)
}

/** The number of a machine gives way to its name, where the line has one. */
const withName = (path: string, name: string): string =>
  /\/\d+$/.test(path) && name !== '' && !/^\d+$/.test(name) ? path.replace(/[^/]+$/, name) : path
