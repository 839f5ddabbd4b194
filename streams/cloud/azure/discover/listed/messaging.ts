import { textAt } from '#streams/cloud/kubernetes/api/json-access.ts'
import { findInLists, listedType } from '#streams/cloud/azure/discover/listed.ts'
import { isAt, numberAt, timeAt } from '#streams/cloud/azure/map/resource.ts'
import type { Item } from '#streams/cloud/azure/session/session.ts'

const size = {
  sku: ({ item }: { item: Item }) => textAt(item, 'sku', 'name'),
  capacity: ({ item }: { item: Item }) => numberAt(item, 'sku', 'capacity'),
}
const sized = ({ item }: { item: Item }) => ({ instanceType: textAt(item, 'sku', 'name') })

export const eventHubs = findInLists(
  listedType({
    type: 'azure-event-hubs',
    permissions: ['Microsoft.EventHub/namespaces/read'],
    fields: sized,
    specs: {
      ...size,
      created_at: ({ of }) => timeAt(of, 'createdAt'),
      auto_inflate: ({ of }) => isAt(of, 'isAutoInflateEnabled'),
    },
  }),
  ['Microsoft.EventHub/namespaces', '2024-01-01'],
)

export const serviceBuses = findInLists(
  listedType({
    type: 'azure-service-bus',
    permissions: ['Microsoft.ServiceBus/namespaces/read'],
    fields: sized,
    specs: { ...size, created_at: ({ of }) => timeAt(of, 'createdAt') },
  }),
  ['Microsoft.ServiceBus/namespaces', '2021-11-01'],
)

export const apiManagements = findInLists(
  listedType({
    type: 'azure-api-management',
    permissions: ['Microsoft.ApiManagement/service/read'],
    fields: sized,
    specs: { ...size, created_at: ({ of }) => timeAt(of, 'createdAtUtc') },
  }),
  ['Microsoft.ApiManagement/service', '2022-08-01'],
)
