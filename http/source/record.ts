/** Who asks for something of deployments, and what is written down of it. */
import type { Request } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { recordEvent } from '#http/identity/organization/audit.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import type { SecurityEventType } from '#streams/security.ts'

type Requester = Pick<Request<unknown, unknown, unknown>, 'caller' | 'client'>
type Type = Extract<SecurityEventType, `deployment_${string}`>

/** A person; a token of a machine goes by an id that is nobody else's. */
export const askerOf = ({ userId, principal }: Caller): string => userId || principal

/** It has been done by then. A repeat under the same Idempotency-Key writes it down once. */
export async function recordSource(
  { caller: { orgId, userId, principal }, client }: Requester,
  { em, now, newId }: Services,
  type: Type,
  detail: Record<string, string>,
): Promise<void> {
  const happened = { id: newId(), type, orgId, userId, principal, detail } as const
  await em.transactional((tx) => recordEvent(tx, happened, client, now()))
}
