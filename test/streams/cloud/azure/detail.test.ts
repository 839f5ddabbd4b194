/** What is asked for a resource besides its list: the attributes that it gives, and none where it is refused. */
import { expect } from 'chai'
import { account, answerServer, armError, type AnswerServer, type Question } from './answer-server.ts'
import { disk, snapshot } from '#streams/cloud/azure/map/compute.ts'
import { applicationGateway } from '#streams/cloud/azure/map/network.ts'
import { plain } from '#streams/cloud/azure/map/switchable.ts'
import { computeInstance } from '#streams/cloud/azure/discover/runtimes-and-pools.ts'
import { cosmosAccount } from '#streams/cloud/azure/map/database.ts'
import { idOf, root, scanned } from './world.ts'

type Answers = Readonly<Record<string, unknown>>

const rest = (id: string) => id.replace(root, '')
const list = (kind: string, ...items: object[]): Answers => ({ [`/providers/${kind}`]: { value: items } })
const values = (...value: object[]) => ({ value })

interface DetailCase {
  type: string
  answers: Answers
  /** Attributes by name of the resource. */
  wanted: Readonly<Record<string, object>>
  /** Attributes that are not known where everything besides the list is refused. */
  unknown: readonly string[]
}

const server = idOf('Microsoft.Sql/servers', 'sql')
const pool = `${server}/elasticPools/Pool`
const machine = idOf('Microsoft.Compute/virtualMachines', 'Vm')
const vault = idOf('Microsoft.RecoveryServices/vaults', 'vault')
const image = idOf('Microsoft.Compute/images', 'Golden')
const firewall = idOf('Microsoft.Network/azureFirewalls', 'fw')
const policy = idOf('Microsoft.Network/firewallPolicies', 'policy')
const network = idOf('Microsoft.Network/virtualNetworks', 'Hub')
const watcher = idOf('Microsoft.Network/networkWatchers', 'w')
const storage = idOf('Microsoft.Storage/storageAccounts', 'store')
const factory = idOf('Microsoft.DataFactory/factories', 'adf')
const hosts = idOf('Microsoft.DesktopVirtualization/hostPools', 'desk')
const plan = idOf('Microsoft.Web/serverfarms', 'Plan')
const postgres = idOf('Microsoft.DBforPostgreSQL/flexibleServers', 'pg')
const range = (start: string, end: string) => ({
  id: `/r/${start}-${end}`,
  properties: { startIpAddress: start, endIpAddress: end },
})

const cases: readonly DetailCase[] = [
  {
    type: 'azure-sql-server',
    answers: {
      ...list('Microsoft.Sql/servers', { id: server, name: 'sql' }),
      [`${rest(server)}/firewallRules`]: values(range('0.0.0.0', '0.0.0.0'), range('0.0.0.0', '255.255.255.255')),
      [`${rest(server)}/auditingSettings/default`]: { properties: { state: 'Disabled' } },
    },
    wanted: { sql: { allow_all_ips: true, auditing: false } },
    unknown: ['allow_all_ips', 'auditing'],
  },
  {
    type: 'azure-sql-elastic-pool',
    answers: {
      ...list('Microsoft.Sql/servers', { id: server, name: 'sql' }),
      [`${rest(server)}/elasticPools`]: values({ id: pool, name: 'Pool' }),
      [`${rest(server)}/databases`]: values(
        { id: `${server}/databases/a`, properties: { elasticPoolId: pool.toUpperCase() } },
        { id: `${server}/databases/b`, properties: {} },
      ),
    },
    wanted: { Pool: { database_count: 1 } },
    unknown: [],
  },
  {
    type: 'azure-sql-database',
    answers: {
      ...list('Microsoft.Sql/servers', { id: server, name: 'sql' }),
      [`${rest(server)}/databases`]: values({ id: `${server}/databases/a`, name: 'a' }),
      [`${rest(server)}/databases/a/transparentDataEncryption/current`]: { properties: { state: 'Enabled' } },
    },
    wanted: { a: { tde_enabled: true } },
    unknown: [],
  },
  {
    type: 'azure-postgres',
    answers: {
      ...list('Microsoft.DBforPostgreSQL/flexibleServers', { id: postgres, name: 'pg' }),
      [`${rest(postgres)}/configurations/require_secure_transport`]: { properties: { value: 'off' } },
      [`${rest(postgres)}/firewallRules`]: values(range('10.0.0.0', '10.0.0.255')),
    },
    wanted: { pg: { require_tls: false, allow_all_ips: false } },
    unknown: ['require_tls', 'allow_all_ips'],
  },
  {
    type: 'azure-vm',
    answers: {
      ...list('Microsoft.Compute/virtualMachines', { id: machine, name: 'Vm' }),
      ...list('Microsoft.RecoveryServices/vaults', { id: vault }),
      [`${rest(vault)}/backupProtectedItems`]: values({ id: '/i', properties: { sourceResourceId: machine } }),
    },
    wanted: { Vm: { backup_protected: true } },
    unknown: ['backup_protected'],
  },
  {
    type: 'azure-firewall',
    answers: {
      ...list('Microsoft.Network/azureFirewalls', {
        id: firewall,
        name: 'fw',
        properties: { sku: { tier: 'Premium' }, firewallPolicy: { id: policy } },
      }),
      [rest(policy)]: { properties: { intrusionDetection: { mode: 'Off' } } },
      [`${rest(policy)}/ruleCollectionGroups`]: values({
        id: '/g',
        properties: {
          ruleCollections: [{ rules: [{ ruleType: 'ApplicationRule', targetFqdns: ['a'], targetUrls: [] }] }],
        },
      }),
    },
    wanted: { fw: { premium_features: false } },
    unknown: ['premium_features'],
  },
  {
    type: 'azure-vnet',
    answers: {
      ...list('Microsoft.Network/virtualNetworks', { id: network, name: 'Hub' }, { id: `${network}2`, name: 'Hub2' }),
      ...list('Microsoft.Network/networkWatchers', { id: watcher }),
      [`${rest(watcher)}/flowLogs`]: values({ id: '/f', properties: { targetResourceId: network, enabled: true } }),
    },
    wanted: { Hub: { flow_logs: true }, Hub2: { flow_logs: false } },
    unknown: ['flow_logs'],
  },
  {
    type: 'azure-storage-account',
    answers: {
      ...list('Microsoft.Storage/storageAccounts', { id: storage, name: 'store', kind: 'StorageV2' }),
      [`${rest(storage)}/managementPolicies/default`]: {
        properties: {
          policy: {
            rules: [
              { enabled: true, definition: { actions: { baseBlob: { tierToCool: {} } } } },
              { enabled: false, definition: { actions: { version: { delete: {} } } } },
            ],
          },
        },
      },
      [`${rest(storage)}/blobServices/default`]: {
        properties: { isVersioningEnabled: true, deleteRetentionPolicy: { enabled: true, days: 14 } },
      },
    },
    wanted: {
      store: { lifecycle_policy: true, versions_rule: false, versioning: true, soft_delete_days: 14 },
    },
    unknown: ['lifecycle_policy', 'versions_rule', 'versioning', 'soft_delete_days'],
  },
  {
    type: 'azure-data-factory',
    answers: {
      ...list('Microsoft.DataFactory/factories', { id: factory, name: 'adf' }),
      [`${rest(factory)}/pipelines`]: values(
        { id: '/p/a', name: 'a' },
        { id: '/p/b', name: 'b' },
        { id: '/p/c', name: 'c' },
      ),
      [`POST ${rest(factory)}/queryPipelineRuns`]: { value: [{ pipelineName: 'b', status: 'Succeeded' }] },
      [`${rest(factory)}/integrationRuntimes`]: values({
        id: '/r',
        properties: {
          type: 'Managed',
          typeProperties: { computeProperties: { dataFlowProperties: { computeType: 'General', timeToLive: 30 } } },
        },
      }),
    },
    wanted: { adf: { inactive_pipeline_count: 2, dataflow_ttl_minutes: 30 } },
    unknown: ['inactive_pipeline_count', 'dataflow_ttl_minutes'],
  },
  {
    type: 'azure-avd-host-pool',
    answers: {
      ...list('Microsoft.DesktopVirtualization/hostPools', {
        id: hosts,
        name: 'desk',
        properties: { hostPoolType: 'Pooled', startVMOnConnect: true },
      }),
      ...list('Microsoft.DesktopVirtualization/scalingPlans', {
        id: '/plan',
        properties: { hostPoolReferences: [{ hostPoolArmPath: hosts.toLowerCase(), scalingPlanEnabled: false }] },
      }),
    },
    wanted: { desk: { pool_type: 'Pooled', scaling_plan: false, start_on_connect: true } },
    unknown: ['scaling_plan'],
  },
  {
    type: 'azure-resource-group',
    answers: {
      '/resourcegroups': values(
        { id: `${root}/resourceGroups/Shop`, name: 'Shop' },
        { id: `${root}/resourceGroups/Free`, name: 'Free' },
      ),
      ...list(
        'Microsoft.Authorization/locks',
        { id: `${root}/resourceGroups/shop/providers/Microsoft.Authorization/locks/keep` },
        { id: `${root}/resourceGroups/Free/providers/Microsoft.Web/sites/s/providers/Microsoft.Authorization/locks/l` },
      ),
    },
    wanted: { Shop: { locked: true }, Free: { locked: false } },
    unknown: ['locked'],
  },
]

describe('what Azure tells of a resource besides its list', () => {
  let far: AnswerServer
  afterEach(() => far.close())
  const specsOf = async (
    types: readonly string[],
    answers: Answers,
    isRefused: (path: string) => boolean = () => false,
  ) => {
    far = await answerServer(({ path, method }: Question) => {
      if (isRefused(path)) return armError(403, 'AuthorizationFailed')
      return { body: answers[`${method === 'POST' ? 'POST ' : ''}${path.replace(root, '')}`] ?? { value: [] } }
    })
    const { found } = await scanned(far, account, new Set(types))
    return new Map(found.map(({ name, specs = {} }) => [name, specs]))
  }

  for (const { type, answers, wanted, unknown } of cases) {
    it(`gives its attributes: ${type}`, async () => {
      const specs = await specsOf([type], answers)
      expect([...specs.keys()]).to.deep.equal(Object.keys(wanted))
      for (const [name, some] of Object.entries(wanted)) expect(specs.get(name)).to.deep.include(some)
    })
    if (unknown.length > 0)
      it(`leaves its attributes unknown where it is refused: ${type}`, async () => {
        const [first] = Object.keys(answers) as [string]
        const specs = await specsOf([type], answers, (path) => path.replace(root, '') !== first)
        expect([...specs.keys()]).to.deep.equal(Object.keys(wanted))
        for (const one of specs.values()) expect(one).not.to.have.any.keys(...unknown)
      })
  }

  it('counts machines and sets that are made of an image, where all of both were seen', async () => {
    const model = (id: string) => ({ storageProfile: { imageReference: { id } } })
    const answers = {
      ...list('Microsoft.Compute/images', { id: image, name: 'Golden' }),
      ...list('Microsoft.Compute/virtualMachines', { id: machine, properties: model(image.toUpperCase()) }),
      ...list('Microsoft.Compute/virtualMachineScaleSets', {
        id: idOf('Microsoft.Compute/virtualMachineScaleSets', 'set'),
        properties: { virtualMachineProfile: model(image) },
      }),
    }
    const types = ['azure-image', 'azure-vm', 'azure-vmss']
    expect((await specsOf(types, answers)).get('Golden')?.['in_use_count']).to.equal(2)
    await far.close()
    const specs = await specsOf(types, answers, (path) => path.endsWith('/virtualMachineScaleSets'))
    expect(specs.get('Golden')).not.to.have.property('in_use_count')
  })

  it('knows the plan that functions run in', async () => {
    const answers = {
      ...list('Microsoft.Web/serverfarms', { id: plan, sku: { tier: 'ElasticPremium' } }),
      ...list('Microsoft.Web/sites', {
        id: idOf('Microsoft.Web/sites', 'jobs'),
        name: 'jobs',
        kind: 'functionapp',
        properties: { serverFarmId: plan.toUpperCase() },
      }),
    }
    const specs = await specsOf(['azure-app-service-plan', 'azure-function-app'], answers)
    expect(specs.get('jobs')?.['plan_tier']).to.equal('ElasticPremium')
  })

  it('tells from which size on a disk has its price, snapshots of a backup, copies, members and units', async () => {
    await specsOf([], {})
    const floorOf = (name: string, diskSizeGB: number) =>
      disk({ id: idOf('Microsoft.Compute/disks', 'd'), sku: { name }, properties: { diskSizeGB } }, 0)[0]!.specs![
        'tier_floor_gb'
      ]
    expect([floorOf('Premium_LRS', 130), floorOf('Premium_LRS', 128), floorOf('Standard_LRS', 20)]).to.deep.equal([
      128,
      64,
      null,
    ])
    expect(floorOf('PremiumV2_LRS', 130)).to.equal(null)
    const ofBackup = (group: string, tags = {}) =>
      snapshot({ id: idOf('Microsoft.Compute/snapshots', 's', group), tags })[0]!.specs!['managed_by_backup']
    expect([
      ofBackup('AzureBackupRG_eu_1'),
      ofBackup('Shop'),
      ofBackup('Shop', { CreatedBy: 'AzureBackup' }),
    ]).to.deep.equal([true, false, true])
    const periodicModeProperties = { backupIntervalInMinutes: 240, backupRetentionIntervalInHours: 8 }
    const id = idOf('Microsoft.DocumentDB/databaseAccounts', 'c')
    const copies = (backupPolicy: object) =>
      cosmosAccount({ id, properties: { backupPolicy } })[0]!.specs!['backup_copies']
    expect([copies({ type: 'Periodic', periodicModeProperties }), copies({ type: 'Continuous' })]).to.deep.equal([
      2,
      null,
    ])
    const backendAddressPools = [
      { properties: { backendAddresses: [{ fqdn: 'a' }], backendIPConfigurations: [{}, {}] } },
    ]
    const gateway = applicationGateway({
      id: idOf('Microsoft.Network/applicationGateways', 'g'),
      properties: { backendAddressPools },
    })
    expect(gateway[0]!.specs!['backend_count']).to.equal(3)
    const specsIn = (type: string, item: object) => plain(type)({ id: idOf('x/y', 'one'), ...item })[0]!.specs
    expect(specsIn('azure-synapse-sql-pool', { sku: { name: 'DW1000c' } })).to.deep.include({ dwu: 1000 })
    expect(specsIn('azure-kusto', { sku: { name: 'Standard_E8', capacity: 2 } })).to.deep.include({
      capacity: 2,
      dev_sku: false,
    })
    const transformation = { properties: { streamingUnits: 6 } }
    expect(specsIn('azure-stream-analytics', { properties: { transformation } })).to.deep.include({
      streaming_units: 6,
    })
    const learning = { properties: { vmSize: 'S', schedules: { computeStartStop: [{ action: 'Stop' }] } } }
    expect(computeInstance({ id: idOf('x/y', 'one'), properties: learning })[0]!.specs).to.deep.include({
      idle_shutdown: null,
      schedule: true,
    })
  })
})
