/** The requester of changes to deployments, and their audit records. */
import type { Request } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { recordEvent } from '#http/identity/organization/audit.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import type { SecurityEventType } from '#streams/security.ts'

type Requester = Pick<Request<unknown, unknown, unknown>, 'caller' | 'client'>
type Type = Extract<SecurityEventType, `deployment_${string}`>

/** A person's id; for a machine token a unique id of its own. */
export const askerOf = ({ userId, principal }: Caller): string => userId || principal

/** Call after the change. A repeat with the same Idempotency-Key records it once. */
export async function recordSource(
  { caller: { orgId, userId, principal }, client }: Requester,
  { em, now, newId }: Services,
  type: Type,
  detail: Record<string, string>,
): Promise<void> {
  const happened = { id: newId(), type, orgId, userId, principal, detail } as const
  await em.transactional((tx) => recordEvent(tx, happened, client, now()))
}
