/**
 * Permissions needed in a cluster: the only table, used for verification, for actions, and for printing the cluster
 * role.
 */
import type { Access } from '#streams/cloud/permission/permission-types.ts'
import { listedKinds, resourceName } from '#streams/cloud/kubernetes/object/kind.ts'

/** One rule of a cluster role. */
export interface ClusterPermission {
  access: Access
  verbs: readonly string[]
  group: string
  /** As in rules: `deployments/scale`. */
  resources: readonly string[]
  /** Its purpose, as a comment in the document. */
  purpose: string
}

const read = (group: string, resources: readonly string[], purpose: string): ClusterPermission => ({
  access: 'read',
  verbs: ['get', 'list'],
  group,
  resources,
  purpose,
})
const change = (verb: string, group: string, resources: readonly string[], purpose: string): ClusterPermission => ({
  access: 'write',
  verbs: [verb],
  group,
  resources,
  purpose,
})

const groups = [...new Set(listedKinds.map(({ group }) => group))]
const pluralsOf = (group: string): string[] =>
  listedKinds.filter((one) => one.group === group && one.kind !== 'secret').map(({ plural }) => plural)

export const permissions: readonly ClusterPermission[] = [
  ...groups.map((group) => read(group, pluralsOf(group), 'inventory')),
  read('', ['secrets'], 'only names and labels of secrets are read; without this rule secrets are skipped'),
  { ...read('metrics.k8s.io', ['pods', 'nodes'], 'current usage of pods and nodes'), verbs: ['list'] },
  change('patch', 'apps', ['deployments/scale', 'statefulsets/scale', 'replicasets/scale'], 'to start, stop and scale'),
  change('patch', 'batch', ['jobs', 'cronjobs'], 'to suspend and resume'),
  change('patch', 'apps', ['deployments', 'statefulsets', 'daemonsets'], 'to set container requests'),
  change('patch', 'autoscaling', ['horizontalpodautoscalers'], 'to set autoscaler limits'),
  change('delete', 'apps', ['deployments', 'statefulsets'], 'to delete unused resources'),
  change(
    'delete',
    '',
    ['services', 'persistentvolumes', 'persistentvolumeclaims', 'configmaps', 'secrets'],
    'to delete unused resources',
  ),
]

/** One verb on one resource, named as for `kubectl auth can-i`. */
export interface Need {
  name: string
  access: Access
  verb: string
  group: string
  resource: string
  purpose: string
}

export const needs: readonly Need[] = permissions.flatMap(({ access, verbs, group, resources, purpose }) =>
  verbs.flatMap((verb) =>
    resources.map((resource) => ({
      name: `${verb} ${nameOf(group, resource)}`,
      access,
      verb,
      group,
      resource,
      purpose,
    })),
  ),
)

/** `deployments.apps/scale`: the subresource comes after the group. */
function nameOf(group: string, resource: string): string {
  const [plural = '', part] = resource.split('/')
  const name = resourceName({ group, plural })
  return part === undefined ? name : `${name}/${part}`
}

/** Whether the table contains the permission. */
export const isOffered = (permission: string): boolean => needs.some(({ name }) => name === permission)

/** The group that the role is bound to. The cluster's cloud makes our identities members of it. */
export const groupName = 'tidemark'

/** A ClusterRole and its binding, as YAML. */
export function clusterRole(accesses: readonly Access[]): string {
  const rules = permissions.filter(({ access }) => accesses.includes(access))
  return [
    'apiVersion: rbac.authorization.k8s.io/v1',
    'kind: ClusterRole',
    'metadata:',
    `  name: ${groupName}`,
    'rules:',
    ...rules.flatMap(lines),
    '---',
    'apiVersion: rbac.authorization.k8s.io/v1',
    'kind: ClusterRoleBinding',
    'metadata:',
    `  name: ${groupName}`,
    'roleRef:',
    '  apiGroup: rbac.authorization.k8s.io',
    '  kind: ClusterRole',
    `  name: ${groupName}`,
    'subjects:',
    '  - apiGroup: rbac.authorization.k8s.io',
    '    kind: Group',
    `    name: ${groupName}`,
    '',
  ].join('\n')
}

const lines = ({ verbs, group, resources, purpose }: ClusterPermission): string[] => [
  `  # ${purpose}`,
  `  - apiGroups: ['${group}']`,
  `    resources: [${resources.map((name) => `'${name}'`).join(', ')}]`,
  `    verbs: [${verbs.map((verb) => `'${verb}'`).join(', ')}]`,
]
