/** Each type from an object of the SDK, worked out by hand. */
import { expect } from 'chai'
import { table } from '#streams/cloud/aws/map/dynamodb.ts'
import { loadBalancer } from '#streams/cloud/aws/map/elastic-load-balancing.ts'
import { cache } from '#streams/cloud/aws/map/elasticache.ts'
import { lambdaFunction } from '#streams/cloud/aws/map/lambda.ts'
import { logGroup } from '#streams/cloud/aws/map/logs.ts'
import { database, databaseCluster } from '#streams/cloud/aws/map/rds.ts'
import { warehouse } from '#streams/cloud/aws/map/redshift.ts'
import { bucket } from '#streams/cloud/aws/map/s3.ts'
import { arn, aws, made, madeAt, none, one, where } from './mapped.ts'

describe('what AWS tells of data and the rest', () => {
  const db = {
    DBInstanceArn: arn('rds', 'db:orders'),
    DBInstanceIdentifier: 'orders',
    DBInstanceClass: 'db.m5.large',
    DBInstanceStatus: 'available',
    Engine: 'postgres',
    EngineVersion: '17.6',
    AvailabilityZone: 'us-east-1c',
    MultiAZ: true,
    AllocatedStorage: 500,
    StorageType: 'gp3',
    Iops: 3000,
    InstanceCreateTime: made,
    PubliclyAccessible: false,
    StorageEncrypted: true,
    BackupRetentionPeriod: 7,
    DeletionProtection: true,
    AutoMinorVersionUpgrade: true,
    TagList: [{ Key: 'env', Value: 'prod' }],
  } as const

  it('makes an aws-rds, of two zones paid twice; a member of a cluster starts and stops with it alone', () => {
    const { hourlyRateUSD: twice, ...orders } = one(database(db as never, where, none))
    const { hourlyRateUSD: once } = one(database({ ...db, MultiAZ: false } as never, where, none))
    expect([once, twice]).to.deep.equal([0.178, 0.356])
    expect(orders).to.deep.equal({
      ...aws,
      resourceUid: db.DBInstanceArn,
      name: 'orders',
      type: 'aws-rds',
      status: 'running',
      instanceType: 'db.m5.large',
      sizeGB: 500,
      tags: { env: 'prod' },
      specs: {
        created_at: madeAt,
        engine: 'postgres',
        engine_version: '17.6',
        multi_az: true,
        storage_type: 'gp3',
        iops: 3000,
        is_replica: false,
        replica_count: 0,
        publicly_accessible: false,
        storage_encrypted: true,
        backup_retention_days: 7,
        deletion_protection: true,
        auto_minor_upgrade: true,
        max_allocated_storage_gb: null,
        master_secret_arn: null,
        cluster_id: null,
        zone: 'us-east-1c',
      },
    })
    const member = one(database({ ...db, DBClusterIdentifier: 'shop' } as never, where, (name) => `cluster:${name}`))
    expect([member.parentUID, member.schedulable, member.specs?.['cluster_id']]).to.deep.equal([
      'cluster:shop',
      false,
      'shop',
    ])
  })

  it('makes an aws-aurora-cluster, and what its engine says of those of others', () => {
    const cluster = {
      DBClusterArn: arn('rds', 'cluster:shop'),
      DBClusterIdentifier: 'shop',
      Status: 'stopped',
    } as const
    const more = {
      Engine: 'aurora-postgresql',
      EngineVersion: '16.8',
      DBClusterMembers: [{}, {}],
      StorageEncrypted: true,
    }
    const serverless = { ServerlessV2ScalingConfiguration: { MinCapacity: 0.5, MaxCapacity: 8 } }
    expect(one(databaseCluster({ ...cluster, ...more, ...serverless }, where))).to.deep.equal({
      ...aws,
      resourceUid: cluster.DBClusterArn,
      name: 'shop',
      type: 'aws-aurora-cluster',
      status: 'stopped',
      tags: {},
      specs: {
        engine: 'aurora-postgresql',
        engine_version: '16.8',
        storage_type: 'aurora',
        member_count: 2,
        serverless_min_acu: 0.5,
        serverless_max_acu: 8,
        storage_encrypted: true,
        master_secret_arn: null,
      },
    })
    const types = ['docdb', 'neptune', 'mysql'].map(
      (Engine) => one(databaseCluster({ ...cluster, Engine }, where)).type,
    )
    expect(types).to.deep.equal(['aws-documentdb', 'aws-neptune', 'aws-aurora-cluster'])
  })

  it('makes an aws-elasticache, with what its replication group says', () => {
    const node = {
      CacheClusterId: 'sessions-001',
      CacheNodeType: 'cache.r5.large',
      NumCacheNodes: 1,
      Engine: 'redis',
      ReplicationGroupId: 'sessions',
    }
    const group = { MultiAZ: 'enabled', NodeGroups: [{ NodeGroupMembers: [{}, {}] }] } as const
    const found = one(cache(node, where, group as never, [{ Key: 'env', Value: 'prod' }]))
    expect(found).to.deep.equal({
      ...aws,
      resourceUid: arn('elasticache', 'cluster:sessions-001'),
      name: 'sessions-001',
      type: 'aws-elasticache',
      status: 'running',
      instanceType: 'cache.r5.large',
      unitCount: 1,
      hourlyRateUSD: 0.216,
      tags: { env: 'prod' },
      specs: { engine: 'redis', node_count: 1, replication_group: 'sessions', replicas_per_shard: 1, multi_az: true },
    })
    // Where the group may not be asked nothing is said of it.
    expect(one(cache(node, where, undefined, null)).specs).to.not.have.any.keys('multi_az', 'replicas_per_shard')
  })

  it('makes an aws-dynamodb-table, an aws-redshift and an aws-lambda', () => {
    const carts = {
      TableArn: arn('dynamodb', 'table/carts'),
      TableName: 'carts',
      TableStatus: 'ACTIVE',
      TableSizeBytes: 80e9,
      ItemCount: 12,
    } as const
    expect(
      one(
        table({ ...carts, ProvisionedThroughput: { ReadCapacityUnits: 5, WriteCapacityUnits: 2 } }, where, {
          isScaled: false,
          isRestorable: true,
        }),
      ),
    ).to.deep.equal({
      ...aws,
      resourceUid: carts.TableArn,
      name: 'carts',
      type: 'aws-dynamodb-table',
      status: 'running',
      sizeGB: 80,
      tags: {},
      specs: {
        state: 'ACTIVE',
        billing_mode: 'PROVISIONED',
        read_capacity: 5,
        write_capacity: 2,
        autoscaling: false,
        pitr_enabled: true,
        table_class: 'STANDARD',
        item_count: 12,
      },
    })
    const stars = {
      ClusterIdentifier: 'stars',
      NodeType: 'ra3.4xlarge',
      NumberOfNodes: 2,
      ClusterStatus: 'paused',
      Encrypted: true,
    }
    expect(one(warehouse(stars, where))).to.deep.equal({
      ...aws,
      resourceUid: arn('redshift', 'cluster:stars'),
      name: 'stars',
      type: 'aws-redshift',
      status: 'stopped',
      instanceType: 'ra3.4xlarge',
      unitCount: 2,
      tags: {},
      specs: { node_type: 'ra3.4xlarge', node_count: 2, encrypted: true },
    })
    const thumbs = {
      FunctionArn: arn('lambda', 'function:thumbs'),
      FunctionName: 'thumbs',
      MemorySize: 1024,
      Timeout: 60,
      Architectures: ['arm64' as const],
      Runtime: 'nodejs22.x' as const,
    }
    expect(one(lambdaFunction(thumbs, where, { tags: { env: 'prod' }, provisioned: 4, urlAuth: null }))).to.deep.equal({
      ...aws,
      resourceUid: thumbs.FunctionArn,
      name: 'thumbs',
      type: 'aws-lambda',
      status: 'running',
      tags: { env: 'prod' },
      specs: {
        memory_mb: 1024,
        timeout_seconds: 60,
        architecture: 'arm64',
        runtime: 'nodejs22.x',
        provisioned_concurrency: 4,
        url_auth_type: null,
      },
    })
  })

  it('makes an aws-s3-bucket with what its rules say, an aws-log-group, an aws-alb and an aws-nlb', () => {
    const rules = [
      {
        Status: 'Enabled' as const,
        Transitions: [{ Days: 30 }],
        AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 },
      },
      { Status: 'Disabled' as const, NoncurrentVersionExpiration: { NoncurrentDays: 3 } },
    ]
    const encryption = [
      { ApplyServerSideEncryptionByDefault: { SSEAlgorithm: 'aws:kms' as const }, BucketKeyEnabled: true },
    ]
    const more = { tags: [{ Key: 'env', Value: 'prod' }], versioning: 'Enabled', lifecycle: rules, encryption }
    expect(one(bucket({ Name: 'media', CreationDate: made }, where, more))).to.deep.equal({
      ...aws,
      resourceUid: 'arn:aws:s3:::media',
      name: 'media',
      type: 'aws-s3-bucket',
      status: 'running',
      tags: { env: 'prod' },
      specs: {
        created_at: madeAt,
        versioning: 'Enabled',
        lifecycle_rule_count: 1,
        abort_multipart_rule: true,
        noncurrent_rule: false,
        tiering_rule: true,
        encryption: 'aws:kms',
        bucket_key_enabled: true,
      },
    })
    const logs = {
      arn: `${arn('logs', 'log-group:/shop')}:*`,
      logGroupName: '/shop',
      creationTime: made.getTime(),
      storedBytes: 25e9,
      metricFilterCount: 1,
    }
    const quiet = { lastEvent: made.getTime(), subscriptions: 2 }
    expect(one(logGroup(logs, where, quiet, made.getTime() + 3.5 * 86_400_000))).to.deep.equal({
      ...aws,
      resourceUid: arn('logs', 'log-group:/shop'),
      name: '/shop',
      type: 'aws-log-group',
      status: 'running',
      tags: {},
      specs: {
        created_at: madeAt,
        retention_days: null,
        log_class: 'STANDARD',
        stored_gb: 25,
        days_since_event: 3,
        subscription_count: 3,
      },
    })
    const front = {
      LoadBalancerArn: arn('elasticloadbalancing', 'loadbalancer/app/front/1'),
      LoadBalancerName: 'front',
      Scheme: 'internal' as const,
    }
    const [alb, nlb] = (['application', 'network'] as const).map((Type) =>
      one(loadBalancer({ ...front, Type }, where, { targets: ['i-1', '10.0.0.9'], listeners: [{ Protocol: 'HTTP' }] })),
    )
    expect(alb).to.deep.equal({
      ...aws,
      resourceUid: front.LoadBalancerArn,
      name: 'front',
      type: 'aws-alb',
      status: 'running',
      hourlyRateUSD: 0.0225,
      tags: {},
      specs: { scheme: 'internal', target_count: 2, target_instances: ['i-1'], http_redirects_to_https: false },
    })
    expect([nlb?.type, nlb?.hourlyRateUSD]).to.deep.equal(['aws-nlb', undefined])
  })
})
