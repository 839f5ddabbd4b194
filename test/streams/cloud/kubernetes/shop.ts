/** A small shop as its API server lists it, in which what one object says lies in others. */

const made = (name: string, namespace?: string, more: object = {}) => ({
  metadata: { name, ...(namespace && { namespace }), creationTimestamp: '2025-12-01T00:00:00Z', ...more },
})
const owned = (kind: string, name: string) => ({ ownerReferences: [{ kind, name, controller: true }] })

/** By kind. */
export const objects: Record<string, readonly object[]> = {
  node: [
    {
      ...made('ip-10-0-1-7', undefined, {
        labels: {
          'node.kubernetes.io/instance-type': 'm5.large',
          'topology.kubernetes.io/zone': 'eu-west-1a',
          'kubernetes.io/arch': 'amd64',
          'eks.amazonaws.com/nodegroup': 'general',
        },
      }),
      spec: { providerID: 'aws:///eu-west-1a/i-0abc', unschedulable: true },
      status: { allocatable: { cpu: '1930m', memory: '7291292Ki' } },
    },
  ],
  pod: [
    {
      ...made('web-1-a', 'shop', owned('ReplicaSet', 'web-1')),
      spec: {
        nodeName: 'ip-10-0-1-7',
        serviceAccountName: 'web',
        volumes: [{ name: 'files', persistentVolumeClaim: { claimName: 'data' } }],
      },
      status: { phase: 'Running', containerStatuses: [{ restartCount: 2 }, { restartCount: 1 }] },
    },
    { ...made('done', 'shop'), spec: { serviceAccountName: 'web' }, status: { phase: 'Succeeded' } },
  ],
  resourcequota: [made('quota', 'shop')],
  endpointslice: [
    {
      metadata: { name: 'web-x', namespace: 'shop', labels: { 'kubernetes.io/service-name': 'web' } },
      endpoints: [{ conditions: { ready: true } }, { conditions: { ready: false } }, {}],
    },
  ],
  networkpolicy: [made('deny', 'shop')],
  namespace: [made('shop', undefined, { labels: { team: 'web' } }), made('kube-system')],
  horizontalpodautoscaler: [
    {
      ...made('web', 'shop'),
      spec: {
        minReplicas: 2,
        maxReplicas: 6,
        scaleTargetRef: { kind: 'Deployment', name: 'web' },
        metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { averageUtilization: 70 } } }],
      },
    },
  ],
  verticalpodautoscaler: [
    {
      ...made('web', 'shop'),
      spec: { updatePolicy: { updateMode: 'Off' }, targetRef: { kind: 'Deployment', name: 'web' } },
    },
  ],
  job: [
    {
      ...made('nightly-1', 'shop', owned('CronJob', 'nightly')),
      status: { conditions: [{ type: 'Failed', status: 'True', lastTransitionTime: '2026-01-12T12:00:00Z' }] },
    },
    {
      ...made('nightly-0', 'shop', owned('CronJob', 'nightly')),
      status: { conditions: [{ type: 'Failed', status: 'True', lastTransitionTime: '2026-01-08T12:00:00Z' }] },
    },
    { ...made('once', 'shop'), spec: { ttlSecondsAfterFinished: 60 }, status: { active: 1 } },
  ],
  cronjob: [
    {
      ...made('nightly', 'shop'),
      spec: { schedule: '0 3 * * *' },
      status: { lastSuccessfulTime: '2026-01-05T13:00:00Z' },
    },
  ],
  deployment: [
    {
      ...made('web', 'shop', { labels: { app: 'web' } }),
      spec: {
        replicas: 3,
        selector: { matchLabels: { app: 'web' } },
        template: {
          spec: {
            nodeSelector: { 'eks.amazonaws.com/capacityType': 'SPOT' },
            volumes: [{ persistentVolumeClaim: { claimName: 'data' } }, { configMap: { name: 'settings' } }],
            containers: [
              {
                image: 'registry:5000/shop/web',
                resources: { requests: { cpu: '0.25', memory: '256Mi' }, limits: { cpu: 1, memory: '1Gi' } },
                env: [{ valueFrom: { secretKeyRef: { name: 'database' } } }],
              },
              {
                image: 'proxy@sha256:00',
                resources: { limits: { cpu: '100m' } },
                securityContext: { privileged: true },
              },
            ],
          },
        },
      },
      status: { replicas: 3, readyReplicas: 2 },
    },
  ],
  replicaset: [
    { ...made('web-1', 'shop', owned('Deployment', 'web')), spec: { replicas: 3 }, status: { readyReplicas: 3 } },
    { ...made('left', 'shop'), spec: { replicas: 0 } },
  ],
  service: [
    {
      ...made('web', 'shop'),
      spec: { type: 'LoadBalancer' },
      status: { loadBalancer: { ingress: [{ hostname: 'a.elb.amazonaws.com' }] } },
    },
  ],
  ingress: [
    {
      ...made('web', 'shop'),
      spec: {
        tls: [{ hosts: ['*.example.com'], secretName: 'database' }],
        rules: [{ host: 'www.example.com', http: { paths: [{ backend: { service: { name: 'gone' } } }] } }],
      },
    },
  ],
  persistentvolume: [
    {
      ...made('pv-1'),
      spec: {
        capacity: { storage: '50Gi' },
        persistentVolumeReclaimPolicy: 'Delete',
        storageClassName: 'gp3',
        claimRef: { namespace: 'shop', name: 'data' },
        csi: { volumeHandle: 'vol-1' },
      },
      status: { phase: 'Bound' },
    },
  ],
  persistentvolumeclaim: [
    {
      ...made('data', 'shop'),
      spec: { storageClassName: 'gp3', volumeName: 'pv-1', resources: { requests: { storage: '40Gi' } } },
      status: { phase: 'Bound', capacity: { storage: '50Gi' } },
    },
  ],
  storageclass: [
    {
      ...made('gp3', undefined, { annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } }),
      provisioner: 'ebs.csi.aws.com',
      parameters: { type: 'gp3' },
    },
  ],
  serviceaccount: [made('web', 'shop'), { ...made('idle', 'shop'), imagePullSecrets: [{ name: 'database' }] }],
  configmap: [made('settings', 'shop', { labels: { 'app.kubernetes.io/managed-by': 'Helm' } })],
  secret: [made('database', 'shop')],
  role: [{ ...made('all', 'shop'), rules: [{ verbs: ['*'], resources: ['pods'] }] }],
  rolebinding: [{ ...made('all', 'shop'), roleRef: { name: 'all' }, subjects: [{}, {}] }],
  clusterrole: [{ ...made('reader'), rules: [{ verbs: ['get'], resources: ['pods'] }] }],
  clusterrolebinding: [{ ...made('system:node'), roleRef: { name: 'system:node' }, subjects: [] }],
}
