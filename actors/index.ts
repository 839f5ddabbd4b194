import type { Actor } from '#engine/actor.ts'
import { accountActor } from '#actors/account/actor.ts'
import { CloudAccount } from '#actors/account/entity.ts'
import { jobActor } from '#actors/job/actor.ts'
import { Job } from '#actors/job/entity.ts'
import { refreshActor } from '#actors/refresh/actor.ts'
import { Refresh } from '#actors/refresh/entity.ts'
import { resourceActor } from '#actors/resource/actor.ts'
import { Resource } from '#actors/resource/entity.ts'
import { securityActor } from '#actors/security/actor.ts'
import { SecurityLog } from '#actors/security/entity.ts'

/** Every actor kind of the product. */
export const actors = [resourceActor, accountActor, refreshActor, securityActor, jobActor] as unknown as readonly Actor[]

/** Their rows. */
export const actorEntities = [Resource, CloudAccount, Refresh, SecurityLog, Job]
