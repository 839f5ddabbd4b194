/** Deployments: their settings, the promoted revision, and pull requests in their repository. */
import type { SourceNeeds } from './needs.ts'
import { defineActor } from '#engine/actor/actor.ts'
import { Fault } from '#engine/value/fault.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { buildEnded, deploymentRemoved, deploymentSaved, pullRequestReceived } from '#streams/source/messages.ts'
import { analysePullRequest } from './effect.ts'
import { isFinished, outcomeOf, type BuildEnd } from './build-end.ts'
import { Deployment } from './entity.ts'
import { sourceNeeds } from './needs.ts'

const ofDeployment = ({ deploymentId }: { deploymentId: string }): string => deploymentId

/** @throws Fault `missing` if it never existed or was deleted */
function checkThere({ id, repositoryKey }: Deployment): void {
  if (repositoryKey === '') throw Fault.missing('deployment', id)
}

function save(row: Deployment, said: Static<typeof deploymentSaved.schema>, turn: Turn): void {
  if (said.isNew) row.createdAt = turn.now
  else checkThere(row)
  const given = Object.entries(said.terms).filter(([, value]) => value !== undefined)
  Object.assign(row, Object.fromEntries(given), { updatedAt: turn.now })
  turn.reply({ deploymentId: row.id })
}

function remove(row: Deployment, _said: unknown, turn: Turn): void {
  checkThere(row)
  turn.reply({ deploymentId: row.id })
  turn.remove()
}

/** The revision replies to the request and refuses invalid ones. */
function promote(row: Deployment, ended: BuildEnd, turn: Turn<SourceNeeds>): void {
  const { build, stand } = turn.needs.end!
  if (!build || isFinished(build.status) || outcomeOf(build, stand, ended) !== 'promoted') return
  row.currentRevisionId = build.id
  row.updatedAt = turn.now
}

function analyse(row: Deployment, said: Static<typeof pullRequestReceived.schema>, turn: Turn): void {
  checkThere(row)
  const { deploymentId, host, deliveryId, fullName, headSha, showsCost = false, asking } = said
  turn.call(analysePullRequest, `pull-request/${turn.address.orgId}/${host}/${deliveryId}`, {
    deploymentId,
    fullName,
    headSha,
    showsCost,
  })
  turn.reply({ asking })
}

export const deploymentActor = defineActor({
  kind: 'deployment',
  entity: Deployment,
  address: { orgId: 'orgId', place: 'id', key: 'id' },
  initial: () => ({
    name: '',
    spaceId: '',
    repositoryUrl: '',
    repositoryKey: '',
    branch: '',
    autoDeploy: false,
    currentRevisionId: null,
    createdAt: new Date(0),
    updatedAt: new Date(0),
  }),
  needs: sourceNeeds,
  reactions: (on) => [
    on(deploymentSaved, ofDeployment, save),
    // Runs alone, so that later messages see that it is deleted.
    on(deploymentRemoved, ofDeployment, remove, { barrier: true }),
    on(buildEnded, ofDeployment, promote, { barrier: true, existing: true }),
    on(pullRequestReceived, ofDeployment, analyse),
  ],
})
