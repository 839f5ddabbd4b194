/** Verifies permissions in a cluster one by one. */
import { isTrueAt, listOf, memberOf, textsOf, type Json } from './json-access.ts'
import type { PermissionCheck } from '#streams/cloud/connector.ts'
import type { KubernetesApi } from './api.ts'
import { needs, type Need } from './permissions.ts'

const group = 'authorization.k8s.io'

/**
 * A rules review answers for one namespace, including its own bindings. In a namespace that hardly exists, only
 * cluster-wide rules apply.
 */
const anywhere = 'tidemark-permission-check'

/** In the order of the table. @throws a `cloudFault` if the cluster cannot be queried */
export async function kubernetesPermissions(api: KubernetesApi): Promise<PermissionCheck[]> {
  const answer = await review(api, 'selfsubjectrulesreviews', { namespace: api.namespace ?? anywhere })
  const rules = listOf(memberOf(answer, 'status', 'resourceRules'))
  const isWhole = !isTrueAt(answer, 'status', 'incomplete')
  const checks: PermissionCheck[] = []
  for (const need of needs) checks.push(await checkPermission(api, need, rules, isWhole))
  return checks
}

const review = (api: KubernetesApi, resource: string, spec: Json): Promise<Json> =>
  api.ask({
    permission: `create ${resource}.${group}`,
    method: 'POST',
    path: `/apis/${group}/v1/${resource}`,
    body: { apiVersion: `${group}/v1`, kind: kinds[resource], spec },
  })

const kinds: Readonly<Record<string, string>> = {
  selfsubjectrulesreviews: 'SelfSubjectRulesReview',
  selfsubjectaccessreviews: 'SelfSubjectAccessReview',
}

/**
 * Other authorizers, such as access policies of EKS, list no rules, so permissions that no rule grants are queried one
 * by one.
 */
async function checkPermission(
  api: KubernetesApi,
  need: Need,
  rules: readonly Json[],
  isWhole: boolean,
): Promise<PermissionCheck> {
  const { name, access } = need
  if (rules.some((rule) => allows(rule, need))) return { name, access, state: 'granted' }
  if (isWhole) return { name, access, state: 'missing' }
  const [resource, subresource] = need.resource.split('/')
  const resourceAttributes = {
    verb: need.verb,
    group: need.group,
    resource,
    ...(subresource !== undefined && { subresource }),
    ...(api.namespace !== undefined && { namespace: api.namespace }),
  }
  const answer = await review(api, 'selfsubjectaccessreviews', { resourceAttributes })
  return { name, access, state: stateOf(memberOf(answer, 'status', 'allowed')) }
}

const stateOf = (allowed: unknown): PermissionCheck['state'] => {
  if (typeof allowed !== 'boolean') return 'unknown'
  return allowed ? 'granted' : 'missing'
}

/** A rule for certain object names grants nothing for others. */
function allows(rule: Json, need: Need): boolean {
  const has = (member: string, ...names: readonly string[]) =>
    textsOf(rule[member]).some((one) => one === '*' || names.includes(one))
  const [, part] = need.resource.split('/')
  const resources = part === undefined ? [need.resource] : [need.resource, `*/${part}`]
  const isCore = need.group === '' && Array.isArray(rule['apiGroups']) && rule['apiGroups'].includes('')
  const isNarrow = Array.isArray(rule['resourceNames']) && rule['resourceNames'].length > 0
  return (
    !isNarrow && has('verbs', need.verb) && (isCore || has('apiGroups', need.group)) && has('resources', ...resources)
  )
}
