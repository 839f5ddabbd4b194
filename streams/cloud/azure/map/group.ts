import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import type { Item } from '#streams/cloud/azure/session/session.ts'
import { resource } from './resource.ts'

/** `isLocked` is unknown without permission to list locks. */
export const resourceGroup = (item: Item, isLocked: boolean | null | undefined): DiscoveredResource[] =>
  resource('azure-resource-group', item, { specs: { locked: isLocked ?? undefined } })
