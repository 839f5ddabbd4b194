/** Creating policies and changing their terms. */
import type { PolicyRow } from '#actors/autoscaling/row.ts'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import {
  CreateBody,
  newTermsOf,
  Policy,
  policyParams,
  PutBody,
  show,
  termsOf,
  typeGiven,
} from '#http/autoscaling/body.ts'
import { problemsOf } from '#http/autoscaling/check.ts'
import { checkAdoption, providerOf } from '#http/autoscaling/native.ts'
import { policySeen } from '#http/autoscaling/detail.ts'
import { askerOf, recordPolicy } from '#http/autoscaling/record.ts'
import { targetFound } from '#http/autoscaling/target.ts'
import { actorReply } from '#http/edge/request/decode.ts'
import { badInput } from '#http/edge/problem.ts'
import { asksCloud } from '#http/account/cloud-refusal.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { reply } from '#http/store/reply.ts'
import { autoscalerSaved } from '#streams/autoscaling.ts'
import { isProvider } from '#streams/names.ts'

const readReply = actorReply(t.Object({ policyId: t.String() }))

/** Returns the id of the new policy. */
async function createPolicy(caller: Caller, body: Static<typeof CreateBody>, services: Services): Promise<string> {
  const { cloudAccountID: cloudAccountId, mode, target } = body
  const terms = newTermsOf(body)
  const problems = problemsOf(terms)
  if (problems.length > 0) throw badInput(...problems)
  const place = { in: 'body', name: '/target/type' } as const
  const targetType = typeGiven(target)
  const asked = { type: targetType, uid: target.uid, cloudAccountId, place }
  const found = await targetFound(services, caller, asked)
  if (found.account.status === 'disabled') throw Fault.refused('capability_missing', 'The account is disabled.')
  await checkAdoption(found, terms.adoption, targetType, services)
  const provider = targetType.split('-')[0]!
  const { externalId } = found.account
  const cloud = services.cloudOf({ provider: providerOf({ provider }), externalId })
  const needsInfrastructure = cloud.infrastructureFor.includes(targetType)
  const at = { policyId: services.newId(), cloudAccountId, targetUid: target.uid, needsInfrastructure }
  const wanted = { ...at, isNew: true as const, mode, provider, targetType, terms, userId: askerOf(caller) }
  return readReply(await services.ask(autoscalerSaved, wanted)).policyId
}

/** @throws Fault `invalid` with every member that does not fit the policy's other terms */
function changesOf(body: Static<typeof PutBody>, { min, max, triggers }: PolicyRow) {
  const given = termsOf(body)
  const problems = problemsOf({ min, max, triggers, ...given }, given)
  if (problems.length > 0) throw badInput(...problems)
  return given
}

const routeBase = { tags: ['Autoscaler policies'], reply: Policy } as const

export const policyChanges: readonly Route[] = [
  route({
    ...routeBase,
    method: 'POST',
    path: '/autoscaler-policies',
    summary: 'Create a policy for a target',
    description:
      "Its mode is limited by the account's credentials: monitor if they are read-only. Returns 404 if the account does not " +
      'exist, 409 already_exists if the target has a policy, and 422 too_many_policies above 500 per account.',
    permission: 'service.create',
    status: 201,
    headers: { Location: 'URL of the new policy' },
    body: CreateBody,
    refuses: asksCloud({
      404: ['not_found'],
      409: ['already_exists'],
      422: ['capability_missing', 'too_many_policies'],
    }),
    handle: async (request, services) => {
      const { caller, body } = request
      const policyID = await createPolicy(caller, body, services)
      await recordPolicy(request, services, 'autoscaler_changed', { policyID, change: 'created' })
      const row = await policySeen(caller, policyID, services)
      return reply(show(caller.orgId, row), { headers: { Location: `/autoscaler-policies/${policyID}` } })
    },
  }),

  route({
    ...routeBase,
    method: 'PUT',
    path: '/autoscaler-policies/:policyID',
    summary: 'Update a policy; omitted fields and the mode are unchanged',
    description:
      'The policy is re-evaluated immediately, as at the start or end of a trigger. Returns 404 for a removed policy.',
    permission: 'service.update',
    params: policyParams,
    body: PutBody,
    refuses: asksCloud({ 422: ['capability_missing'] }),
    handle: async (request, services) => {
      const { caller, params, body } = request
      const row = await policySeen(caller, params.policyID, services)
      const terms = changesOf(body, row)
      if (terms.adoption === 'replace') await checkReplaced(row, caller, services)
      const at = { policyId: row.policy_id, cloudAccountId: row.cloud_account_id, targetUid: row.target_uid }
      await services.ask(autoscalerSaved, { ...at, isNew: false, terms, userId: askerOf(caller) })
      await recordPolicy(request, services, 'autoscaler_changed', { policyID: row.policy_id, change: 'changed' })
      return show(caller.orgId, await policySeen(caller, params.policyID, services))
    },
  }),
]

async function checkReplaced(row: PolicyRow, caller: Caller, services: Services): Promise<void> {
  if (!isProvider(row.provider)) return
  const place = { in: 'body', name: '/adoption' } as const
  const asked = { type: row.target_type, uid: row.target_uid, cloudAccountId: row.cloud_account_id, place }
  await checkAdoption(await targetFound(services, caller, asked), 'replace', row.target_type, services)
}
