/**
 * Sends a build order to builders, with a token for their reports. An order that may not have been sent is repeated
 * with the id of its revision, by which the stream and its readers recognize it; if the revision has moved on, it is
 * not repeated.
 */
import type { Tools } from '#actors/tools.ts'
import type { EffectCall, EffectWork } from '#engine/run/effect.ts'
import { buildEnded, buildJob, buildOrdered } from '#streams/source/messages.ts'
import { callbackToken } from '#streams/source/token.ts'
import { orderBuild, type OrderInput } from './effect.ts'
import { retries } from '#streams/retry.ts'

export type OrderTools = Pick<Tools, 'reads' | 'publisher' | 'now' | 'publicUrl' | 'source'>

export const orderBuildWork = (tools: OrderTools): EffectWork => ({
  name: orderBuild.name,
  pool: 'act',
  // The stream of orders may be full or unavailable; each try waits half a minute.
  retry: retries.buildOrder,
  run: (input, call) => order(tools, input as OrderInput, call),
  failed: (input, call) => giveUp(tools, input as OrderInput, call),
})

async function order(tools: OrderTools, input: OrderInput, { key, orgId }: EffectCall): Promise<void> {
  const { deploymentId, revisionId, commitSha, repositoryUrl } = input
  if (!(await isQueued(tools, orgId, input))) return
  await tools.publisher.post(buildJob, orgId, revisionId, {
    revisionID: revisionId,
    deploymentID: deploymentId,
    repositoryURL: repositoryUrl,
    commitSHA: commitSha,
    ...callbackOf(tools, revisionId),
  })
  const data = { deploymentId, revisionId }
  await tools.publisher.report({ subject: buildOrdered, orgId, data, id: `${key}/ended` })
}

/** The build is given up. */
async function giveUp({ publisher }: OrderTools, input: OrderInput, { key, orgId }: EffectCall): Promise<void> {
  const { deploymentId, revisionId } = input
  const failureReason = 'The build could not be started.'
  const data = { deploymentId, revisionId, status: 'failed' as const, failureReason }
  await publisher.report({ subject: buildEnded, orgId, data, id: `${key}/given-up` })
}

/** Empty if callbacks are disabled, or the public URL is unknown. */
function callbackOf({ source, now, publicUrl }: OrderTools, revisionId: string) {
  const at = publicUrl()
  if (source.callback === undefined || at === '') return {}
  return {
    callbackURL: `${at}/build-callbacks/${revisionId}`,
    callbackToken: callbackToken(source.callback, revisionId, now()),
  }
}

async function isQueued({ reads }: OrderTools, orgId: string, input: OrderInput): Promise<boolean> {
  const rows = await reads.rows(
    `select from revision where org_id = $1 and deployment_id = $2 and id = $3 and status = 'queued'`,
    [orgId, input.deploymentId, input.revisionId],
  )
  return rows.length > 0
}
