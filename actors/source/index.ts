import type { Capability } from '#actors/capability.ts'
import { analyseWork } from '#actors/source/analyse.ts'
import { deploymentActor } from '#actors/source/deployment.ts'
import {
  Deployment,
  Revision,
  SourceClaim,
  SourceDelivery,
  SourceInstallation,
  SourceLink,
  SourceRepository,
} from '#actors/source/entity.ts'
import { orderBuildWork } from '#actors/source/order-build.ts'
import { revisionActor } from '#actors/source/revision.ts'

/** Deployments, their revisions and builds, and webhooks of source hosts. */
export const source: Capability = {
  word: 'source',
  entities: [Deployment, Revision, SourceInstallation, SourceRepository, SourceDelivery, SourceClaim, SourceLink],
  actors: [deploymentActor, revisionActor],
  effects: [orderBuildWork, analyseWork],
  migrates: true,
}
