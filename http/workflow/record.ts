/** The requester of changes to a workflow, and their audit records. */
import type { Request } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { recordEvent } from '#http/identity/organization/audit.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import type { SecurityEventType } from '#streams/security.ts'

export type WorkflowRequester = Pick<Request<unknown, unknown, unknown>, 'caller' | 'client'>

/** A person's id; for a machine token a unique id of its own. */
export const askerOf = ({ userId, principal }: Caller): string => userId || principal

/** Call after the actor has made the change. A repeat with the same Idempotency-Key records it once. */
export async function recordWorkflow(
  { caller: { orgId, userId, principal }, client }: WorkflowRequester,
  { em, now, newId }: Services,
  type: SecurityEventType & `workflow_${string}`,
  detail: Record<string, string>,
): Promise<void> {
  const happened = { id: newId(), type, orgId, userId, principal, detail } as const
  await em.transactional((tx) => recordEvent(tx, happened, client, now()))
}
