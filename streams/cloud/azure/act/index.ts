/** What can be asked of each type of resource of Azure. */
import { machine, set } from './compute.ts'
import { insideKinds } from './databricks.ts'
import { firewall } from './firewall.ts'
import { hostPool, runtime } from './runtimes-and-pools.ts'
import type { ResourceKinds } from '#streams/cloud/resource/verb/kind.ts'
import type { At } from './kind.ts'
import { plainKinds } from './table-kinds.ts'
import { pool } from './pool.ts'
import { backup, diskSnapshot } from './snapshot.ts'

/** By type; of what is not here nothing is asked. */
export const kinds: ResourceKinds<At> = {
  ...plainKinds,
  ...insideKinds,
  'azure-vm': machine,
  'azure-vmss': set,
  'azure-disk': { ...plainKinds['azure-disk']!, snapshot: diskSnapshot },
  'azure-postgres': { ...plainKinds['azure-postgres']!, snapshot: backup('2024-08-01') },
  'azure-mysql': { ...plainKinds['azure-mysql']!, snapshot: backup('2023-12-30') },
  'azure-aks-nodepool': pool,
  'azure-firewall': firewall,
  'azure-adf-ssis-ir': runtime,
  'azure-avd-host-pool': hostPool,
}
