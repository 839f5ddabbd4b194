/** Fields that all objects have. */
import { isTrueAt, listOf, memberOf, textAt, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'

export const namespaceOf = (object: Json): string | undefined => textAt(object, 'metadata', 'namespace')
export const nameOf = (object: Json): string | undefined => textAt(object, 'metadata', 'name')

/** The controller that created the object, otherwise its first owner: `replicaset/web-1`. */
export function ownerOf(object: Json): string | undefined {
  const owners = listOf(memberOf(object, 'metadata', 'ownerReferences'))
  const owner = owners.find((one) => isTrueAt(one, 'controller')) ?? owners[0]
  const kind = textAt(owner, 'kind')
  const name = textAt(owner, 'name')
  return kind === undefined || name === undefined ? undefined : `${kind.toLowerCase()}/${name}`
}

/** The spec of the pods that an object creates, or of the pod itself. */
export function podSpecOf(kind: string, object: Json): unknown {
  if (kind === 'pod') return memberOf(object, 'spec')
  if (kind === 'cronjob') return memberOf(object, 'spec', 'jobTemplate', 'spec', 'template', 'spec')
  return memberOf(object, 'spec', 'template', 'spec')
}

/** Milliseconds since 1970; undefined if the value is not a time. */
export function timeAt(object: Json, ...names: readonly string[]): number | undefined {
  const at = Date.parse(textAt(object, ...names) ?? '')
  return Number.isNaN(at) ? undefined : at
}

/** The condition of this type, if its status is true. */
export const conditionOf = (object: Json, type: string): Json | undefined =>
  listOf(memberOf(object, 'status', 'conditions')).find((one) => one['type'] === type && one['status'] === 'True')
