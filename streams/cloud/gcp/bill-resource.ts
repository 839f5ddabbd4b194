/** What a line of a bill is about, called as the inventory calls it. */
import { memberOf, objectOf, textAt, type Json } from '#streams/cloud/kubernetes/wire.ts'
import { lastOf } from './place.ts'

/** The line with the name of its resource put right; as it is where it is about none. */
export function named(line: Json): Json {
  const name = textAt(line, 'resource', 'global_name')
  if (name === undefined) return line
  const uid = uidOf(name, line)
  return uid === name ? line : { ...line, resource: { ...objectOf(line['resource']), global_name: uid } }
}

/**
 * Bills number projects and machines, where the inventory has their names; and what is in a zone or a region they put there, where GKE
 * itself says locations.
 */
function uidOf(globalName: string, line: Json): string {
  const project = textAt(line, 'project', 'id')
  const number = memberOf(line, 'project', 'number')
  const isOwn = (part: string) => part === project || (number !== undefined && part === String(number))
  let uid = globalName.replace(/\/projects\/([^/]+)/, (all, part: string) =>
    project !== undefined && (isOwn(part) || number === undefined) && /^\d+$/.test(part) ? `/projects/${project}` : all,
  )
  if (uid.startsWith('//container.googleapis.com/')) uid = uid.replace(/\/(zones|regions)\//, '/locations/')
  if (!uid.startsWith('//compute.googleapis.com/')) return uid
  const path = uid.slice('//compute.googleapis.com/'.length)
  const own = lastOf(textAt(line, 'resource', 'name'))
  const isNumbered = /\/\d+$/.test(path)
  return isNumbered && own !== '' && !/^\d+$/.test(own) ? path.replace(/[^/]+$/, own) : path
}
