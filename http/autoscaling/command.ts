/** Commands to existing policies. */
import type { PolicyRow } from '#actors/autoscaling/row.ts'
import { Policy, policyParams, show } from '#http/autoscaling/body.ts'
import { policySeen } from '#http/autoscaling/detail.ts'
import { askerOf, recordPolicy, type PolicyRequester } from '#http/autoscaling/record.ts'
import { route, type Request, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { autoscalerCommanded, autoscalerRemoved, type AutoscalerVerb } from '#streams/autoscaling.ts'

type One = Request<{ policyID: string }, unknown, unknown>

const placeOf = ({ policy_id, cloud_account_id, target_uid }: PolicyRow) => ({
  policyId: policy_id,
  cloudAccountId: cloud_account_id,
  targetUid: target_uid,
})

/** Their names in the audit trail. */
const changes = { pause: 'paused', resume: 'resumed' } as const

async function recordCommand(
  asking: PolicyRequester,
  services: Services,
  verb: AutoscalerVerb,
  { policy_id: policyID, target_uid: targetUID, cloud_account_id: cloudAccountID, recommendation }: PolicyRow,
): Promise<void> {
  if (verb !== 'apply') return recordPolicy(asking, services, 'autoscaler_changed', { policyID, change: changes[verb] })
  const bounds = recommendation && { toMin: String(recommendation.toMin), toMax: String(recommendation.toMax) }
  const detail = { policyID, targetUID, cloudAccountID, ...bounds }
  return recordPolicy(asking, services, 'policy_applied', detail)
}

const handleCommand = (verb: AutoscalerVerb) => async (request: One, services: Services) => {
  const { caller, params } = request
  const row = await policySeen(caller, params.policyID, services)
  await services.ask(autoscalerCommanded, { ...placeOf(row), verb, userId: askerOf(caller) })
  await recordCommand(request, services, verb, row)
  return show(caller.orgId, await policySeen(caller, params.policyID, services))
}

async function remove(request: One, services: Services): Promise<void> {
  const { caller, params } = request
  // For a removed policy the actor refuses the command, unless it is a repeat of the same request.
  const row = await policySeen(caller, params.policyID, services, true)
  await services.ask(autoscalerRemoved, { ...placeOf(row), userId: askerOf(caller) })
  await recordPolicy(request, services, 'autoscaler_changed', { policyID: row.policy_id, change: 'removed' })
}

const routeBase = { tags: ['Autoscaler policies'], params: policyParams } as const
const command = { ...routeBase, method: 'POST', reply: Policy } as const
const removal =
  'Earlier changes and the current state of the target are kept. Returns 409 plan_in_progress while an event plan controls the target.'

export const policyCommands: readonly Route[] = [
  route({
    ...command,
    path: '/autoscaler-policies/:policyID/apply',
    summary: 'Apply the recommendation of a policy',
    description:
      'Its events report the result. Returns 409 no_recommendation without an open recommendation, 409 change_in_progress ' +
      'while the target is being changed, 409 invalid_transition if the policy is paused, held or in error, and 422 ' +
      'capability_missing if its effective mode is monitor.',
    permission: 'service.update',
    refuses: {
      409: ['no_recommendation', 'invalid_transition', 'change_in_progress'],
      422: ['capability_missing'],
    },
    handle: handleCommand('apply'),
  }),

  route({
    ...command,
    path: '/autoscaler-policies/:policyID/pause',
    summary: 'Pause a policy: it recommends and changes nothing',
    description: 'Returns 409 invalid_transition if it is already paused.',
    permission: 'service.update',
    refuses: { 409: ['invalid_transition'] },
    handle: handleCommand('pause'),
  }),

  route({
    ...command,
    path: '/autoscaler-policies/:policyID/resume',
    summary: 'Resume a policy that is paused or in error',
    description:
      'The policy is re-evaluated immediately; a target that could not be restored after an event is restored. Returns 409 invalid_transition if the policy is active or held.',
    permission: 'service.update',
    refuses: { 409: ['invalid_transition'] },
    handle: handleCommand('resume'),
  }),

  route({
    ...command,
    path: '/autoscaler-policies/:policyID/remove',
    summary: 'Remove a policy and return it',
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
    ...routeBase,
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
