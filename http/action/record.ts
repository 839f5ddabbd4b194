/** The requester of an action, and the audit record of the request. */
import { recordEvent } from '#http/identity/organization/audit.ts'
import type { Request } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'

/**
 * Records that an action was requested. Its actor has already taken it: if the process ends in between, a repeat with
 * the same Idempotency-Key records it, under the same event id.
 */
export async function recordSubmission(
  { caller: { orgId, userId, principal }, client }: Pick<Request<unknown, unknown, unknown>, 'caller' | 'client'>,
  { em, now, newId }: Services,
  detail: Record<string, string>,
): Promise<void> {
  const happened = { id: newId(), type: 'action_submitted', orgId, userId, principal, detail } as const
  await em.transactional((tx) => recordEvent(tx, happened, client, now()))
}
