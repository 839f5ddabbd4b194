/** What all objects have in common. */
import { isTrueAt, listOf, memberOf, textAt, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'

export const namespaceOf = (object: Json): string | undefined => textAt(object, 'metadata', 'namespace')
export const nameOf = (object: Json): string | undefined => textAt(object, 'metadata', 'name')

/** What made the object and makes it anew, else what it goes away with; `replicaset/web-1`. */
export function ownerOf(object: Json): string | undefined {
  const owners = listOf(memberOf(object, 'metadata', 'ownerReferences'))
  const owner = owners.find((one) => isTrueAt(one, 'controller')) ?? owners[0]
  const kind = textAt(owner, 'kind')
  const name = textAt(owner, 'name')
  return kind === undefined || name === undefined ? undefined : `${kind.toLowerCase()}/${name}`
}

/** The spec of the pods that an object runs, or of the pod that it is. */
export function podSpecOf(kind: string, object: Json): unknown {
  if (kind === 'pod') return memberOf(object, 'spec')
  if (kind === 'cronjob') return memberOf(object, 'spec', 'jobTemplate', 'spec', 'template', 'spec')
  return memberOf(object, 'spec', 'template', 'spec')
}

/** Milliseconds since 1970; undefined for what is no time. */
export function timeAt(object: Json, ...names: readonly string[]): number | undefined {
  const at = Date.parse(textAt(object, ...names) ?? '')
  return Number.isNaN(at) ? undefined : at
}

/** The condition of a type that holds. */
export const conditionOf = (object: Json, type: string): Json | undefined =>
  listOf(memberOf(object, 'status', 'conditions')).find((one) => one['type'] === type && one['status'] === 'True')
