/** Who asks for something of a policy, and what is written down of it. */
import type { Request } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { recordEvent } from '#http/identity/organization/audit.ts'
import type { Caller } from '#http/identity/organization/caller.ts'

export type PolicyRequester = Pick<Request<unknown, unknown, unknown>, 'caller' | 'client'>

/** A person; a token of a machine goes by an id that is nobody else's. */
export const askerOf = ({ userId, principal }: Caller): string => userId || principal

/** The actor has done it by then. A repeat under the same Idempotency-Key writes it down once. */
export async function recordPolicy(
  { caller: { orgId, userId, principal }, client }: PolicyRequester,
  { em, now, newId }: Services,
  type: 'policy_applied' | 'autoscaler_changed',
  detail: Record<string, string>,
): Promise<void> {
  const happened = { id: newId(), type, orgId, userId, principal, detail } as const
  await em.transactional((tx) => recordEvent(tx, happened, client, now()))
}
