import fc from 'fast-check'
import { expect } from 'chai'
import { decoder } from '#engine/value/schema.ts'
import { kubernetesChildren } from '#streams/cloud/kubernetes/object/children.ts'
import { childOf, listedKinds, pathOf, uidOf } from '#streams/cloud/kubernetes/object/kind.ts'
import { resourceOf } from '#streams/cloud/kubernetes/object/map.ts'
import { Tally } from '#streams/cloud/kubernetes/object/tally.ts'
import { kubernetesKinds } from '#streams/cloud/resource/resource-type.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { objects } from '#test/streams/cloud/kubernetes/shop.ts'
import { apiOf, cluster, fixedServer, list, today } from '#test/harness/kubernetes.ts'
import { amount } from '#test/harness/tier.ts'

const decode = decoder(resourceDiscovered.schema)
const at = { created_at: '2025-12-01T00:00:00Z' }
const inShop = { namespace: 'shop', ...at }

/** What is known of each, by `<namespace>/<kind>/<name>`: status, specs and sizes. */
const wanted: Record<string, object> = {
  'node/ip-10-0-1-7': {
    status: 'running',
    instanceType: 'm5.large',
    specs: {
      ...at,
      unschedulable: true,
      allocatable_cpu_millicores: 1930,
      // 7,291,292 KiB of 1,024 are 7,120.4 MiB.
      allocatable_memory_mib: 7121,
      zone: 'eu-west-1a',
      architecture: 'amd64',
      node_pool: 'general',
      provider_id: 'aws:///eu-west-1a/i-0abc',
    },
  },
  'shop/pod/web-1-a': {
    status: 'running',
    specs: { ...inShop, owner: 'replicaset/web-1', phase: 'Running', restart_count: 3, node: 'ip-10-0-1-7' },
  },
  'shop/networkpolicy/deny': { status: 'running', specs: inShop },
  'namespace/shop': {
    status: 'running',
    specs: { ...at, system: false, resource_quota: true, limit_range: false, network_policy_count: 1, pod_count: 1 },
  },
  'namespace/kube-system': {
    status: 'running',
    specs: { ...at, system: true, resource_quota: false, limit_range: false, network_policy_count: 0, pod_count: 0 },
  },
  'shop/horizontalpodautoscaler/web': {
    status: 'running',
    specs: { ...inShop, min_replicas: 2, max_replicas: 6, target_cpu_percent: 70, target: 'deployment/web' },
  },
  'shop/verticalpodautoscaler/web': {
    status: 'running',
    specs: { ...inShop, update_mode: 'Off', target: 'deployment/web' },
  },
  'shop/job/nightly-1': {
    status: 'stopped',
    specs: {
      ...inShop,
      owner: 'cronjob/nightly',
      finished: true,
      finished_days: 3,
      ttl_seconds: null,
      owned_by_cronjob: true,
      suspended: false,
    },
  },
  'shop/job/once': {
    status: 'running',
    specs: {
      ...inShop,
      finished: false,
      finished_days: null,
      ttl_seconds: 60,
      owned_by_cronjob: false,
      suspended: false,
    },
  },
  'shop/cronjob/nightly': {
    status: 'running',
    specs: {
      ...inShop,
      schedule: '0 3 * * *',
      suspended: false,
      days_since_success: 9,
      // Two have failed: one 3 days ago, one 7 days ago to the hour, which is no more within 7 days.
      failed_runs_7d: 1,
    },
  },
  'shop/deployment/web': {
    status: 'starting',
    unitCount: 3,
    specs: {
      ...inShop,
      replicas: 3,
      hpa_count: 1,
      ready_replicas: 2,
      claims: ['data'],
      selector: { app: 'web' },
      // 250 and, by its limit, 100; the limit of memory is not whole, since the second container has none.
      cpu_request_millicores: 350,
      memory_request_mib: 256,
      cpu_limit_millicores: 1100,
      containers_without_requests: 1,
      privileged: true,
      mutable_image_tag: true,
      tolerates_spot: true,
      uses_volumes: true,
    },
  },
  'shop/replicaset/web-1': {
    status: 'running',
    unitCount: 3,
    schedulable: false,
    specs: { ...inShop, owner: 'deployment/web', replicas: 3, owner_exists: true },
  },
  'shop/replicaset/left': {
    status: 'stopped',
    unitCount: 0,
    schedulable: true,
    specs: { ...inShop, replicas: 0, owner_exists: false },
  },
  'shop/service/web': {
    status: 'running',
    specs: { ...inShop, service_type: 'LoadBalancer', endpoint_count: 2, load_balancer: 'a.elb.amazonaws.com' },
  },
  'shop/ingress/web': { status: 'running', specs: { ...inShop, tls: true, backend_exists: false } },
  'persistentvolume/pv-1': {
    status: 'running',
    sizeGB: 50,
    specs: {
      ...at,
      phase: 'Bound',
      reclaim_policy: 'Delete',
      storage_class: 'gp3',
      claim: 'shop/data',
      disk: 'vol-1',
      volume_handle: 'vol-1',
    },
  },
  'shop/persistentvolumeclaim/data': {
    status: 'running',
    sizeGB: 50,
    specs: {
      ...inShop,
      phase: 'Bound',
      storage_class: 'gp3',
      volume: 'pv-1',
      pod_count: 1,
      pod: 'web-1-a',
      pod_volume: 'files',
    },
  },
  'storageclass/gp3': {
    status: 'running',
    specs: { ...at, provisioner: 'ebs.csi.aws.com', volume_type: 'gp3', is_default: true },
  },
  'shop/serviceaccount/web': { status: 'running', specs: { ...inShop, pod_count: 1 } },
  'shop/serviceaccount/idle': { status: 'running', specs: { ...inShop, pod_count: 0 } },
  'shop/configmap/settings': { status: 'running', specs: { ...inShop, owned: true, referenced_count: 1 } },
  // The deployment, the ingress and the service account use it.
  'shop/secret/database': { status: 'running', specs: { ...inShop, owned: false, referenced_count: 3 } },
  'shop/role/all': { status: 'running', specs: { ...inShop, wildcard: true } },
  'shop/rolebinding/all': { status: 'running', specs: { ...inShop, role_name: 'all', subject_count: 2 } },
  'clusterrole/reader': { status: 'running', specs: { ...at, wildcard: false } },
  'clusterrolebinding/system:node': {
    status: 'running',
    specs: { ...at, role_name: 'system:node', subject_count: 0, system: true },
  },
}

describe('objects of a cluster as resources', () => {
  const scan = async (given: Record<string, readonly object[]>, denied: readonly string[] = []) => {
    const server = await fixedServer(({ path }) => {
      const kind = listedKinds.find((one) => pathOf(one) === path)!
      return denied.includes(kind.kind) ? { status: 403, body: {} } : list('Any', given[kind.kind] ?? [])
    })
    try {
      const found = []
      for await (const page of kubernetesChildren(apiOf(server.url), cluster).pages) found.push(...page)
      return new Map(found.map((one) => [one.resourceUid.slice(cluster.uid.length + 1), one]))
    } finally {
      server.close()
    }
  }

  it('say what rules read of each kind, also what lies in other objects', async () => {
    const found = await scan(objects)
    for (const [key, about] of Object.entries(wanted)) {
      const { status, specs, sizeGB, unitCount, instanceType, schedulable } = found.get(key)!
      const told = {
        status,
        specs,
        ...(sizeGB !== undefined && { sizeGB }),
        ...(unitCount !== undefined && { unitCount }),
      }
      const more = {
        ...(instanceType !== undefined && { instanceType }),
        ...('schedulable' in about && { schedulable }),
      }
      expect({ ...told, ...more }, key).to.deep.equal(about)
    }
    const kinds = new Set([...found.values()].map(({ type }) => type.slice('aws-eks-'.length)))
    const absent = Object.keys(kubernetesKinds).filter((kind) => !kinds.has(kind))
    expect(absent, 'all but those the shop has none of').to.deep.equal(['statefulset', 'daemonset'])
  })

  it('leave out what lies in objects that may not be seen', async () => {
    const found = await scan(objects, [
      'pod',
      'horizontalpodautoscaler',
      'endpointslice',
      'job',
      'resourcequota',
      'service',
    ])
    const has = (key: string, name: string) => Object.hasOwn(found.get(key)!.specs!, name)
    const lost = [
      ['shop/deployment/web', 'hpa_count'],
      ['shop/cronjob/nightly', 'failed_runs_7d'],
      ['shop/ingress/web', 'backend_exists'],
      ['namespace/shop', 'pod_count'],
      ['namespace/shop', 'resource_quota'],
      ['shop/secret/database', 'referenced_count'],
      ['shop/persistentvolumeclaim/data', 'pod_count'],
    ] as const
    expect(lost.filter(([key, name]) => has(key, name))).to.deep.equal([])
    expect(has('namespace/shop', 'network_policy_count')).to.equal(true)
  })

  it('are what the streams carry, whatever a server answers', () => {
    const tally = new Tally(today)
    fc.assert(
      fc.property(
        fc.constantFrom(...listedKinds),
        fc.object({ maxDepth: 5, key: fc.constantFrom(...members, 'x', '__proto__') }),
        (kind, object) => {
          const named = { ...object, metadata: { name: 'a', namespace: 'b', ...(object['metadata'] as object) } }
          tally.take(kind.kind, named as never)
          const found = resourceOf(kind, named as never, cluster, { tally, now: today })
          if (found) decode({ ...found, cloudAccountId: 'acct-1' })
        },
      ),
      { numRuns: amount(500, 3000, 30_000) },
    )
  })

  it('have a uid that leads back to them', () => {
    for (const one of listedKinds.filter(({ aside }) => !aside)) {
      const namespace = one.namespaced ? 'shop' : undefined
      const child = childOf({
        resourceUid: uidOf(cluster.uid, one.kind, namespace, 'a:b.c'),
        type: `aws-eks-${one.kind}`,
      })
      expect(child).to.deep.equal({ listed: one, clusterUid: cluster.uid, namespace, name: 'a:b.c' })
    }
  })
})

/** Names that are looked for. */
const members = [
  'metadata',
  'name',
  'namespace',
  'labels',
  'ownerReferences',
  'spec',
  'status',
  'template',
  'containers',
  'resources',
  'requests',
  'limits',
  'cpu',
  'memory',
  'volumes',
  'conditions',
  'type',
  'rules',
  'verbs',
  'replicas',
  'metrics',
  'tls',
  'hosts',
  'endpoints',
  'allocatable',
]
