import { accountActor } from '#actors/account/actor.ts'
import { credentialsSealed } from '#actors/account/credentials.ts'
import { CloudAccount } from '#actors/account/entity.ts'
import type { Capability } from '#actors/capability.ts'

/** Connected accounts of clouds, with the lines of their bills. */
export const account: Capability = {
  word: 'account',
  entities: [CloudAccount],
  actors: [accountActor],
  migrates: true,
  sealed: [credentialsSealed],
}
