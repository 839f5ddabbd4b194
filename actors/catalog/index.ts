import type { Capability } from '#actors/capability.ts'
import { connectionActor } from '#actors/catalog/database/connection.ts'
import { databaseActor } from '#actors/catalog/database/database.ts'
import { databaseWork } from '#actors/catalog/database/database-call.ts'
import {
  databaseSealed,
  ProvisionedConnection,
  ProvisionedDatabase,
  ProvisioningJob,
  secretsSealed,
  Space,
} from '#actors/catalog/entity.ts'
import { mailWork } from '#actors/catalog/mail.ts'
import { provisionWork } from '#actors/catalog/job/provision.ts'
import { provisioningActor } from '#actors/catalog/job/provisioning.ts'
import { spaceActor } from '#actors/catalog/space.ts'

/** Self-service provisioning: jobs with their steps, spaces, databases and the component catalog. */
export const catalog: Capability = {
  word: 'catalog',
  entities: [Space, ProvisioningJob, ProvisionedDatabase, ProvisionedConnection],
  actors: [spaceActor, provisioningActor, databaseActor, connectionActor],
  effects: [provisionWork, databaseWork, mailWork],
  sealed: [secretsSealed, databaseSealed],
  migrates: true,
}
