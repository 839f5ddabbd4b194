/** Who receives which event: everyone who could find what it is about with a query. */
import type { SentSignal } from '#engine/actor/turn.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { costsChanged, inventoryChanged, liveEvents } from '#streams/live/messages.ts'

const needs = new Map(liveEvents.map((event) => [event.name, event.needs]))
/**
 * Events that are also sent for accounts in which a team has something: they are about sums, of which each reader sees
 * a part.
 */
const ofSums: ReadonlySet<string> = new Set([costsChanged.name, inventoryChanged.name])

/**
 * `teamAccounts`: accounts in which the caller's teams have costs. Events that this version does not know are sent to
 * nobody.
 */
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
