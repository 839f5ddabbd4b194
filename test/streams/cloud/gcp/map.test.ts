import { expect } from 'chai'
import type { Database, NodePool } from '#streams/cloud/gcp/answer/service.ts'
import { group, groupStatus, instance, snapshot } from '#streams/cloud/gcp/map/compute.ts'
import { bucket, cluster, database, databaseStatus, nodePool, poolStatus } from '#streams/cloud/gcp/map/service.ts'

const project = 'shop-prod'
const where = { project, scope: 'zones/us-central1-a' }
const none = { poolOf: () => undefined }
const link = (path: string) => `https://www.googleapis.com/compute/v1/projects/${project}/${path}`

describe('what Google Cloud answers, as our resources', () => {
  it('is a machine with all that rules read of it, at the price of its size', () => {
    const found = instance(
      {
        name: 'web',
        id: '987',
        selfLink: link('zones/us-central1-a/instances/web'),
        status: 'TERMINATED',
        machineType: link('zones/us-central1-a/machineTypes/n2-standard-2'),
        creationTimestamp: '2026-01-01T00:00:00.000-08:00',
        labels: { team: 'web' },
        scheduling: { preemptible: false, provisioningModel: 'STANDARD' },
        networkInterfaces: [{ accessConfigs: [{ natIP: '203.0.113.7', networkTier: 'PREMIUM' }] }],
        serviceAccounts: [
          {
            email: '123-compute@developer.gserviceaccount.com',
            scopes: ['https://www.googleapis.com/auth/cloud-platform'],
          },
        ],
        shieldedInstanceConfig: { enableVtpm: true, enableIntegrityMonitoring: false },
        metadata: { items: [{ key: 'serial-port-enable', value: 'TRUE' }] },
        disks: [
          {
            licenses: [
              'https://www.googleapis.com/compute/v1/projects/debian-cloud/global/licenses/debian-12-bookworm',
            ],
          },
        ],
      },
      where,
      none,
    )
    expect(found).to.deep.equal({
      resourceUid: 'projects/shop-prod/zones/us-central1-a/instances/web',
      name: 'web',
      type: 'gcp-vm',
      provider: 'gcp',
      region: 'us-central1',
      status: 'stopped',
      instanceType: 'n2-standard-2',
      tags: { team: 'web' },
      // 2 vCPUs of 0.031611 and 8 GiB of 0.004237 US dollars.
      hourlyRateUSD: 0.097118,
      specs: {
        created_at: '2026-01-01T08:00:00.000Z',
        instance_id: '987',
        provisioning_model: 'STANDARD',
        gpu_count: 0,
        external_ip: '203.0.113.7',
        network_tier: 'PREMIUM',
        default_sa_full_scope: true,
        shielded_vm: false,
        serial_port_enabled: true,
        custom_machine: false,
        node_affinity: false,
        license: null,
        zone: 'us-central1-a',
      },
    })
  })

  it('is a machine without a price where it is cheaper, dearer or not known', () => {
    const rate = (more: object, scope = where.scope) =>
      instance({ name: 'x', machineType: 'machineTypes/n2-standard-2', ...more }, { project, scope }, none)
        .hourlyRateUSD
    const windows =
      'https://www.googleapis.com/compute/v1/projects/windows-cloud/global/licenses/windows-server-2022-dc'
    expect(rate({})).to.equal(0.097118)
    expect(rate({ scheduling: { preemptible: true } })).to.equal(undefined)
    expect(rate({ guestAccelerators: [{ acceleratorCount: 1 }] })).to.equal(undefined)
    expect(rate({ disks: [{ licenses: [windows] }] })).to.equal(undefined)
    expect(rate({}, 'zones/nowhere-north9-a')).to.equal(undefined)
  })

  it('is a machine of its group, of its pool of nodes, or of its cluster of Dataproc, which alone is scheduled', () => {
    const made = {
      metadata: { items: [{ key: 'created-by', value: 'projects/123/zones/us-central1-a/instanceGroupManagers/api' }] },
    }
    const of = (one: object, poolOf: (path: string) => string | undefined = () => undefined) => {
      const { parentUID, schedulable } = instance({ name: 'x', ...one }, where, { poolOf })
      return [parentUID, schedulable]
    }
    const path = 'projects/shop-prod/zones/us-central1-a/instanceGroupManagers/api'
    expect(of(made)).to.deep.equal([path, false])
    expect(of(made, (asked) => (asked === path ? 'pool' : undefined))).to.deep.equal(['pool', false])
    expect(
      of({ labels: { 'goog-dataproc-cluster-name': 'spark', 'goog-dataproc-location': 'us-central1' } }),
    ).to.deep.equal(['//dataproc.googleapis.com/projects/shop-prod/regions/us-central1/clusters/spark', false])
    expect(of({})).to.deep.equal([undefined, undefined])
  })

  it('is on, off or on its way as groups and pools say it', () => {
    const doing = (targetSize: number, currentActions: Record<string, number> = {}) =>
      groupStatus({ name: 'x', targetSize, currentActions })
    expect([
      doing(2),
      doing(2, { creating: 1 }),
      doing(2, { creating: 2 }),
      doing(0),
      doing(0, { deleting: 1 }),
    ]).to.deep.equal(['running', 'running', 'starting', 'stopped', 'stopping'])
    expect([
      poolStatus('RUNNING', 3),
      poolStatus('RECONCILING', 0),
      poolStatus('PROVISIONING', 3),
      poolStatus('RUNNING', undefined),
    ]).to.deep.equal(['running', 'stopped', 'pending', undefined])
    const state = (of: string, activationPolicy: string) =>
      databaseStatus({ name: 'x', state: of, settings: { activationPolicy } } as Database)
    expect([
      state('RUNNABLE', 'ALWAYS'),
      state('RUNNABLE', 'NEVER'),
      state('MAINTENANCE', 'ALWAYS'),
      state('PENDING_DELETE', 'ALWAYS'),
    ]).to.deep.equal(['running', 'stopped', 'pending', 'stopping'])
  })

  it('is a pool counted over its zones, and a group with the bounds of its autoscaler', () => {
    const gke = { name: 'shop', location: 'us-central1', resourceLabels: { env: 'prod' } }
    const pool: NodePool = {
      name: 'default',
      status: 'RUNNING',
      locations: ['us-central1-a', 'us-central1-b', 'us-central1-c'],
      autoscaling: { enabled: true, minNodeCount: 1, maxNodeCount: 4 },
      config: { machineType: 'e2-standard-4' },
    }
    const found = nodePool(pool, gke, project, 6)
    expect(found).to.deep.include({
      resourceUid:
        '//container.googleapis.com/projects/shop-prod/locations/us-central1/clusters/shop/nodePools/default',
      parentUID: '//container.googleapis.com/projects/shop-prod/locations/us-central1/clusters/shop',
      unitCount: 6,
      // Six of 4 vCPUs of 0.021812 and 16 GiB of 0.002924 US dollars.
      hourlyRateUSD: 0.804192,
    })
    expect(found.specs).to.deep.include({ min_nodes: 3, max_nodes: 12, node_count: 6, autoscaling: true, spot: false })
    expect(nodePool(pool, { ...gke, autopilot: { enabled: true } }, project, 6).schedulable).to.equal(false)
    const scaled = group({ name: 'api', targetSize: 2 }, where, {
      autoscaler: { name: 'api', autoscalingPolicy: { mode: 'OFF', minNumReplicas: 1, maxNumReplicas: 5 } },
      isScaled: false,
      template: undefined,
      pool: undefined,
    })
    expect(scaled.specs).to.deep.include({ target_size: 2, min_replicas: 1, max_replicas: 5, autoscaler: false })
  })

  it('is a cluster, a database, a bucket and a snapshot with what rules read of them', () => {
    const gke = cluster(
      {
        name: 'shop',
        location: 'us-central1-a',
        currentMasterVersion: '1.33',
        releaseChannel: { channel: 'UNSPECIFIED' },
      },
      project,
    )
    expect(gke).to.deep.include({ region: 'us-central1', hourlyRateUSD: 0.1 })
    expect(gke.specs).to.deep.include({
      version: '1.33',
      release_channel: 'none',
      autopilot: false,
      zone: 'us-central1-a',
    })
    const sql = database(
      {
        name: 'copy',
        region: 'us-central1',
        masterInstanceName: 'shop-prod:orders',
        settings: { tier: 'db-custom-2-7680' },
      },
      project,
    )
    expect(sql.parentUID).to.equal('//cloudsql.googleapis.com/projects/shop-prod/instances/orders')
    expect(sql.specs).to.deep.include({ vcpus: 2, memory_gib: 7.5, is_replica: true, edition: 'ENTERPRISE' })
    const rules = [
      { action: { type: 'Delete' }, condition: { numNewerVersions: 3 } },
      { action: { type: 'SetStorageClass' }, condition: {} },
    ]
    const media = bucket(
      {
        name: 'media',
        location: 'US-EAST1',
        lifecycle: { rule: rules },
        softDeletePolicy: { retentionDurationSeconds: '604800' },
      },
      true,
    )
    expect(media.specs).to.deep.include({
      lifecycle_rule_count: 2,
      noncurrent_rule: true,
      tiering_rule: true,
      abort_multipart_rule: false,
      soft_delete_days: 7,
      public: true,
    })
    const copy = snapshot(
      { name: 's', diskSizeGb: '20', storageBytes: '1500000000', storageLocations: ['us'], autoCreated: true },
      { project, scope: 'global' },
    )
    expect([copy.region, copy.sizeGB]).to.deep.equal(['global', 20])
    expect(copy.specs).to.deep.include({
      stored_gb: 1.5,
      multi_region: true,
      scheduled: true,
      snapshot_type: 'STANDARD',
    })
  })
})
