/** What can be asked of each type of resource of Azure. */
import { machine, set } from './compute.ts'
import { insideKinds } from './databricks.ts'
import { firewall } from './firewall.ts'
import { hostPool, runtime } from './runtimes-and-pools.ts'
import type { ResourceKind } from './kind.ts'
import { plainKinds } from './table-kinds.ts'
import { pool } from './pool.ts'
import { backup, diskSnapshot } from './snapshot.ts'

const also = (type: string, acts: ResourceKind['acts']): ResourceKind => {
  const kind = plainKinds[type]!
  return { ...kind, acts: { ...kind.acts, ...acts } }
}

/** By type; of what is not here nothing is asked. */
export const kinds: Readonly<Record<string, ResourceKind>> = {
  ...plainKinds,
  ...insideKinds,
  'azure-vm': machine,
  'azure-vmss': set,
  'azure-disk': also('azure-disk', { snapshot: diskSnapshot }),
  'azure-postgres': also('azure-postgres', { snapshot: backup('2024-08-01') }),
  'azure-mysql': also('azure-mysql', { snapshot: backup('2023-12-30') }),
  'azure-aks-nodepool': pool,
  'azure-firewall': firewall,
  'azure-adf-ssis-ir': runtime,
  'azure-avd-host-pool': hostPool,
}
