/** Audit records of provisioning requests. */
import { t } from '#engine/value/schema.ts'
import { actorReply } from '#http/edge/request/decode.ts'
import type { Request } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { recordEvent } from '#http/identity/organization/audit.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import type { SecurityEventType } from '#streams/security.ts'

export type ProvisioningRequester = Pick<Request<unknown, unknown, unknown>, 'caller' | 'client'>

/** A person's id; for a machine token a unique id of its own. */
export const askerOf = ({ userId, principal }: Caller): string => userId || principal

/** Decodes the replies of the actors. */
export const readSpaceReply = actorReply(t.Object({ spaceId: t.String() }))
export const readJobReply = actorReply(t.Object({ jobId: t.String() }))
export const readDatabaseReply = actorReply(t.Object({ databaseId: t.String() }))
export const readConnectionReply = actorReply(t.Object({ connectionId: t.String() }))

type ProvisioningEventType = SecurityEventType & (`space_${string}` | `provisioning_${string}`)

/** Call after the actor has made the change. A repeat with the same Idempotency-Key records it once. */
export async function record(
  { caller: { orgId, userId, principal }, client }: ProvisioningRequester,
  { em, now, newId }: Services,
  type: ProvisioningEventType,
  detail: Record<string, string>,
): Promise<void> {
  const happened = { id: newId(), type, orgId, userId, principal, detail } as const
  await em.transactional((tx) => recordEvent(tx, happened, client, now()))
}
