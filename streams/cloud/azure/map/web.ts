/** Maps App Service plans and the apps in them. */
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { textAt } from '#streams/cloud/kubernetes/api/json-access.ts'
import type { Item } from '#streams/cloud/azure/session/session.ts'
import { isAt, numberAt, propertiesOf, resource, timeAt } from './resource.ts'

export function plan(item: Item): DiscoveredResource[] {
  const properties = propertiesOf(item)
  const workers = numberAt(item, 'sku', 'capacity') ?? numberAt(properties, 'numberOfWorkers')
  return resource('azure-app-service-plan', item, {
    instanceType: textAt(item, 'sku', 'name'),
    unitCount: workers,
    specs: {
      tier: textAt(item, 'sku', 'tier'),
      sku: textAt(item, 'sku', 'name'),
      workers,
      site_count: numberAt(properties, 'numberOfSites'),
      state: textAt(properties, 'status'),
    },
  })
}

/** The kind `functionapp,linux` is a function app; workflow apps count as web apps. */
const isFunctions = (item: Item): boolean => (textAt(item, 'kind') ?? '').split(',').includes('functionapp')

/** `planTier`: of the plan it runs in, if that was seen. */
export function site(item: Item, planTier?: string): DiscoveredResource[] {
  const properties = propertiesOf(item)
  const type = isFunctions(item) ? 'azure-function-app' : 'azure-web-app'
  const state = textAt(properties, 'state')
  return resource(type, item, {
    state,
    parentUID: textAt(properties, 'serverFarmId'),
    specs: {
      state,
      https_only: isAt(properties, 'httpsOnly'),
      min_tls: textAt(properties, 'siteConfig', 'minTlsVersion'),
      ftps_state: textAt(properties, 'siteConfig', 'ftpsState'),
      stack: textAt(properties, 'siteConfig', 'linuxFxVersion'),
      min_instances: numberAt(properties, 'siteConfig', 'minimumElasticInstanceCount'),
      changed_at: timeAt(properties, 'lastModifiedTimeUtc'),
      kind: textAt(item, 'kind'),
      ...(isFunctions(item) && { plan_tier: planTier }),
    },
  })
}
