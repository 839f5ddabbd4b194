import { accountActor } from '#actors/account/actor.ts'
import { credentialsSealed } from '#actors/account/connection/credentials.ts'
import { CloudAccount } from '#actors/account/entity.ts'
import { organizationSyncJob } from '#actors/account/organization/sync.ts'
import type { Capability } from '#actors/capability.ts'

/** Connected accounts of clouds, with the lines of their bills. */
export const account: Capability = {
  word: 'account',
  entities: [CloudAccount],
  actors: [accountActor],
  jobs: { 'organization-sync': organizationSyncJob },
  migrates: true,
  sealed: [credentialsSealed],
}
