import { defineActor } from '#engine/actor/actor.ts'
import { uuidOf } from '#engine/value/id.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import {
  actionWanted,
  bulkExpired,
  bulkMemberEnded,
  bulkRequested,
  schedulerMemberEnded,
  type ActionSource,
  type PowerAction,
} from '#streams/action/messages.ts'
import { resourcesMax } from '#streams/attribution.ts'
import { schedulerEventSized } from '#streams/schedule.ts'
import { bulkKey, bulkNeeds, type BulkNeeds, type Membership } from './bulk-needs.ts'
import { BulkAction, type BulkMember } from './entity.ts'

/** Maximum members of one step that are started or stopped at once. */
const atOnce = 10

const ofBulk = ({ bulkId }: { bulkId: string }): string => bulkId
const actionIdOf = (bulkId: string, account: string, uid: string): string => uuidOf('bulk', bulkId, account, uid)

/**
 * Starts or stops the members of groups: in tier order, within a tier by their order, those of the same order together
 * (decision G-23).
 */
export const bulkActor = defineActor({
  kind: 'bulk',
  entity: BulkAction,
  address: { orgId: 'orgId', key: 'id' },
  initial: () => ({
    groupId: '',
    type: 'start' as const,
    status: 'queued' as const,
    reason: null,
    source: { type: 'bulk' as const, id: '' },
    shown: true,
    total: 0,
    completed: 0,
    failed: 0,
    members: [],
    createdAt: new Date(0),
    updatedAt: new Date(0),
    endedAt: null,
  }),
  needs: bulkNeeds,
  reactions: (on) => [
    on(bulkRequested, ofBulk, request),
    on(bulkMemberEnded, ofBulk, take, { existing: true }),
    on(bulkExpired, ofBulk, (_bulk, _expired, turn) => turn.remove(), { existing: true }),
  ],
})

function request(bulk: BulkAction, asked: Static<typeof bulkRequested.schema>, turn: Turn<BulkNeeds>): void {
  const { bulkId, groupIds, except, action, reason, source } = asked
  const found = turn.needs.get(bulkKey(turn.address.orgId, bulkId)) ?? []
  const members = orderMembers(membersOf(found, new Set(except)), action)
  Object.assign(bulk, {
    groupId: groupIds[0],
    type: action,
    reason,
    source: { ...source, bulkId },
    shown: source.type !== 'schedule',
    total: members.length,
    members,
    createdAt: turn.now,
  })
  tellSized(bulk, turn)
  turn.reply({ bulkActionId: bulkId, total: members.length })
  // No row: the groups were deleted meanwhile, so the action fails. An empty group has a row, and its action completes.
  if (found.length === 0) finish(bulk, 'failed', turn)
  else advance(bulk, turn)
}

/** Each resource once, as its first group lists it. */
function membersOf(found: readonly Membership[], except: ReadonlySet<string>): BulkMember[] {
  const members = new Map<string, { groupId: string; member: BulkMember }>()
  for (const { group_id: groupId, resource_uid: uid, tier, place: order, cloud_account_id: account } of found) {
    if (uid === null || except.has(uid)) continue
    const known = members.get(uid)
    const parts = account === null ? [] : [{ account }]
    if (!known) members.set(uid, { groupId, member: { uid, tier, order, status: 'waiting', parts } })
    else if (known.groupId === groupId) known.member.parts.push(...parts)
  }
  return [...members.values()].map(({ member }) => member)
}

/** In start order; for a stop reversed. */
function orderMembers(members: readonly BulkMember[], action: PowerAction): BulkMember[] {
  const starting = members.toSorted(
    (a, b) => a.tier - b.tier || a.order - b.order || (a.uid < b.uid ? -1 : Number(a.uid > b.uid)),
  )
  return action === 'start' ? starting : starting.toReversed()
}

function take(bulk: BulkAction, ended: Static<typeof bulkMemberEnded.schema>, turn: Turn<BulkNeeds>): void {
  const member = bulk.members.find(({ uid }) => uid === ended.resourceUid)
  const part = member?.parts.find(({ account }) => account === ended.cloudAccountId)
  if (!member || !part || part.outcome !== undefined) return
  if (ended.actionId !== actionIdOf(bulk.id, part.account, member.uid)) return
  part.outcome = ended.outcome
  if (ended.message !== undefined) member.message ??= ended.message
  const outcomes = member.parts.map(({ outcome }) => outcome)
  if (outcomes.includes(undefined)) return
  end(
    bulk,
    member,
    outcomes.includes('failed') ? 'failed' : outcomes.includes('blocked') ? 'blocked' : 'succeeded',
    turn,
  )
  advance(bulk, turn)
}

/**
 * Starts as many members of the first unfinished step as are allowed at once. Finishes the action after the last step.
 */
function advance(bulk: BulkAction, turn: Turn<BulkNeeds>): void {
  bulk.updatedAt = turn.now
  for (let step = stepOf(bulk); step.length > 0; step = stepOf(bulk)) {
    let room = atOnce - step.filter(({ status }) => status === 'running').length
    for (const member of step) if (member.status === 'waiting' && room > 0) room -= begin(bulk, member, turn)
    if (step.some(({ status }) => status === 'running')) return
  }
  finish(bulk, bulk.total > 0 && bulk.failed === bulk.total ? 'failed' : 'completed', turn)
}

/** The members of the first tier and order in which not all have ended. */
function stepOf({ members }: BulkAction): BulkMember[] {
  const next = members.find(({ status }) => status === 'waiting' || status === 'running')
  return next ? members.filter(({ tier, order }) => tier === next.tier && order === next.order) : []
}

/** Returns how many were started: 0 for a resource that no account has, which fails. */
function begin(bulk: BulkAction, member: BulkMember, turn: Turn<BulkNeeds>): number {
  if (member.parts.length === 0) {
    member.message = 'The resource is not in any cloud account.'
    end(bulk, member, 'failed', turn)
    return 0
  }
  bulk.status = 'running'
  member.status = 'running'
  const { type: action, reason, source } = bulk
  for (const { account: cloudAccountId } of member.parts) {
    const actionId = actionIdOf(bulk.id, cloudAccountId, member.uid)
    const asked = { actionId, cloudAccountId, resourceUid: member.uid, action, reason: reason ?? null, source }
    turn.emit(actionWanted, asked)
  }
  return 1
}

function end(
  bulk: BulkAction,
  member: BulkMember,
  outcome: 'succeeded' | 'failed' | 'blocked',
  turn: Turn<BulkNeeds>,
): void {
  member.status = outcome
  if (outcome === 'succeeded') delete member.message
  bulk.completed += Number(outcome === 'succeeded')
  bulk.failed += Number(outcome === 'failed')
  tellSchedule(bulk, member, outcome, turn)
}

function finish(bulk: BulkAction, status: 'completed' | 'failed', turn: Turn<BulkNeeds>): void {
  Object.assign(bulk, { status, updatedAt: turn.now, endedAt: turn.now })
}

/** The schedule event that requested the action, if a schedule did. */
const eventOf = ({ type, id, eventId }: ActionSource) =>
  type === 'schedule' && eventId !== undefined ? { scheduleId: id, eventId } : undefined

/** Reports to the schedule event which resources it covers, before it reports how they ended. */
function tellSized({ source, members }: BulkAction, turn: Turn<BulkNeeds>): void {
  const event = eventOf(source)
  if (!event) return
  const uids = members.map(({ uid }) => uid)
  const of = Math.max(1, Math.ceil(uids.length / resourcesMax))
  for (let n = 0; n < of; n++) {
    const portion = uids.slice(n * resourcesMax, (n + 1) * resourcesMax)
    turn.emit(schedulerEventSized, { ...event, uids: portion, members: portion.length, of })
  }
}

/** Reports to the schedule event how a member ended, once for each member. */
function tellSchedule(
  { id, source }: BulkAction,
  { uid: resourceUid, message, parts }: BulkMember,
  outcome: 'succeeded' | 'failed' | 'blocked',
  turn: Turn<BulkNeeds>,
): void {
  const event = eventOf(source)
  if (!event) return
  const cloudAccountId = parts[0]?.account ?? ''
  const actionId = actionIdOf(id, cloudAccountId, resourceUid)
  const ended = { actionId, cloudAccountId, resourceUid, outcome, ...(message !== undefined && { message }) }
  turn.emit(schedulerMemberEnded, { ...event, ...ended })
}
