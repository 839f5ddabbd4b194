import { created, one, type ListedCase } from './case.ts'

export const messaging: readonly ListedCase[] = [
  one({
    type: 'azure-event-hubs',
    kind: 'Microsoft.EventHub/namespaces',
    item: {
      sku: { name: 'Standard', tier: 'Standard', capacity: 4 },
      properties: { isAutoInflateEnabled: false, createdAt: '2026-01-01T00:00:00Z' },
    },
    fields: { instanceType: 'Standard' },
    specs: { sku: 'Standard', capacity: 4, created_at: created, auto_inflate: false },
  }),
  one({
    type: 'azure-service-bus',
    kind: 'Microsoft.ServiceBus/namespaces',
    item: { sku: { name: 'Premium', tier: 'Premium', capacity: 1 }, properties: { createdAt: '2026-01-01T00:00:00Z' } },
    fields: { instanceType: 'Premium' },
    specs: { sku: 'Premium', capacity: 1, created_at: created },
  }),
  one({
    type: 'azure-api-management',
    kind: 'Microsoft.ApiManagement/service',
    item: { sku: { name: 'Developer', capacity: 1 }, properties: { createdAtUtc: '2026-01-01T00:00:00Z' } },
    fields: { instanceType: 'Developer' },
    specs: { sku: 'Developer', capacity: 1, created_at: created },
  }),
]
