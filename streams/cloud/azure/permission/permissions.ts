/** Permissions that the application needs for each call: the Azure part of the table. */
import { telemetryTables } from '#streams/cloud/azure/measure/logs.ts'
import { listedTypes } from '#streams/cloud/azure/discover/listed/index.ts'
import { insideTypes } from '#streams/cloud/azure/session/workspace.ts'
import { row, type Permission } from '#streams/cloud/permission/permission-types.ts'

const scales = row('autoscaling', 'read')
const scalesBy = row('autoscaling', 'write')
const finds = row('discovery', 'read')
const measures = row('metrics', 'read')
const bills = row('bills', 'read')
const sees = row('actions', 'read')
const acts = row('actions', 'write')
const makes = row('provisioning', 'write')

const vm = 'Microsoft.Compute/virtualMachines'
const vmss = 'Microsoft.Compute/virtualMachineScaleSets'
const clusters = 'Microsoft.ContainerService/managedClusters'
const autoscale = 'Microsoft.Insights/autoscaleSettings'

const machine = { types: ['azure-vm'] }
const set = { types: ['azure-vmss'] }
const cluster = { types: ['azure-aks'] }
const pool = { types: ['azure-aks-nodepool'] }
const disk = { types: ['azure-disk'] }

const autoscaling: readonly Permission[] = [
  scales('look', [`${vmss}/read`, `${vmss}/instanceView/read`], set),
  scales('look', [`${clusters}/agentPools/read`], pool),
  // The pool itself is queried and changed in the workspace, whose members have the rights.
  scales('look', ['Microsoft.Databricks/workspaces/read'], { types: ['azure-databricks-instance-pool'] }),
  scales('measure', ['Microsoft.Insights/metrics/read']),
  scales('policies', [`${autoscale}/read`], set),
  scales('quotas', ['Microsoft.Compute/locations/usages/read']),
  scalesBy('scale', [`${vmss}/write`], set),
  scalesBy('scale', [`${autoscale}/write`], set),
  scalesBy('scale', [`${clusters}/agentPools/write`], pool),
  scalesBy('replacePolicies', [`${autoscale}/write`, `${autoscale}/delete`], set),
]

const flexible = (namespace: string): readonly string[] =>
  ['', '/configurations', '/firewallRules'].map((part) => `${namespace}/flexibleServers${part}`)

/** What is read of types, mostly one list each. */
const listedKinds: Readonly<Record<string, readonly string[]>> = {
  'azure-resource-group': ['Microsoft.Resources/subscriptions/resourceGroups', 'Microsoft.Authorization/locks'],
  'azure-vm': [vm, 'Microsoft.RecoveryServices/vaults', 'Microsoft.RecoveryServices/vaults/backupProtectedItems'],
  'azure-disk': ['Microsoft.Compute/disks'],
  'azure-snapshot': ['Microsoft.Compute/snapshots'],
  'azure-image': ['Microsoft.Compute/images'],
  'azure-nic': ['Microsoft.Network/networkInterfaces'],
  'azure-public-ip': ['Microsoft.Network/publicIPAddresses'],
  'azure-load-balancer': ['Microsoft.Network/loadBalancers'],
  'azure-app-gateway': ['Microsoft.Network/applicationGateways'],
  'azure-nat-gateway': ['Microsoft.Network/natGateways'],
  'azure-firewall': [
    'Microsoft.Network/azureFirewalls',
    'Microsoft.Network/firewallPolicies',
    'Microsoft.Network/firewallPolicies/ruleCollectionGroups',
  ],
  'azure-vnet': [
    'Microsoft.Network/virtualNetworks',
    'Microsoft.Network/networkWatchers',
    'Microsoft.Network/networkWatchers/flowLogs',
  ],
  'azure-nsg': ['Microsoft.Network/networkSecurityGroups'],
  'azure-sql-server': [
    'Microsoft.Sql/servers',
    'Microsoft.Sql/servers/firewallRules',
    'Microsoft.Sql/servers/auditingSettings',
  ],
  'azure-sql-database': [
    'Microsoft.Sql/servers/databases',
    'Microsoft.Sql/servers/databases/transparentDataEncryption',
  ],
  'azure-sql-elastic-pool': ['Microsoft.Sql/servers/elasticPools'],
  'azure-sql-mi': ['Microsoft.Sql/managedInstances'],
  'azure-postgres': [...flexible('Microsoft.DBforPostgreSQL'), 'Microsoft.DBforPostgreSQL/servers'],
  'azure-mysql': [...flexible('Microsoft.DBforMySQL'), 'Microsoft.DBforMySQL/servers'],
  'azure-redis': ['Microsoft.Cache/redis', 'Microsoft.Cache/redisEnterprise'],
  'azure-cosmos-account': ['Microsoft.DocumentDB/databaseAccounts'],
  'azure-aks': [clusters],
  'azure-app-service-plan': ['Microsoft.Web/serverfarms'],
  'azure-web-app': ['Microsoft.Web/sites'],
  'azure-function-app': ['Microsoft.Web/sites'],
  'azure-storage-account': [
    'Microsoft.Storage/storageAccounts',
    'Microsoft.Storage/storageAccounts/managementPolicies',
    'Microsoft.Storage/storageAccounts/blobServices',
  ],
  'azure-container-group': ['Microsoft.ContainerInstance/containerGroups'],
  'azure-container-app': ['Microsoft.App/containerApps'],
  'azure-kusto': ['Microsoft.Kusto/clusters'],
  'azure-stream-analytics': ['Microsoft.StreamAnalytics/streamingjobs'],
  'azure-fabric-capacity': ['Microsoft.Fabric/capacities'],
  'azure-analysis-services': ['Microsoft.AnalysisServices/servers'],
  'azure-databricks': ['Microsoft.Databricks/workspaces'],
  'azure-synapse-sql-pool': ['Microsoft.Synapse/workspaces', 'Microsoft.Synapse/workspaces/sqlPools'],
  'azure-data-factory': [
    'Microsoft.DataFactory/factories',
    'Microsoft.DataFactory/factories/integrationRuntimes',
    'Microsoft.DataFactory/factories/pipelines',
  ],
  'azure-adf-ssis-ir': ['Microsoft.DataFactory/factories', 'Microsoft.DataFactory/factories/integrationRuntimes'],
  'azure-ml-compute-instance': [
    'Microsoft.MachineLearningServices/workspaces',
    'Microsoft.MachineLearningServices/workspaces/computes',
  ],
  'azure-avd-host-pool': [
    'Microsoft.DesktopVirtualization/hostPools',
    'Microsoft.DesktopVirtualization/hostPools/sessionHosts',
    'Microsoft.DesktopVirtualization/scalingPlans',
    'Microsoft.Compute/virtualMachines',
  ],
}

const discovery: readonly Permission[] = [
  finds('verify', ['Microsoft.Resources/subscriptions/read', 'Microsoft.Authorization/permissions/read']),
  ...Object.entries(listedKinds).map(([type, kinds]) =>
    finds(
      'discover',
      kinds.map((kind) => `${kind}/read`),
      { types: [type] },
    ),
  ),
  ...listedTypes.map(({ type, permissions }) => finds('discover', permissions, { types: [type] })),
  finds('discover', ['Microsoft.Databricks/workspaces/read'], { types: [...insideTypes] }),
  finds('discover', [`${vmss}/read`, `${vmss}/instanceView/read`, `${autoscale}/read`], set),
  finds('discover', [`${clusters}/listClusterUserCredential/action`], cluster),
  finds('discover', ['Microsoft.DataFactory/factories/integrationRuntimes/getStatus/action'], {
    types: ['azure-adf-ssis-ir'],
  }),
  finds('discover', ['Microsoft.DataFactory/factories/queryPipelineRuns/action'], { types: ['azure-data-factory'] }),
  finds('usage', [`${clusters}/read`, `${clusters}/listClusterUserCredential/action`], cluster),
  finds('usage', ['Microsoft.Network/loadBalancers/read', 'Microsoft.Network/publicIPAddresses/read'], {
    types: ['azure-load-balancer'],
  }),
]

/** Placeholder for the bill's container: `<storage account>/<container>`. */
export const billContainer = 'YOUR-STORAGE-ACCOUNT/YOUR-CONTAINER'
/** A data permission, which roles list separately from those to resources. */
/** Needed only to query costs. */
export const costRead = 'Microsoft.CostManagement/query/read'

export const blobRead = 'Microsoft.Storage/storageAccounts/blobServices/containers/blobs/read'

const workspaces = 'Microsoft.OperationalInsights/workspaces'

const costs: readonly Permission[] = [
  measures('measure', ['Microsoft.Insights/metrics/read']),
  // Of all that a workspace holds, the two tables that agents write memory and disks to, and that of its own volume.
  measures(
    'measure',
    [
      `${workspaces}/read`,
      `${workspaces}/query/read`,
      `${workspaces}/query/InsightsMetrics/read`,
      `${workspaces}/query/Perf/read`,
    ],
    machine,
  ),
  measures('measure', [`${workspaces}/read`, `${workspaces}/query/read`, `${workspaces}/query/Usage/read`], {
    types: ['azure-log-analytics'],
  }),
  measures(
    'measure',
    [
      `${workspaces}/read`,
      `${workspaces}/query/read`,
      ...telemetryTables.map((table) => `${workspaces}/query/${table}/read`),
    ],
    { types: ['azure-app-insights'] },
  ),
  measures('measure', ['Microsoft.DesktopVirtualization/hostPools/sessionHosts/read'], {
    types: ['azure-avd-host-pool'],
  }),
  measures('measure', ['Microsoft.Databricks/workspaces/read'], { types: ['azure-databricks-instance-pool'] }),
  bills('bill', [blobRead], { resources: [billContainer] }),
  bills('bill', [costRead]),
]

/** Types with one action for starting and one for stopping. */
const powerActions: Readonly<Record<string, readonly [kind: string, start: string, stop: string]>> = {
  'azure-vm': [vm, 'start', 'deallocate'],
  'azure-vmss': [vmss, 'start', 'deallocate'],
  'azure-sql-mi': ['Microsoft.Sql/managedInstances', 'start', 'stop'],
  'azure-postgres': ['Microsoft.DBforPostgreSQL/flexibleServers', 'start', 'stop'],
  'azure-mysql': ['Microsoft.DBforMySQL/flexibleServers', 'start', 'stop'],
  'azure-aks': [clusters, 'start', 'stop'],
  'azure-web-app': ['Microsoft.Web/sites', 'start', 'stop'],
  'azure-function-app': ['Microsoft.Web/sites', 'start', 'stop'],
  'azure-container-group': ['Microsoft.ContainerInstance/containerGroups', 'start', 'stop'],
  'azure-container-app': ['Microsoft.App/containerApps', 'start', 'stop'],
  'azure-app-gateway': ['Microsoft.Network/applicationGateways', 'start', 'stop'],
  'azure-synapse-sql-pool': ['Microsoft.Synapse/workspaces/sqlPools', 'resume', 'pause'],
  'azure-adf-ssis-ir': ['Microsoft.DataFactory/factories/integrationRuntimes', 'start', 'stop'],
  'azure-kusto': ['Microsoft.Kusto/clusters', 'start', 'stop'],
  'azure-stream-analytics': ['Microsoft.StreamAnalytics/streamingjobs', 'start', 'stop'],
  'azure-ml-compute-instance': ['Microsoft.MachineLearningServices/workspaces/computes', 'start', 'stop'],
  'azure-avd-host-pool': [vm, 'start', 'deallocate'],
  'azure-fabric-capacity': ['Microsoft.Fabric/capacities', 'resume', 'suspend'],
  'azure-analysis-services': ['Microsoft.AnalysisServices/servers', 'resume', 'suspend'],
}

/** Types with their own delete permission. */
const deletableKinds: Readonly<Record<string, string>> = {
  'azure-vm': vm,
  'azure-vmss': vmss,
  'azure-disk': 'Microsoft.Compute/disks',
  'azure-snapshot': 'Microsoft.Compute/snapshots',
  'azure-nic': 'Microsoft.Network/networkInterfaces',
  'azure-public-ip': 'Microsoft.Network/publicIPAddresses',
  'azure-load-balancer': 'Microsoft.Network/loadBalancers',
  'azure-nat-gateway': 'Microsoft.Network/natGateways',
  'azure-app-gateway': 'Microsoft.Network/applicationGateways',
  'azure-sql-database': 'Microsoft.Sql/servers/databases',
  'azure-postgres': 'Microsoft.DBforPostgreSQL/flexibleServers',
  'azure-mysql': 'Microsoft.DBforMySQL/flexibleServers',
  'azure-redis': 'Microsoft.Cache/redis',
  'azure-aks': clusters,
  'azure-aks-nodepool': `${clusters}/agentPools`,
  'azure-app-service-plan': 'Microsoft.Web/serverfarms',
  'azure-web-app': 'Microsoft.Web/sites',
  'azure-function-app': 'Microsoft.Web/sites',
  'azure-storage-account': 'Microsoft.Storage/storageAccounts',
  'azure-container-group': 'Microsoft.ContainerInstance/containerGroups',
}

const actions: readonly Permission[] = [
  sees('look', [`${vm}/read`], { types: ['azure-vm', 'azure-avd-host-pool'] }),
  ...Object.entries(powerActions).flatMap(([type, [kind, start, stop]]) => [
    acts('start', [`${kind}/${start}/action`], { types: [type] }),
    acts('stop', [`${kind}/${stop}/action`], { types: [type] }),
  ]),
  acts('start', [`${clusters}/agentPools/write`], pool),
  acts('stop', [`${clusters}/agentPools/write`], pool),
  // Starting a firewall joins it to its subnet and its public address, which needs permissions on both.
  acts('start', ['Microsoft.Network/azureFirewalls/write', 'Microsoft.Network/virtualNetworks/subnets/join/action'], {
    types: ['azure-firewall'],
  }),
  acts('start', ['Microsoft.Network/publicIPAddresses/join/action'], { types: ['azure-firewall'] }),
  acts('stop', ['Microsoft.Network/azureFirewalls/write'], { types: ['azure-firewall'] }),
  acts('pause', ['Microsoft.Synapse/workspaces/sqlPools/pause/action'], { types: ['azure-synapse-sql-pool'] }),
  acts('resize', [`${vm}/write`], machine),
  acts('resize', [`${vmss}/write`], set),
  acts('resize', ['Microsoft.Sql/servers/databases/write'], { types: ['azure-sql-database'] }),
  acts('resize', ['Microsoft.DBforPostgreSQL/flexibleServers/write'], { types: ['azure-postgres'] }),
  acts('resize', ['Microsoft.DBforMySQL/flexibleServers/write'], { types: ['azure-mysql'] }),
  acts('resize', ['Microsoft.Cache/redis/write'], { types: ['azure-redis'] }),
  acts('resize', ['Microsoft.Web/serverfarms/write'], { types: ['azure-app-service-plan'] }),
  acts('set', [`${vm}/write`], machine),
  acts('set', ['Microsoft.Compute/disks/write'], disk),
  acts('set', [`${clusters}/agentPools/write`], pool),
  acts('set', ['Microsoft.Storage/storageAccounts/write'], { types: ['azure-storage-account'] }),
  acts('set', ['Microsoft.Web/serverfarms/write'], { types: ['azure-app-service-plan'] }),
  acts('snapshot', ['Microsoft.Compute/snapshots/write', 'Microsoft.Compute/disks/beginGetAccess/action'], {
    types: ['azure-disk', 'azure-vm'],
  }),
  acts('snapshot', ['Microsoft.DBforPostgreSQL/flexibleServers/backups/write'], { types: ['azure-postgres'] }),
  acts('snapshot', ['Microsoft.DBforMySQL/flexibleServers/backups/write'], { types: ['azure-mysql'] }),
  // In a workspace, its members may start and stop.
  sees('look', ['Microsoft.Databricks/workspaces/read'], { types: [...insideTypes] }),
  sees('look', ['Microsoft.Compute/snapshots/read'], { types: ['azure-disk', 'azure-vm'] }),
  sees('look', ['Microsoft.DBforPostgreSQL/flexibleServers/backups/read'], { types: ['azure-postgres'] }),
  sees('look', ['Microsoft.DBforMySQL/flexibleServers/backups/read'], { types: ['azure-mysql'] }),
  ...Object.entries(deletableKinds).map(([type, kind]) => acts('delete', [`${kind}/delete`], { types: [type] })),
]

const network = 'Microsoft.Network'
const groups = 'Microsoft.Resources/subscriptions/resourceGroups'

/** Everything of a job is in one resource group, and deleted with it. A network is deleted first, because Azure then says what uses it. */
const provisioning: readonly Permission[] = [
  makes('describe', [
    `${groups}/read`,
    'Microsoft.ContainerRegistry/registries/read',
    `${network}/networkSecurityGroups/read`,
    `${network}/virtualNetworks/read`,
    `${network}/publicIPAddresses/read`,
    `${network}/loadBalancers/read`,
    'Microsoft.DBforPostgreSQL/flexibleServers/read',
    'Microsoft.DBforMySQL/flexibleServers/read',
    'Microsoft.Cache/redis/read',
    `${clusters}/read`,
    `${clusters}/agentPools/read`,
    `${vmss}/read`,
    `${vmss}/virtualMachines/read`,
    `${autoscale}/read`,
  ]),
  // Where Azure reports operations in progress.
  makes('provision', [
    'Microsoft.ContainerRegistry/locations/operationResults/read',
    `${network}/locations/operations/read`,
    'Microsoft.DBforPostgreSQL/locations/azureAsyncOperation/read',
    'Microsoft.DBforMySQL/locations/azureAsyncOperation/read',
    'Microsoft.Cache/locations/operationResults/read',
    'Microsoft.Cache/locations/asyncOperations/read',
    'Microsoft.ContainerService/locations/operations/read',
    'Microsoft.Compute/locations/operations/read',
  ]),
  makes('provision', [
    `${groups}/write`,
    'Microsoft.ContainerRegistry/registries/write',
    `${network}/networkSecurityGroups/write`,
    `${network}/virtualNetworks/write`,
    `${network}/publicIPAddresses/write`,
    `${network}/loadBalancers/write`,
    'Microsoft.DBforPostgreSQL/flexibleServers/write',
    'Microsoft.DBforMySQL/flexibleServers/write',
    'Microsoft.Cache/redis/write',
    'Microsoft.Cache/redis/listKeys/action',
    `${clusters}/write`,
    `${clusters}/agentPools/write`,
    `${vmss}/write`,
    `${vmss}/manualUpgrade/action`,
    `${autoscale}/write`,
    // Of what an object uses.
    `${network}/networkSecurityGroups/join/action`,
    `${network}/virtualNetworks/subnets/join/action`,
    `${network}/publicIPAddresses/join/action`,
    `${network}/loadBalancers/backendAddressPools/join/action`,
  ]),
  makes('unprovision', [
    `${groups}/delete`,
    `${network}/virtualNetworks/delete`,
    'Microsoft.Resources/subscriptions/operationresults/read',
  ]),
]

/** In the order shown to people. */
export const azurePermissions: readonly Permission[] = [
  ...autoscaling,
  ...discovery,
  ...costs,
  ...actions,
  ...provisioning,
]
