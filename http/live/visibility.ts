/** Who hears what: an event is told to whoever could find what it speaks of by asking. */
import type { SentSignal } from '#engine/actor/turn.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { costsChanged, inventoryChanged, liveEvents } from '#streams/live/messages.ts'

const needs = new Map(liveEvents.map((event) => [event.name, event.needs]))
/** Of accounts in which a team has something, too: they are of sums, and each sees his own part of those. */
const ofSums: ReadonlySet<string> = new Set([costsChanged.name, inventoryChanged.name])

/** `teamAccounts` are those in which the caller's teams have costs. What this version does not know is told to nobody. */
export function sees(caller: Caller, { event, about }: SentSignal, teamAccounts: ReadonlySet<string>): boolean {
  const needed = needs.get(event)
  if (needed === undefined) return false
  if (needed === 'admin') return caller.isAdmin
  if (!caller.permissions.has(needed)) return false
  const { all, cloudAccountIDs, teamIDs } = caller.reportScope
  if (all || about === undefined) return true
  const { cloudAccountID: account, teamID: team } = about
  return (
    (account !== undefined && cloudAccountIDs.includes(account)) ||
    (team !== undefined && teamIDs.includes(team)) ||
    (account !== undefined && ofSums.has(event) && teamAccounts.has(account))
  )
}
