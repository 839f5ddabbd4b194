import type { Capability } from '#actors/capability.ts'
import { ProvisionedConnection, ProvisionedDatabase, ProvisioningJob, Space } from '#actors/catalog/entity.ts'

/** What teams have made at clouds, step by step, and where it stands. */
export const catalog: Capability = {
  word: 'catalog',
  entities: [Space, ProvisioningJob, ProvisionedDatabase, ProvisionedConnection],
  migrates: true,
}
