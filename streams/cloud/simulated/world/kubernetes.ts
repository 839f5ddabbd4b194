import type { NativePolicy } from '#streams/cloud/connector.ts'
import type { Load } from './resource.ts'

/** A Kubernetes object in the simulated clusters. */
export interface Workload {
  kind: string
  /** Empty for objects without a namespace. */
  namespace: string
  name: string
  units?: number
  gb?: number
  load?: Load
  owned?: boolean
  specs?: Readonly<Record<string, unknown>>
}

const few: readonly Workload[] = [
  { kind: 'namespace', namespace: '', name: 'app' },
  { kind: 'deployment', namespace: 'app', name: 'web', units: 3, load: 'web' },
  { kind: 'deployment', namespace: 'app', name: 'api', units: 2, load: 'web' },
  {
    kind: 'statefulset',
    namespace: 'app',
    name: 'queue',
    units: 2,
    load: 'steady',
  },
  { kind: 'cronjob', namespace: 'app', name: 'nightly-report' },
  { kind: 'service', namespace: 'app', name: 'web' },
  { kind: 'configmap', namespace: 'app', name: 'settings' },
  {
    kind: 'pod',
    namespace: 'app',
    name: 'web-0',
    load: 'web',
    specs: { phase: 'Running', restart_count: 0, owner: 'replicaset/web' },
  },
]

const more: readonly Workload[] = [
  { kind: 'namespace', namespace: '', name: 'monitoring' },
  { kind: 'deployment', namespace: 'monitoring', name: 'dashboard', units: 1, load: 'light' },
  { kind: 'daemonset', namespace: 'monitoring', name: 'node-agent', units: 3, load: 'light' },
  {
    kind: 'statefulset',
    namespace: 'monitoring',
    name: 'metrics',
    units: 1,
    load: 'steady',
  },
  { kind: 'job', namespace: 'app', name: 'migrate-schema' },
  { kind: 'cronjob', namespace: 'app', name: 'cleanup' },
  {
    kind: 'replicaset',
    namespace: 'app',
    name: 'web',
    units: 3,
    owned: true,
    specs: { replicas: 3, owner: 'deployment/web' },
  },
  { kind: 'replicaset', namespace: 'app', name: 'left-behind', units: 1, specs: { replicas: 1 } },
  { kind: 'service', namespace: 'app', name: 'api', specs: { service_type: 'LoadBalancer' } },
  { kind: 'ingress', namespace: 'app', name: 'web' },
  { kind: 'networkpolicy', namespace: 'app', name: 'deny-all' },
  { kind: 'secret', namespace: 'app', name: 'database' },
  { kind: 'serviceaccount', namespace: 'app', name: 'web' },
  { kind: 'storageclass', namespace: '', name: 'fast' },
  { kind: 'persistentvolume', namespace: '', name: 'pv-queue-0', gb: 50 },
  { kind: 'persistentvolumeclaim', namespace: 'app', name: 'queue-0', gb: 50 },
  {
    kind: 'horizontalpodautoscaler',
    namespace: 'app',
    name: 'web',
    specs: { max_replicas: 6, target_cpu_percent: 70 },
  },
  { kind: 'verticalpodautoscaler', namespace: 'app', name: 'api', specs: { update_mode: 'Off' } },
  { kind: 'node', namespace: '', name: 'node-1', load: 'web', specs: { unschedulable: false } },
  { kind: 'node', namespace: '', name: 'node-2', load: 'web', specs: { unschedulable: false } },
  {
    kind: 'pod',
    namespace: 'app',
    name: 'api-0',
    load: 'web',
    specs: { phase: 'Running', restart_count: 2, owner: 'replicaset/api' },
  },
  { kind: 'role', namespace: 'app', name: 'reader' },
  { kind: 'rolebinding', namespace: 'app', name: 'reader' },
  { kind: 'clusterrole', namespace: '', name: 'node-reader' },
  { kind: 'clusterrolebinding', namespace: '', name: 'node-reader' },
]

/** The objects in a cluster: all 24 kinds, or the few of a small cluster. */
export const workloads = (which: 'all' | 'few'): readonly Workload[] => (which === 'all' ? [...few, ...more] : few)

/** The autoscaler of a workload: the one with the same name, if there is one. */
export function autoscalersOf(
  all: readonly Workload[],
  { kind, namespace, name }: Pick<Workload, 'kind' | 'namespace' | 'name'>,
): NativePolicy[] {
  if (kind !== 'deployment' && kind !== 'statefulset') return []
  return all
    .filter((one) => one.kind === 'horizontalpodautoscaler' && one.namespace === namespace && one.name === name)
    .map(({ specs }) => ({
      policyName: name,
      metric: 'cpu_request_percent',
      target: Number(specs?.['target_cpu_percent']),
      managedBy: 'customer',
    }))
}
