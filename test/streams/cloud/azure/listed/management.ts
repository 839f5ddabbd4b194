import { subscription, tenant } from '../answer-server.ts'
import { idOf, root } from '../world.ts'
import { below, created, location, machine, one, uid, type ListedCase } from './case.ts'

const workspace = idOf('Microsoft.OperationalInsights/workspaces', 'Logs')
const workspaceId = 'aaaaaaaa-0000-4000-8000-000000000001'

export const management: readonly ListedCase[] = [
  {
    type: 'azure-log-analytics',
    answers: {
      '/providers/Microsoft.OperationalInsights/workspaces': {
        value: [
          {
            id: workspace,
            name: 'Logs',
            location,
            properties: {
              createdDate: '2026-01-01T00:00:00Z',
              customerId: workspaceId,
              sku: { name: 'pergb2018' },
              retentionInDays: 90,
              workspaceCapping: { dailyQuotaGb: -1 },
            },
          },
        ],
      },
      [below(workspace, 'tables')]: {
        value: [
          { id: `${workspace}/tables/Usage`, name: 'Usage', properties: { plan: 'Analytics' } },
          { id: `${workspace}/tables/ContainerLogV2`, name: 'ContainerLogV2', properties: { plan: 'Analytics' } },
          { id: `${workspace}/tables/AKSAudit`, name: 'AKSAudit', properties: { plan: 'Basic' } },
          ...['Web_CL', 'Old_CL'].map((name, at) => ({
            id: `${workspace}/tables/${name}`,
            name,
            properties: {
              plan: 'Analytics',
              schema: { tableType: 'CustomLog', tableSubType: at === 0 ? 'DataCollectionRuleBased' : 'Classic' },
            },
          })),
          { id: `${workspace}/tables/Old_RST`, properties: { schema: { tableType: 'RestoredLogs' } } },
        ],
      },
      [`POST /v1/workspaces/${workspaceId}/query`]: {
        tables: [
          {
            name: 'PrimaryResult',
            columns: [
              { name: 'table', type: 'string' },
              { name: 'gb', type: 'real' },
            ],
            rows: [
              ['ContainerLogV2', 40],
              ['AKSAudit', 100],
              ['Web_CL', 2.5],
              ['Old_CL', 7],
              ['Usage', 0.1],
            ],
          },
        ],
      },
      '/providers/Microsoft.OperationsManagement/solutions': {
        value: [
          {
            id: idOf('Microsoft.OperationsManagement/solutions', 'SecurityInsights(Logs)'),
            properties: { workspaceResourceId: workspace.toUpperCase() },
          },
        ],
      },
    },
    wanted: [
      {
        resourceUid: uid(workspace),
        name: 'Logs',
        region: location,
        resourceGroup: 'Shop',
        instanceType: 'PerGB2018',
        specs: {
          created_at: created,
          sku: 'PerGB2018',
          commitment_gb: null,
          retention_days: 90,
          daily_cap_gb: -1,
          restored_table_count: 1,
          basic_eligible_gb_30d: 42.5,
          sentinel: true,
        },
      },
    ],
  },
  one({
    type: 'azure-app-insights',
    kind: 'Microsoft.Insights/components',
    item: {
      kind: 'web',
      properties: { CreationDate: '2026-01-01T00:00:00Z', RetentionInDays: 90, WorkspaceResourceId: workspace },
    },
    fields: { parentUID: uid(workspace) },
    specs: { created_at: created, sampling_percent: 100, retention_days: 90 },
  }),
  {
    type: 'azure-reservation',
    answers: {
      '/providers/Microsoft.Capacity/reservations': {
        value: [
          {
            id: '/providers/Microsoft.Capacity/reservationOrders/Order/reservations/1',
            name: 'Order/1',
            location,
            sku: { name: 'Standard_D2s_v3' },
            properties: {
              displayName: 'VM_RI',
              reservedResourceType: 'VirtualMachines',
              appliedScopeType: 'Single',
              billingScopeId: `/subscriptions/${subscription.toUpperCase()}`,
              purchaseDateTime: '2025-03-26T12:00:00Z',
              expiryDateTime: '2026-03-26T12:00:00Z',
              quantity: 3,
              renew: false,
              provisioningState: 'Succeeded',
            },
          },
        ],
      },
    },
    wanted: [
      {
        resourceUid: '/providers/microsoft.capacity/reservationorders/order/reservations/1',
        name: 'VM_RI',
        region: location,
        instanceType: 'Standard_D2s_v3',
        unitCount: 3,
        specs: {
          reserved_type: 'VirtualMachines',
          reserved_count: 3,
          sku: 'Standard_D2s_v3',
          scope: 'Single',
          created_at: '2025-03-26T12:00:00.000Z',
          end: '2026-03-26T12:00:00.000Z',
          days_to_end: 10,
          auto_renew: false,
          state: 'Succeeded',
        },
      },
    ],
  },
  {
    type: 'azure-savings-plan',
    answers: {
      '/providers/Microsoft.BillingBenefits/savingsPlans': {
        value: [
          {
            id: '/providers/Microsoft.BillingBenefits/savingsPlanOrders/o/savingsPlans/1',
            name: '1',
            sku: { name: 'Compute_Savings_Plan' },
            properties: {
              displayName: 'Plan',
              billingScopeId: root,
              appliedScopeType: 'Shared',
              expiryDateTime: '2026-03-17T12:00:00Z',
              renew: true,
              commitment: { currencyCode: 'USD', amount: 0.5, grain: 'Hourly' },
            },
          },
        ],
      },
    },
    wanted: [
      {
        resourceUid: '/providers/microsoft.billingbenefits/savingsplanorders/o/savingsplans/1',
        name: 'Plan',
        region: '',
        instanceType: 'Compute_Savings_Plan',
        specs: {
          commitment_hourly: 0.5,
          scope: 'Shared',
          end: '2026-03-17T12:00:00.000Z',
          days_to_end: 1,
          auto_renew: true,
        },
      },
    ],
  },
  {
    type: 'azure-subscription',
    answers: {
      '': { displayName: 'Shop', subscriptionPolicies: { quotaId: 'PayAsYouGo_2014-09-01' } },
      '/providers/Microsoft.Consumption/budgets': { value: [{ id: `${root}/budgets/b` }] },
      '/providers/Microsoft.CostManagement/exports': {
        value: [
          { id: `${root}/exports/a`, properties: { schedule: { status: 'Active' } } },
          { id: `${root}/exports/b`, properties: { schedule: { status: 'Inactive' } } },
        ],
      },
      '/providers/Microsoft.Insights/diagnosticSettings': {
        value: [{ id: `${root}/settings/s`, properties: { logs: [{ category: 'Administrative', enabled: true }] } }],
      },
      '/providers/Microsoft.Authorization/roleAssignments': {
        value: ['8e3af657-a8ff-443c-a75c-2fe8c4bcb635', 'acdd72a7-3385-48ef-bd42-f606fba81ae7'].map((role, at) => ({
          id: `${root}/providers/Microsoft.Authorization/roleAssignments/${at}`,
          properties: { roleDefinitionId: `${root}/providers/Microsoft.Authorization/roleDefinitions/${role}` },
        })),
      },
      '/providers/Microsoft.Authorization/policyAssignments': {
        value: [{ id: `${root}/p`, properties: { displayName: 'Owner', parameters: { tagName: { value: 'owner' } } } }],
      },
      '/providers/Microsoft.Security/pricings': {
        value: [
          ['VirtualMachines', 'Free'],
          ['StorageAccounts', 'Standard'],
          ['KeyVaults', 'Free'],
          ['Dns', 'Free'],
        ].map(([name, pricingTier]) => ({ id: `${root}/pricings/${name}`, name, properties: { pricingTier } })),
      },
      '/providers/Microsoft.Compute/virtualMachines': { value: [{ id: machine, location: 'West Europe' }] },
      '/providers/Microsoft.Compute/locations/westeurope/usages': {
        value: [
          { name: { value: 'cores' }, currentValue: 10, limit: 100 },
          { name: { value: 'standardDSv3Family' }, currentValue: 45, limit: 50 },
          { name: { value: 'standardNCFamily' }, currentValue: 0, limit: 0 },
        ],
      },
      'POST /providers/Microsoft.ResourceGraph/resources': {
        data: [{ tenantId: tenant, groups: [{ name: 'Production' }, { name: tenant }] }],
      },
    },
    wanted: [
      {
        resourceUid: root,
        name: 'Shop',
        region: '',
        specs: {
          offer: 'PayAsYouGo_2014-09-01',
          budget_count: 1,
          cost_export_count: 1,
          activity_log_exported: true,
          owner_count: 1,
          tag_policy: true,
          defender_plans_off: ['VirtualMachines'],
          management_group: true,
          quota_peak_percent: 90,
          quota_peak_name: 'standardDSv3Family in westeurope',
        },
      },
    ],
  },
]
