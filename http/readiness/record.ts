/** Audit records of who creates plans and decides about them. */
import { foundPlan, type Seer } from '#actors/readiness/queries.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { actorReply } from '#http/edge/request/decode.ts'
import type { Request } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { recordEvent } from '#http/identity/organization/audit.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { show, type Plan } from '#http/readiness/body.ts'
import { sightOf } from '#http/recommendation/body.ts'
import type { SecurityEventType } from '#streams/security.ts'

export type PlanRequester = Pick<Request<unknown, unknown, unknown>, 'caller' | 'client'>

/** A person's id; for a machine token a unique id of its own. */
export const askerOf = ({ userId, principal }: Caller): string => userId || principal

/** The caller as a reader of plans. */
export const seerOf = (caller: Caller): Seer => ({ orgId: caller.orgId, ...sightOf(caller) })

/** The plan id in a path. @throws Fault `missing` if there is none: commands are only sent to actors that exist */
export async function planIdOf(
  { caller, params: { eventID } }: Pick<Request<{ eventID: string }, unknown, unknown>, 'caller' | 'params'>,
  { em }: Pick<Services, 'em'>,
): Promise<string> {
  return (await foundPlan(em, seerOf(caller), eventID)).id
}

/** Decodes the replies of the readiness actor. */
export const readPlanReply = actorReply(t.Object({ planId: t.String() }))

/** Call after the actor has made the change. A repeat with the same Idempotency-Key records it once. */
export async function recordPlan(
  { caller: { orgId, userId, principal }, client }: PlanRequester,
  { em, now, newId }: Services,
  type: SecurityEventType & `plan_${string}`,
  planID: string,
): Promise<void> {
  const happened = { id: newId(), type, orgId, userId, principal, detail: { planID } } as const
  await em.transactional((tx) => recordEvent(tx, happened, client, now()))
}

/** Records the change and returns the plan. */
export async function recordAndShow(
  asked: PlanRequester,
  services: Services,
  type: SecurityEventType & `plan_${string}`,
  planID: string,
): Promise<Static<typeof Plan>> {
  await recordPlan(asked, services, type, planID)
  return show(await foundPlan(services.em, seerOf(asked.caller), planID))
}
