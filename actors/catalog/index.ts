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

/** What teams have made at clouds, step by step, and where it stands. */
export const catalog: Capability = {
  word: 'catalog',
  entities: [Space, ProvisioningJob, ProvisionedDatabase, ProvisionedConnection],
  actors: [spaceActor, provisioningActor, databaseActor, connectionActor],
  effects: [provisionWork, databaseWork, mailWork],
  sealed: [secretsSealed, databaseSealed],
  migrates: true,
}
