/** Who asked for an action, and what is written down of it. */
import { recordEvent } from '#http/identity/organization/audit.ts'
import type { Request } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'

/**
 * Writes down that an action was asked for. Its actor has taken it by then: a process that ends between the two leaves it to
 * a repeat under the same Idempotency-Key, whose event has the same id.
 */
export async function recordSubmission(
  { caller: { orgId, userId, principal }, client }: Pick<Request<unknown, unknown, unknown>, 'caller' | 'client'>,
  { em, now, newId }: Services,
  detail: Record<string, string>,
): Promise<void> {
  const happened = { id: newId(), type: 'action_submitted', orgId, userId, principal, detail } as const
  await em.transactional((tx) => recordEvent(tx, happened, client, now()))
}
