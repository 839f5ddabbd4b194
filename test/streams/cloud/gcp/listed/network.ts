import { at, compute, created_at, link, region, type Case } from './case.ts'
import { project } from '../world.ts'

export const networkCases: readonly Case[] = [
  {
    type: 'gcp-cloud-nat',
    answers: {
      [`${compute}/aggregated/routers`]: {
        items: {
          'regions/us-central1': {
            routers: [
              {
                name: 'edge',
                id: '55',
                creationTimestamp: at,
                nats: [{ name: 'out', natIps: [link('regions/us-central1/addresses/a')], minPortsPerVm: 64 }],
              },
            ],
          },
        },
      },
    },
    found: [
      {
        resourceUid: `projects/${project}/regions/us-central1/routers/edge/nats/out`,
        name: 'out',
        region,
        specs: { created_at, router: 'edge', router_id: '55', manual_ip_count: 1, min_ports_per_vm: 64 },
      },
    ],
  },
  {
    type: 'gcp-vpn-tunnel',
    answers: {
      [`${compute}/aggregated/vpnTunnels`]: {
        items: {
          'regions/us-central1': {
            vpnTunnels: [{ name: 'office', creationTimestamp: at, status: 'ESTABLISHED' }],
          },
        },
      },
    },
    found: [
      {
        resourceUid: `projects/${project}/regions/us-central1/vpnTunnels/office`,
        name: 'office',
        region,
        specs: { created_at, state: 'ESTABLISHED' },
      },
    ],
  },
  {
    type: 'gcp-interconnect-attachment',
    answers: {
      [`${compute}/aggregated/interconnectAttachments`]: {
        items: {
          'regions/us-central1': {
            interconnectAttachments: [
              {
                name: 'dc',
                creationTimestamp: at,
                operationalStatus: 'OS_ACTIVE',
                bandwidth: 'BPS_1G',
                type: 'PARTNER',
              },
            ],
          },
        },
      },
    },
    found: [
      {
        resourceUid: `projects/${project}/regions/us-central1/interconnectAttachments/dc`,
        name: 'dc',
        region,
        specs: { created_at, state: 'OS_ACTIVE', bandwidth: 'BPS_1G', attachment_type: 'PARTNER' },
      },
    ],
  },
  {
    type: 'gcp-subnet',
    answers: {
      [`${compute}/aggregated/subnetworks`]: {
        items: {
          'regions/us-central1': {
            subnetworks: [
              {
                name: 'apps',
                creationTimestamp: at,
                network: link('global/networks/main'),
                purpose: 'PRIVATE',
                privateIpGoogleAccess: true,
                logConfig: { enable: true },
              },
              { name: 'proxies', purpose: 'REGIONAL_MANAGED_PROXY' },
            ],
          },
        },
      },
    },
    found: [
      {
        resourceUid: `projects/${project}/regions/us-central1/subnetworks/apps`,
        name: 'apps',
        region,
        specs: {
          created_at,
          network: `projects/${project}/global/networks/main`,
          flow_logs: true,
          flow_log_sampling: 0.5,
          private_google_access: true,
        },
      },
    ],
  },
  {
    type: 'gcp-firewall-rule',
    answers: {
      [`${compute}/global/firewalls`]: {
        items: [
          {
            name: 'open',
            creationTimestamp: at,
            network: link('global/networks/main'),
            direction: 'INGRESS',
            sourceRanges: ['0.0.0.0/0'],
            allowed: [{ IPProtocol: 'tcp', ports: ['20-25', '5432'] }],
          },
          { name: 'inside', direction: 'INGRESS', sourceRanges: ['10.0.0.0/8'], allowed: [{ IPProtocol: 'all' }] },
        ],
      },
    },
    found: [
      {
        resourceUid: `projects/${project}/global/firewalls/open`,
        name: 'open',
        region: 'global',
        specs: {
          created_at,
          network: `projects/${project}/global/networks/main`,
          direction: 'INGRESS',
          disabled: false,
          open_admin_ports: [22],
          open_database_ports: [5432],
        },
      },
      {
        resourceUid: `projects/${project}/global/firewalls/inside`,
        name: 'inside',
        region: 'global',
        specs: { direction: 'INGRESS', disabled: false, open_admin_ports: null, open_database_ports: null },
      },
    ],
  },
  {
    type: 'gcp-dns-zone',
    answers: {
      [`/dns/v1/projects/${project}/managedZones`]: {
        managedZones: [{ name: 'shop', dnsName: 'shop.example.', creationTime: at, visibility: 'public' }],
      },
      [`/dns/v1/projects/${project}/managedZones/shop/rrsets`]: {
        rrsets: [{ type: 'NS' }, { type: 'SOA' }, { type: 'A' }],
      },
    },
    found: [
      {
        resourceUid: `//dns.googleapis.com/projects/${project}/managedZones/shop`,
        name: 'shop',
        region: 'global',
        specs: { created_at, dns_name: 'shop.example.', dnssec: 'off', visibility: 'public', record_count: 1 },
      },
    ],
  },
]
