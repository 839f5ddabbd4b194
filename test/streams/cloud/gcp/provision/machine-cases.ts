/** Pools of machines and load balancers. */
import { description, labels, region, type ProvisionCase } from './case.ts'
import { ownName } from './job.ts'

const group = `${region}/instanceGroupManagers/${ownName}`
const links = 'https://www.googleapis.com/compute/v1/projects/shop-prod'
const subnet = 'regions/us-central1/subnetworks/shop'

export const machineCases: readonly ProvisionCase[] = [
  {
    title: 'a pool of machines',
    kind: 'vm_pool',
    config: {
      name: 'web',
      instanceType: 'e2-standard-2',
      min: 2,
      max: 6,
      createLoadBalancer: true,
      listenerPorts: [80, 443],
    },
    created: [
      `instanceTemplates/${ownName}`,
      `instanceGroupManagers/${ownName}`,
      `autoscalers/${ownName}`,
      `firewalls/${ownName}-lb`,
      `healthChecks/${ownName}-lb`,
      `backendServices/${ownName}-lb`,
      `forwardingRules/${ownName}-lb`,
    ],
    bodies: {
      [`instanceTemplates/${ownName}`]: {
        name: ownName,
        description,
        properties: {
          machineType: 'e2-standard-2',
          disks: [
            {
              boot: true,
              autoDelete: true,
              initializeParams: { sourceImage: 'projects/debian-cloud/global/images/family/debian-12', labels },
            },
          ],
          networkInterfaces: [{ network: 'projects/shop-prod/global/networks/default' }],
          shieldedInstanceConfig: { enableSecureBoot: true, enableVtpm: true, enableIntegrityMonitoring: true },
          tags: { items: [ownName] },
          labels,
        },
      },
      [`instanceGroupManagers/${ownName}`]: {
        name: ownName,
        description,
        baseInstanceName: ownName,
        instanceTemplate: `projects/shop-prod/global/instanceTemplates/${ownName}`,
        targetSize: 2,
      },
      [`autoscalers/${ownName}`]: {
        name: ownName,
        description,
        target: group,
        autoscalingPolicy: {
          mode: 'ON',
          minNumReplicas: 2,
          maxNumReplicas: 6,
          cpuUtilization: { utilizationTarget: 0.6 },
        },
      },
      [`firewalls/${ownName}-lb`]: {
        name: `${ownName}-lb`,
        description,
        network: 'projects/shop-prod/global/networks/default',
        direction: 'INGRESS',
        sourceRanges: ['0.0.0.0/0'],
        allowed: [{ IPProtocol: 'tcp', ports: ['80', '443'] }],
        targetTags: [ownName],
      },
      [`healthChecks/${ownName}-lb`]: {
        name: `${ownName}-lb`,
        description,
        type: 'TCP',
        tcpHealthCheck: { port: 80 },
      },
      [`backendServices/${ownName}-lb`]: {
        name: `${ownName}-lb`,
        description,
        protocol: 'TCP',
        loadBalancingScheme: 'EXTERNAL',
        healthChecks: [`${region}/healthChecks/${ownName}-lb`],
        backends: [{ group: `${region}/instanceGroups/${ownName}`, balancingMode: 'CONNECTION' }],
      },
      [`forwardingRules/${ownName}-lb`]: {
        name: `${ownName}-lb`,
        description,
        IPProtocol: 'TCP',
        ports: ['80', '443'],
        loadBalancingScheme: 'EXTERNAL',
        backendService: `${region}/backendServices/${ownName}-lb`,
        labels,
      },
    },
    outputs: {
      template: { name: ownName },
      group: { groupUid: group, name: ownName },
      load_balancer: { loadBalancerUid: `${region}/forwardingRules/${ownName}-lb`, address: '34.9.8.7' },
    },
    gone: [group, `${region}/forwardingRules/${ownName}-lb`],
  },
  {
    title: 'an internal load balancer',
    kind: 'load_balancer',
    config: {
      name: 'front',
      scheme: 'internal',
      listeners: [{ port: 53, protocol: 'UDP', targetPort: 53 }],
      targetUID: 'projects/shop-prod/zones/us-central1-a/instanceGroupManagers/dns',
    },
    before: {
      '/compute/v1/projects/shop-prod/zones/us-central1-a/instanceGroupManagers/dns': {
        name: 'dns',
        instanceTemplate: 'https://www.googleapis.com/compute/v1/projects/shop-prod/global/instanceTemplates/dns',
      },
      '/compute/v1/projects/shop-prod/global/instanceTemplates/dns': {
        name: 'dns',
        properties: {
          networkInterfaces: [{ network: `${links}/global/networks/shop`, subnetwork: `${links}/${subnet}` }],
          tags: { items: ['dns'] },
        },
      },
    },
    created: [
      `firewalls/${ownName}-lb`,
      `healthChecks/${ownName}-lb`,
      `backendServices/${ownName}-lb`,
      `forwardingRules/${ownName}-lb`,
    ],
    bodies: {
      [`firewalls/${ownName}-lb`]: {
        name: `${ownName}-lb`,
        description,
        network: 'projects/shop-prod/global/networks/shop',
        direction: 'INGRESS',
        sourceRanges: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '35.191.0.0/16', '130.211.0.0/22'],
        allowed: [
          { IPProtocol: 'udp', ports: ['53'] },
          { IPProtocol: 'tcp', ports: ['53'] },
        ],
        targetTags: ['dns'],
      },
      [`backendServices/${ownName}-lb`]: {
        name: `${ownName}-lb`,
        description,
        protocol: 'UDP',
        loadBalancingScheme: 'INTERNAL',
        healthChecks: [`${region}/healthChecks/${ownName}-lb`],
        backends: [{ group: 'projects/shop-prod/zones/us-central1-a/instanceGroups/dns', balancingMode: 'CONNECTION' }],
      },
      [`forwardingRules/${ownName}-lb`]: {
        name: `${ownName}-lb`,
        description,
        IPProtocol: 'UDP',
        ports: ['53'],
        loadBalancingScheme: 'INTERNAL',
        backendService: `${region}/backendServices/${ownName}-lb`,
        network: 'projects/shop-prod/global/networks/shop',
        subnetwork: `projects/shop-prod/${subnet}`,
        labels,
      },
    },
    outputs: { create: { loadBalancerUid: `${region}/forwardingRules/${ownName}-lb`, address: '34.9.8.7' } },
    gone: [`${region}/forwardingRules/${ownName}-lb`],
  },
]
