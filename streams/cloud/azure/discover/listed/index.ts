/** The types of resources that are described by one value each. */
import type { ListedFinder } from '#streams/cloud/azure/discover/listed.ts'
import { hadoopClusters, sparkPools } from './analytics.ts'
import { recoveryVaults } from './backup.ts'
import { reservations, savingsPlans } from './commitment.ts'
import { availabilitySets, dedicatedHosts, sqlMachines } from './compute.ts'
import { cosmosContainers } from './cosmos.ts'
import { frontDoors } from './front-door.ts'
import { virtualGateways } from './gateway.ts'
import { aiAccounts, learningParts, searchServices } from './learning.ts'
import { appInsights, logWorkspaces } from './log.ts'
import { apiManagements, eventHubs, serviceBuses } from './messaging.ts'
import { bastions, circuits, ddosPlans, privateEndpoints, privateZones, trafficManagers } from './network.ts'
import { keyVaults, managedHsms } from './security.ts'
import { netAppPools, registriesOfImages } from './storage.ts'
import { subscriptions } from './subscription.ts'

/** In chains that run side by side. */
export const listedChains: readonly (readonly ListedFinder[])[] = [
  [subscriptions, reservations, savingsPlans],
  [bastions, circuits, virtualGateways, frontDoors, trafficManagers, privateEndpoints, privateZones, ddosPlans],
  [availabilitySets, dedicatedHosts, sqlMachines, hadoopClusters, sparkPools, eventHubs, serviceBuses, apiManagements],
  [logWorkspaces, appInsights, keyVaults, managedHsms, netAppPools, registriesOfImages, recoveryVaults],
  [learningParts, aiAccounts, searchServices, cosmosContainers],
]

export const listedTypes = listedChains.flat().flatMap(({ types }) => types)
