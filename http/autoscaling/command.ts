/** What people do about policies that there are. */
import type { PolicyRow } from '#actors/autoscaling/row.ts'
import { Policy, policyParams, show } from '#http/autoscaling/body.ts'
import { policySeen } from '#http/autoscaling/one.ts'
import { askerOf, recordPolicy, type Asking } from '#http/autoscaling/record.ts'
import { route, type Request, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { autoscalerCommanded, autoscalerRemoved, type AutoscalerVerb } from '#streams/autoscaling.ts'

type One = Request<{ policyID: string }, unknown, unknown>

const placeOf = ({ policy_id, cloud_account_id, target_uid }: PolicyRow) => ({
  policyId: policy_id,
  cloudAccountId: cloud_account_id,
  targetUid: target_uid,
})

/** How the trail of what people did calls it. */
const changes = { pause: 'paused', resume: 'resumed' } as const

async function recordCommand(
  asking: Asking,
  services: Services,
  verb: AutoscalerVerb,
  { policy_id: policyID, target_uid: targetUID, cloud_account_id: cloudAccountID, recommendation }: PolicyRow,
): Promise<void> {
  if (verb !== 'apply') return recordPolicy(asking, services, 'autoscaler_changed', { policyID, change: changes[verb] })
  const bounds = recommendation && { toMin: String(recommendation.toMin), toMax: String(recommendation.toMax) }
  const detail = { policyID, targetUID, cloudAccountID, ...bounds }
  return recordPolicy(asking, services, 'policy_applied', detail)
}

const commanded = (verb: AutoscalerVerb) => async (request: One, services: Services) => {
  const { caller, params } = request
  const row = await policySeen(caller, params.policyID, services)
  await services.ask(autoscalerCommanded, { ...placeOf(row), verb, userId: askerOf(caller) })
  await recordCommand(request, services, verb, row)
  return show(caller.orgId, await policySeen(caller, params.policyID, services))
}

async function remove(request: One, services: Services): Promise<void> {
  const { caller, params } = request
  // One that is removed already is refused by its actor, unless this is the same request once more.
  const row = await policySeen(caller, params.policyID, services, true)
  await services.ask(autoscalerRemoved, { ...placeOf(row), userId: askerOf(caller) })
  await recordPolicy(request, services, 'autoscaler_changed', { policyID: row.policy_id, change: 'removed' })
}

const fixed = { tags: ['Autoscaler policies'], params: policyParams } as const
const command = { ...fixed, method: 'POST', reply: Policy } as const
const removal =
  'What it did stays, and so does the target as it is. 409 plan_in_progress while a plan for an event holds the target.'

export const policyCommands: readonly Route[] = [
  route({
    ...command,
    path: '/autoscaler-policies/:policyID/apply',
    summary: 'Do what a policy recommends',
    description:
      'Its events tell what came of it. 409 no_recommendation where it recommends nothing, change_in_progress while it changes the ' +
      'target, invalid_transition where it is paused, held or in error; 422 capability_missing where its effective mode is monitor.',
    permission: 'service.update',
    refuses: {
      409: ['no_recommendation', 'invalid_transition', 'change_in_progress'],
      422: ['capability_missing'],
    },
    handle: commanded('apply'),
  }),

  route({
    ...command,
    path: '/autoscaler-policies/:policyID/pause',
    summary: 'Let a policy rest: it says and changes nothing',
    description: '409 invalid_transition where it does so already.',
    permission: 'service.update',
    refuses: { 409: ['invalid_transition'] },
    handle: commanded('pause'),
  }),

  route({
    ...command,
    path: '/autoscaler-policies/:policyID/resume',
    summary: 'Let a policy go on that rests, or that is in error',
    description:
      'It is looked at anew at once; a target that could not be put back behind an event is put back. 409 invalid_transition where it is active, or held.',
    permission: 'service.update',
    refuses: { 409: ['invalid_transition'] },
    handle: commanded('resume'),
  }),

  route({
    ...command,
    path: '/autoscaler-policies/:policyID/remove',
    summary: 'Remove a policy, as DELETE does, and answer with it',
    description: removal,
    permission: 'service.update',
    refuses: { 409: ['plan_in_progress'] },
    handle: async (request, services) => {
      await remove(request, services)
      const { caller, params } = request
      return show(caller.orgId, await policySeen(caller, params.policyID, services, true))
    },
  }),

  route({
    ...fixed,
    method: 'DELETE',
    path: '/autoscaler-policies/:policyID',
    summary: 'Remove a policy',
    description: removal,
    permission: 'service.delete',
    status: 204,
    refuses: { 409: ['plan_in_progress'] },
    handle: remove,
  }),
]
