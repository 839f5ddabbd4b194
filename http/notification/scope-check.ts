/** Callers with a role that sees only some costs may only have those sent by channels. */
import { Fault } from '#engine/value/fault.ts'
import { personOf, type Caller } from '#http/identity/organization/caller.ts'
import { eventTypeOf } from '#streams/notification/event-type.ts'

interface Reaching {
  eventType: string
  scopeType: string
  scopeId: string
  enabled: boolean
}

/** @throws Fault `forbidden` `report_scope` for an enabled subscription with costs outside of the caller's scope */
export function checkReach({ reportScope }: Pick<Caller, 'reportScope'>, subscriptions: readonly Reaching[]): void {
  const { all, cloudAccountIDs, teamIDs } = reportScope
  if (all) return
  const own = { cloud_account: cloudAccountIDs, team: teamIDs } as Record<string, readonly string[] | undefined>
  const isOwn = ({ scopeType, scopeId }: Reaching) => own[scopeType]?.includes(scopeId) === true
  const tellsCosts = ({ eventType }: Reaching) => eventTypeOf(eventType)?.category !== 'resource'
  if (subscriptions.every((one) => !one.enabled || !tellsCosts(one) || isOwn(one))) return
  const message = 'Your role sees only part of the costs. Subscribe to your cloud accounts and teams instead.'
  throw Fault.forbidden('report_scope', message)
}

/**
 * Guards the address, the secret and the deletion of a channel: anyone in the organization can subscribe it to more
 * costs at any time.
 * @throws Fault `forbidden` `report_scope` as `checkReach`, and for a channel that someone else created
 */
export function checkChannel(
  caller: Pick<Caller, 'kind' | 'userId' | 'reportScope'>,
  { createdBy }: { createdBy: string },
  subscriptions: readonly Reaching[],
): void {
  if (caller.reportScope.all) return
  if (createdBy === '' || createdBy !== personOf(caller))
    throw Fault.forbidden(
      'report_scope',
      'Your role is limited to some accounts or teams: you can change only channels you created.',
    )
  checkReach(caller, subscriptions)
}
