/** How resources of Azure look and answer around one change, after its REST reference. Requests go by method and path after the ID. */
import { Fault } from '#engine/value/fault.ts'
import { AzureRefusal } from '#streams/cloud/azure/session/fault.ts'
import { idFor } from '#test/streams/cloud/azure/far-side.ts'
import type { CloudErrors, FarType } from './far-resource.ts'

export const azureErrors: CloudErrors = {
  lost: () => new Fault('transient', 'upstream_failed', 'The connection ended.'),
  throttled: () => new AzureRefusal(429, 'TooManyRequests', 'Slow down.'),
  denied: () => new AzureRefusal(403, 'AuthorizationFailed', 'No.'),
}

const same = (answer: unknown) => [answer, answer, answer] as const
const absent = new AzureRefusal(404, 'ResourceNotFound', 'No such resource.')
const conflict = new AzureRefusal(409, 'Conflict', 'It is so already.')
const inProgress = new AzureRefusal(409, 'OperationNotAllowed', 'Another operation is in progress.')
const resourceOf = (type: string) => ({ resourceUid: idFor(type, 'one').toLowerCase(), taken: {}, again: {} })

const machine = (power: string, vmSize = 'Standard_D2s_v3', more: object = {}) => ({
  name: 'one',
  location: 'westeurope',
  properties: {
    hardwareProfile: { vmSize },
    instanceView: { statuses: [{ code: `PowerState/${power}` }] },
    storageProfile: { osDisk: { managedDisk: { id: idFor('azure-disk', 'os') } } },
    ...more,
  },
})

const scaleSet = (capacity: number, name = 'Standard_D2s_v3') => ({
  name: 'one',
  location: 'westeurope',
  sku: { name, capacity },
})
const instanceView = (power: string, count: number) => ({
  virtualMachine: { statusesSummary: count === 0 ? [] : [{ code: `PowerState/${power}`, count }] },
})
const noSetting = { 'GET Microsoft.Insights/autoscaleSettings': same({ value: [] }) }

const server = (state: string, more: object = {}, name = 'Standard_D2s_v3') => ({
  name: 'one',
  location: 'westeurope',
  sku: { name, tier: 'GeneralPurpose' },
  properties: { state, ...more },
})

const pool = (power: string, provisioningState: string, count = 3) => ({
  name: 'one',
  properties: { count, vmSize: 'Standard_D2s_v3', mode: 'User', powerState: { code: power }, provisioningState },
})

const disk = (sku: string, provisioningState = 'Succeeded') => ({
  name: 'one',
  location: 'westeurope',
  sku: { name: sku },
  properties: { provisioningState },
})

const state = (value: string) => ({ name: 'one', location: 'westeurope', properties: { state: value, status: value } })

const snapshot = (provisioningState: string) => ({ name: 'tidemark-a-1', properties: { provisioningState } })

/** Its addresses say at once what it is to be; its provisioning state that it is not so yet. */
const firewall = (provisioningState: string, ...names: readonly string[]) => ({
  name: 'one',
  location: 'westeurope',
  properties: { provisioningState, ipConfigurations: names.map((name) => ({ name })) },
})

export const azureTypes: Readonly<Record<string, FarType>> = {
  'azure-vm start': {
    ...resourceOf('azure-vm'),
    action: { kind: 'start' },
    change: 'POST /start',
    looks: { 'GET ': [machine('deallocated'), machine('starting'), machine('running')] },
  },
  'azure-vm stop': {
    ...resourceOf('azure-vm'),
    action: { kind: 'stop' },
    change: 'POST /deallocate',
    looks: { 'GET ': [machine('running'), machine('deallocating'), machine('deallocated')] },
  },
  'azure-vm resize': {
    ...resourceOf('azure-vm'),
    action: { kind: 'resize', size: 'Standard_D4s_v3' },
    change: 'PATCH ',
    again: inProgress,
    looks: {
      'GET ': [
        machine('deallocated'),
        machine('deallocated', 'Standard_D4s_v3'),
        machine('deallocated', 'Standard_D4s_v3'),
      ],
    },
  },
  'azure-vm set': {
    ...resourceOf('azure-vm'),
    action: { kind: 'set', specs: { license_type: 'Windows_Server' } },
    change: 'PATCH ',
    again: inProgress,
    looks: {
      'GET ': [
        machine('running'),
        machine('running', 'Standard_D2s_v3', { licenseType: 'Windows_Server' }),
        machine('running', 'Standard_D2s_v3', { licenseType: 'Windows_Server' }),
      ],
    },
  },
  'azure-vm snapshot': {
    ...resourceOf('azure-vm'),
    action: { kind: 'snapshot' },
    change: 'PUT snapshots/tidemark-a-1-0',
    looks: {
      'GET snapshots/tidemark-a-1-0': [absent, snapshot('Creating'), snapshot('Succeeded')],
      'GET ': same(machine('running')),
    },
  },
  'azure-vm delete': {
    ...resourceOf('azure-vm'),
    action: { kind: 'delete' },
    change: 'DELETE ',
    looks: {
      'GET ': [machine('running'), machine('running', 'Standard_D2s_v3', { provisioningState: 'Deleting' }), absent],
    },
  },
  'azure-vmss start': {
    ...resourceOf('azure-vmss'),
    action: { kind: 'start' },
    change: 'POST /start',
    looks: {
      'GET /instanceView': [instanceView('deallocated', 3), instanceView('starting', 3), instanceView('running', 3)],
      'GET ': same(scaleSet(3)),
      ...noSetting,
    },
  },
  'azure-vmss stop': {
    ...resourceOf('azure-vmss'),
    action: { kind: 'stop' },
    change: 'POST /deallocate',
    looks: {
      'GET /instanceView': [
        instanceView('running', 3),
        instanceView('deallocating', 3),
        instanceView('deallocated', 3),
      ],
      'GET ': same(scaleSet(3)),
      ...noSetting,
    },
  },
  'azure-vmss scale': {
    ...resourceOf('azure-vmss'),
    action: { kind: 'scale', params: { desired: 5 } },
    change: 'PATCH ',
    again: inProgress,
    looks: {
      'GET ': [scaleSet(3), scaleSet(5), scaleSet(5)],
      'GET /instanceView': same(instanceView('running', 3)),
      ...noSetting,
    },
  },
  'azure-vmss resize': {
    ...resourceOf('azure-vmss'),
    action: { kind: 'resize', size: 'Standard_D4s_v3' },
    change: 'PATCH ',
    again: inProgress,
    looks: {
      'GET ': [scaleSet(3), scaleSet(3, 'Standard_D4s_v3'), scaleSet(3, 'Standard_D4s_v3')],
      'GET /instanceView': same(instanceView('running', 3)),
      ...noSetting,
    },
  },
  'azure-postgres start': {
    ...resourceOf('azure-postgres'),
    action: { kind: 'start' },
    change: 'POST /start',
    again: conflict,
    looks: { 'GET ': [server('Stopped'), server('Starting'), server('Ready')] },
  },
  'azure-postgres stop': {
    ...resourceOf('azure-postgres'),
    action: { kind: 'stop' },
    change: 'POST /stop',
    again: conflict,
    looks: { 'GET ': [server('Ready'), server('Stopping'), server('Stopped')] },
  },
  'azure-postgres resize': {
    ...resourceOf('azure-postgres'),
    action: { kind: 'resize', size: 'Standard_D4s_v3' },
    change: 'PATCH ',
    again: inProgress,
    looks: { 'GET ': [server('Ready'), server('Updating'), server('Ready', {}, 'Standard_D4s_v3')] },
  },
  'azure-postgres set': {
    ...resourceOf('azure-postgres'),
    action: { kind: 'set', specs: { ha_mode: 'ZoneRedundant' } },
    change: 'PATCH ',
    again: inProgress,
    looks: {
      'GET ': [
        server('Ready'),
        server('Updating', { highAvailability: { mode: 'ZoneRedundant' } }),
        server('Ready', { highAvailability: { mode: 'ZoneRedundant' } }),
      ],
    },
  },
  'azure-postgres snapshot': {
    ...resourceOf('azure-postgres'),
    action: { kind: 'snapshot' },
    change: 'PUT /backups/tidemark-a-1',
    again: conflict,
    looks: {
      'GET /backups/tidemark-a-1': [absent, snapshot('Succeeded'), snapshot('Succeeded')],
      'GET ': same(server('Ready')),
    },
  },
  'azure-postgres delete': {
    ...resourceOf('azure-postgres'),
    action: { kind: 'delete' },
    change: 'DELETE ',
    looks: { 'GET ': [server('Ready'), server('Dropping', { provisioningState: 'Deleting' }), absent] },
  },
  'azure-mysql stop': {
    ...resourceOf('azure-mysql'),
    action: { kind: 'stop' },
    change: 'POST /stop',
    again: conflict,
    looks: { 'GET ': [server('Ready'), server('Stopping'), server('Stopped')] },
  },
  'azure-synapse-sql-pool pause': {
    ...resourceOf('azure-synapse-sql-pool'),
    action: { kind: 'pause' },
    change: 'POST /pause',
    again: conflict,
    looks: { 'GET ': [state('Online'), state('Pausing'), state('Paused')] },
  },
  'azure-kusto stop': {
    ...resourceOf('azure-kusto'),
    action: { kind: 'stop' },
    change: 'POST /stop',
    again: conflict,
    looks: { 'GET ': [state('Running'), state('Stopping'), state('Stopped')] },
  },
  'azure-aks-nodepool stop': {
    ...resourceOf('azure-aks-nodepool'),
    action: { kind: 'stop' },
    change: 'PUT ',
    again: inProgress,
    looks: { 'GET ': [pool('Running', 'Succeeded'), pool('Running', 'Stopping'), pool('Stopped', 'Succeeded')] },
  },
  'azure-aks-nodepool scale': {
    ...resourceOf('azure-aks-nodepool'),
    action: { kind: 'scale', params: { desired: 5 } },
    change: 'PUT ',
    again: inProgress,
    looks: { 'GET ': [pool('Running', 'Succeeded'), pool('Running', 'Scaling', 5), pool('Running', 'Succeeded', 5)] },
  },
  'azure-firewall stop': {
    ...resourceOf('azure-firewall'),
    action: { kind: 'stop' },
    change: 'PUT ',
    again: inProgress,
    looks: { 'GET ': [firewall('Succeeded', 'first'), firewall('Updating'), firewall('Succeeded')] },
  },
  'azure-disk set': {
    ...resourceOf('azure-disk'),
    action: { kind: 'set', specs: { sku: 'StandardSSD_LRS' } },
    change: 'PATCH ',
    again: inProgress,
    looks: { 'GET ': [disk('Premium_LRS'), disk('StandardSSD_LRS', 'Updating'), disk('StandardSSD_LRS')] },
  },
  'azure-disk snapshot': {
    ...resourceOf('azure-disk'),
    action: { kind: 'snapshot' },
    change: 'PUT snapshots/tidemark-a-1',
    looks: {
      'GET snapshots/tidemark-a-1': [absent, snapshot('Creating'), snapshot('Succeeded')],
      'GET ': same(disk('Premium_LRS')),
    },
  },
  'azure-disk delete': {
    ...resourceOf('azure-disk'),
    action: { kind: 'delete' },
    change: 'DELETE ',
    looks: { 'GET ': [disk('Premium_LRS'), disk('Premium_LRS', 'Deleting'), absent] },
  },
}
