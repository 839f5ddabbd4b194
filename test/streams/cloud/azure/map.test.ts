import { expect } from 'chai'
import { disk, machine, powersIn, scaleSet, setStatus, snapshot } from '#streams/cloud/azure/map/compute.ts'
import { redis, sqlDatabase } from '#streams/cloud/azure/map/database.ts'
import { cluster, pools } from '#streams/cloud/azure/map/kubernetes.ts'
import { address, applicationGateway, balancer, firewall, securityGroup } from '#streams/cloud/azure/map/network.ts'
import { plain } from '#streams/cloud/azure/map/switchable.ts'
import { site } from '#streams/cloud/azure/map/web.ts'
import { idOf } from './world.ts'

const vmId = idOf('Microsoft.Compute/virtualMachines', 'Web-1')

describe('what is listed at Azure', () => {
  it('becomes a machine whose uid is its id in lower case, its group as it is written, and its price that of its size', () => {
    const [found] = machine(
      {
        id: vmId,
        name: 'Web-1',
        location: 'eastus',
        zones: ['2'],
        tags: { env: 'prod' },
        properties: {
          hardwareProfile: { vmSize: 'Standard_D2s_v3' },
          provisioningState: 'Succeeded',
          storageProfile: {
            imageReference: { offer: 'ubuntu-24_04-lts' },
            osDisk: { osType: 'Linux', managedDisk: { storageAccountType: 'Premium_LRS' } },
          },
        },
      },
      'PowerState/deallocated',
    )
    expect(found).to.deep.equal({
      resourceUid: vmId.toLowerCase(),
      name: 'Web-1',
      type: 'azure-vm',
      provider: 'azure',
      region: 'eastus',
      resourceGroup: 'Shop',
      status: 'stopped',
      instanceType: 'Standard_D2s_v3',
      tags: { env: 'prod' },
      hourlyRateUSD: 0.096,
      specs: {
        resource_id: vmId,
        zone: '2',
        power_state: 'deallocated',
        os_type: 'Linux',
        license_type: null,
        image_offer: 'ubuntu-24_04-lts',
        priority: 'Regular',
        os_disk_type: 'Premium_LRS',
        os_disk_ephemeral: false,
        os_disk_encrypted_host: false,
        managed_disks: true,
        trusted_launch: false,
        boot_diagnostics: false,
        provisioning_state: 'Succeeded',
        gpu_count: 0,
      },
    })
  })

  it('has the state of a machine by its power alone, none where Azure does not tell it', () => {
    const words = ['running', 'starting', 'stopping', 'deallocating', 'stopped', 'deallocated', 'unknown']
    const states = words.map((word) => machine({ id: vmId }, `PowerState/${word}`)[0]!.status)
    expect(states).to.deep.equal(['running', 'starting', 'stopping', 'stopping', 'stopped', 'stopped', 'pending'])
    expect(machine({ id: vmId }, undefined)[0]).not.to.have.property('status')
  })

  it('has no price for machines of Windows or spot, nor of a size that nobody knows', () => {
    const priced = (properties: object) => machine({ id: vmId, location: 'eastus', properties } as never, undefined)[0]!
    const hardwareProfile = { vmSize: 'Standard_D2s_v3' }
    const all = [
      { hardwareProfile, priority: 'Spot' },
      { hardwareProfile, storageProfile: { osDisk: { osType: 'Windows' } } },
      { hardwareProfile: { vmSize: 'Standard_Unheard_v9' } },
    ]
    expect(all.map((one) => priced(one).hourlyRateUSD)).to.deep.equal([undefined, undefined, undefined])
  })

  it('is a scale set that runs while one of its machines does', () => {
    const view = (...states: [string, number][]) =>
      powersIn({
        virtualMachine: {
          statusesSummary: [
            { code: 'ProvisioningState/succeeded', count: 9 },
            ...states.map(([word, count]) => ({ code: `PowerState/${word}`, count })),
          ],
        },
      })
    const cases: [number, [string, number][], string][] = [
      [3, [['running', 3]], 'running'],
      [
        3,
        [
          ['running', 1],
          ['deallocated', 2],
        ],
        'running',
      ],
      [3, [['deallocated', 3]], 'stopped'],
      [
        3,
        [
          ['deallocated', 2],
          ['stopped', 1],
        ],
        'stopped',
      ],
      [
        3,
        [
          ['deallocating', 1],
          ['deallocated', 2],
        ],
        'stopping',
      ],
      [3, [['starting', 3]], 'starting'],
      [3, [], 'running'],
      [0, [], 'stopped'],
      [0, [['running', 2]], 'stopping'],
    ]
    expect(cases.map(([capacity, states]) => setStatus(capacity, view(...states)))).to.deep.equal(
      cases.map(([, , wanted]) => wanted),
    )
  })

  it('says of a scale set within which bounds it is scaled, and nothing where nobody may look', () => {
    const set = {
      id: idOf('Microsoft.Compute/virtualMachineScaleSets', 'web'),
      location: 'eastus',
      sku: { name: 'Standard_D2s_v3', capacity: 3 },
    }
    const told = (bounds: Parameters<typeof scaleSet>[1]['bounds']) => {
      const { specs = {}, hourlyRateUSD, unitCount } = scaleSet(set, { bounds })[0]!
      return [specs['autoscale'], specs['min_capacity'], specs['max_capacity'], hourlyRateUSD, unitCount]
    }
    expect(told({ min: 1, max: 5, isEnabled: true })).to.deep.equal([true, 1, 5, 0.288, 3])
    expect(told(null)).to.deep.equal([false, null, null, 0.288, 3])
    expect(told(undefined)).to.deep.equal([undefined, undefined, undefined, 0.288, 3])
  })

  it('counts the days for which a disk has hung on nothing', () => {
    const now = Date.parse('2026-01-31T12:00:00Z')
    const properties = { diskSizeGB: 128, diskState: 'Unattached', LastOwnershipUpdateTime: '2026-01-01T00:00:00Z' }
    const free = disk({ id: idOf('Microsoft.Compute/disks', 'd'), sku: { name: 'Premium_LRS' }, properties }, now)[0]!
    expect([free.sizeGB, free.specs?.['attached'], free.specs?.['days_detached'], free.parentUID]).to.deep.equal([
      128,
      false,
      30,
      undefined,
    ])
    const held = disk({ id: idOf('Microsoft.Compute/disks', 'd'), managedBy: vmId, properties }, now)[0]!
    expect([held.specs?.['attached'], held.specs?.['days_detached'], held.parentUID]).to.deep.equal([
      true,
      null,
      vmId.toLowerCase(),
    ])
  })

  it('is a snapshot of its disk, an address of its interface', () => {
    const source = idOf('Microsoft.Compute/disks', 'D')
    const properties = { creationData: { sourceResourceId: source }, incremental: true }
    expect(snapshot({ id: idOf('Microsoft.Compute/snapshots', 's'), properties })[0]).to.deep.include({
      parentUID: source.toLowerCase(),
    })
    const card = idOf('Microsoft.Network/networkInterfaces', 'N')
    const ipConfiguration = { id: `${card}/ipConfigurations/first` }
    const found = address({ id: idOf('Microsoft.Network/publicIPAddresses', 'a'), properties: { ipConfiguration } })[0]!
    expect([found.parentUID, found.specs?.['associated'], found.specs?.['sku']]).to.deep.equal([
      card.toLowerCase(),
      true,
      'Basic',
    ])
  })

  it('is a cluster and its pools, each as its power is', () => {
    const item = {
      id: idOf('Microsoft.ContainerService/managedClusters', 'Aks'),
      location: 'eastus',
      sku: { tier: 'Standard' },
      properties: {
        currentKubernetesVersion: '1.31.2',
        powerState: { code: 'Running' },
        agentPoolProfiles: [
          {
            name: 'sys',
            vmSize: 'Standard_D2s_v3',
            count: 2,
            mode: 'System',
            powerState: { code: 'Running' },
            tags: { a: 'b' },
          },
          {
            name: 'spot',
            vmSize: 'Standard_D2s_v3',
            count: 0,
            scaleSetPriority: 'Spot',
            powerState: { code: 'Stopped' },
          },
          { name: 'late', count: 1, provisioningState: 'Stopping', powerState: { code: 'Running' } },
        ],
      },
    }
    const whole = cluster(item)[0]!
    expect([whole.status, whole.hourlyRateUSD, whole.specs?.['version']]).to.deep.equal(['running', 0.1, '1.31.2'])
    expect(
      pools(item).map(({ resourceUid, name, status, unitCount, hourlyRateUSD, tags }) => [
        resourceUid.split('/').at(-1),
        name,
        status,
        unitCount,
        hourlyRateUSD,
        tags,
      ]),
    ).to.deep.equal([
      ['sys', 'sys', 'running', 2, 0.192, { a: 'b' }],
      ['spot', 'spot', 'stopped', 0, undefined, {}],
      ['late', 'late', 'stopping', 1, undefined, {}],
    ])
  })

  it('is an app of functions by its kind, a web app otherwise', () => {
    const kinds = ['app', 'app,linux', 'functionapp', 'functionapp,linux', 'functionapp,linux,workflowapp', undefined]
    const types = kinds.map((kind) => site({ id: idOf('Microsoft.Web/sites', 's'), kind } as never)[0]!.type)
    expect(types).to.deep.equal([
      'azure-web-app',
      'azure-web-app',
      'azure-function-app',
      'azure-function-app',
      'azure-function-app',
      'azure-web-app',
    ])
  })

  it('knows ports that everybody may reach, by the rule of the least number', () => {
    const rule = (priority: number, access: string, ports: string, source = '*', protocol = 'Tcp') => ({
      properties: {
        priority,
        access,
        protocol,
        direction: 'Inbound',
        sourceAddressPrefix: source,
        destinationPortRange: ports,
      },
    })
    const open = (...securityRules: object[]) => {
      const found = securityGroup({
        id: idOf('Microsoft.Network/networkSecurityGroups', 'n'),
        properties: { securityRules },
      })
      return [found[0]!.specs?.['open_admin_ports'], found[0]!.specs?.['open_database_ports']]
    }
    expect(open(rule(100, 'Allow', '22'))).to.deep.equal([[22], []])
    expect(open(rule(100, 'Allow', '*', 'Internet', '*'))).to.deep.equal([
      [22, 3389],
      [1433, 3306, 5432, 6379, 27017],
    ])
    expect(open(rule(200, 'Allow', '20-30'), rule(100, 'Deny', '22'))).to.deep.equal([[], []])
    expect(open(rule(100, 'Allow', '5432', '10.0.0.0/8'), rule(110, 'Allow', '3389', '*', 'Udp'))).to.deep.equal([
      [],
      [],
    ])
  })

  it('has the states of its types by the list of them, however Azure spells them', () => {
    const gateway = (operationalState: string) =>
      applicationGateway({
        id: idOf('Microsoft.Network/applicationGateways', 'g'),
        properties: { operationalState },
      })[0]!.status
    expect(['Running', 'Starting', 'Stopping', 'Stopped'].map(gateway)).to.deep.equal([
      'running',
      'starting',
      'stopping',
      'stopped',
    ])
    const app = (runningStatus: string) =>
      plain('azure-container-app')({ id: idOf('Microsoft.App/containerApps', 'c'), properties: { runningStatus } })[0]!
    expect([app('Running'), app('Stopped')].map(({ status, specs }) => [status, specs?.['state']])).to.deep.equal([
      ['running', 'Running'],
      ['stopped', 'Stopped'],
    ])
    const wall = (properties: object) =>
      firewall({ id: idOf('Microsoft.Network/azureFirewalls', 'f'), properties } as never)[0]!
    const walls = [{ ipConfigurations: [{}] }, { ipConfigurations: [] }, { provisioningState: 'Updating' }]
    expect(walls.map((one) => wall(one).status)).to.deep.equal(['running', 'stopped', 'pending'])
  })

  it('is priced as a balancer where it has rules, and says how a cache is called', () => {
    const rules = (sku: string, count: number) =>
      balancer({
        id: idOf('Microsoft.Network/loadBalancers', 'l'),
        sku: { name: sku },
        properties: { loadBalancingRules: Array.from({ length: count }, () => ({})) },
      })[0]!.hourlyRateUSD
    expect([rules('Standard', 2), rules('Standard', 0), rules('Basic', 2)]).to.deep.equal([0.025, undefined, undefined])
    const cache = redis({
      id: idOf('Microsoft.Cache/redis', 'r'),
      properties: { sku: { name: 'Standard', family: 'C', capacity: 1 }, enableNonSslPort: false },
    })[0]!
    expect([cache.instanceType, cache.specs?.['non_ssl_port']]).to.deep.equal(['C1', false])
    const master = sqlDatabase({ id: idOf('Microsoft.Sql/servers', 's/databases/master') }, 'x')[0]!
    expect(master.specs?.['system']).to.equal(true)
  })
})
