import { Override } from '#actors/schedule/override-entity.ts'
import { overrideNeeds, scopeKey, type OverrideScope, type Scopes } from '#actors/schedule/override-needs.ts'
import { defineActor } from '#engine/actor/actor.ts'
import { dayMs } from '#engine/value/day.ts'
import { Fault } from '#engine/value/fault.ts'
import { uuidOf } from '#engine/value/id.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { actionWanted, demandAsked } from '#streams/action/messages.ts'
import { notification, raise, type NotificationEvent } from '#streams/notification/messages.ts'
import { overrideCancelled, overrideDaysMax, overrideDue, overrideRequested } from '#streams/schedule.ts'

const overrideKey = ({ overrideId }: { overrideId: string }) => overrideId

/** Brings resources into a state, keeps schedules from changing it, and returns them to their schedules at its end. */
export const overrideActor = defineActor({
  kind: 'override',
  entity: Override,
  address: { orgId: 'orgId', key: 'id' },
  initial: () => ({
    scopeType: 'resource' as const,
    scopeId: '',
    desiredState: 'running' as const,
    status: 'cancelled' as const,
    reason: null,
    userId: '',
    members: [],
    endedAt: null,
  }),
  needs: overrideNeeds,
  reactions: (on) => [
    on(overrideRequested, overrideKey, (override, asked, turn) => {
      const { overrideId, expiresAt, ...terms } = asked
      checkEnd(expiresAt, turn.now)
      const scope = scopeOf(terms, turn)
      if (!scope) throw Fault.missing(terms.scopeType === 'resource' ? 'resource' : 'resource group', terms.scopeId)
      Object.assign(override, terms, { status: 'active' })
      override.expiresAt = new Date(expiresAt)
      override.members = scope.members.map(({ uid, account }) => ({ uid, account }))
      override.createdAt = override.updatedAt = turn.now
      turn.remind('due', override.expiresAt, overrideDue, { overrideId })
      raise(turn, toNotification(override, scope, turn))
      apply(override, scope, turn)
      turn.reply({ id: overrideId })
    }),

    on(overrideCancelled, overrideKey, (override, { overrideId }, turn) => {
      if (override.scopeId === '') throw Fault.missing('override', overrideId)
      if (override.status !== 'active')
        throw Fault.conflict('invalid_transition', `The override is already ${override.status}.`)
      turn.forget('due')
      end(override, 'cancelled', turn)
      turn.reply({ id: overrideId })
    }),

    on(
      overrideDue,
      overrideKey,
      (override, _, turn) => {
        if (override.status === 'active') end(override, 'expired', turn)
      },
      { existing: true },
    ),
  ],
})

const scopeOf = (of: { scopeType: string; scopeId: string }, turn: Turn<Scopes>): OverrideScope | undefined =>
  turn.needs.get(scopeKey(turn.address.orgId, of))

function checkEnd(expiresAt: string, now: Date): void {
  const ms = Date.parse(expiresAt) - now.getTime()
  if (ms > 0 && ms <= overrideDaysMax * dayMs) return
  const message = `must be in the future, at most ${overrideDaysMax} days from now`
  throw Fault.invalidAt({ path: '/expiresAt', code: 'range', message })
}

/** Starts or stops members that are not in the desired state, or may leave it. */
function apply({ id, desiredState, reason }: Override, { members }: OverrideScope, turn: Turn<Scopes>): void {
  const action = desiredState === 'running' ? 'start' : 'stop'
  for (const { uid, account, status, schedulable, acting } of members) {
    if (!schedulable || (status === desiredState && !acting)) continue
    turn.emit(actionWanted, {
      actionId: uuidOf('override', id, account, uid),
      cloudAccountId: account,
      resourceUid: uid,
      action,
      reason: reason ?? null,
      source: { type: 'override', id },
    })
  }
}

/** Its members now do what schedules, or another override that holds them, demand. */
function end(override: Override, status: 'expired' | 'cancelled', turn: Turn<Scopes>): void {
  override.status = status
  override.updatedAt = override.endedAt = turn.now
  // If the group has been deleted: the members it had at the start.
  for (const { uid, account } of scopeOf(override, turn)?.members ?? override.members)
    turn.emit(demandAsked, { cloudAccountId: account, resourceUid: uid, overrideId: override.id })
}

function toNotification(override: Override, scope: OverrideScope, turn: Turn<Scopes>): NotificationEvent {
  const { id, scopeType, scopeId, desiredState, reason, expiresAt, members, userId } = override
  const name = scopeType === 'resource' ? scope.members[0]!.name || scopeId : scope.name
  const whose = scopeType === 'resource' ? name : `resource group ${name}`
  const until = expiresAt.toISOString()
  return notification('resource.override', {
    id: turn.id(),
    orgID: turn.address.orgId,
    occurredAt: turn.now,
    title: `An override keeps ${whose} ${desiredState}`,
    summary: `Until ${until.slice(0, 16).replace('T', ' ')} UTC, schedules do not change it${reason ? `: ${reason}` : ''}.`,
    scope: { type: scopeType, id: scopeId },
    data: {
      overrideID: id,
      userID: userId,
      desiredState,
      expiresAt: until,
      ...(reason && { reason }),
      members: members.map(({ uid, account }) => ({ resourceUid: uid, cloudAccountID: account })),
    },
  })
}
