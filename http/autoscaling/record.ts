/** The requester of a change to a policy, and its audit record. */
import type { Request } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { recordEvent } from '#http/identity/organization/audit.ts'
import type { Caller } from '#http/identity/organization/caller.ts'

export type PolicyRequester = Pick<Request<unknown, unknown, unknown>, 'caller' | 'client'>

/** A person's id; for a machine token a unique id of its own. */
export const askerOf = ({ userId, principal }: Caller): string => userId || principal

/** Call after the actor has made the change. A repeat with the same Idempotency-Key records it once. */
export async function recordPolicy(
  { caller: { orgId, userId, principal }, client }: PolicyRequester,
  { em, now, newId }: Services,
  type: 'policy_applied' | 'autoscaler_changed',
  detail: Record<string, string>,
): Promise<void> {
  const happened = { id: newId(), type, orgId, userId, principal, detail } as const
  await em.transactional((tx) => recordEvent(tx, happened, client, now()))
}
