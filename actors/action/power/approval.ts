/** Whether the workflow that requests an action has a valid approval right now, and if not, what is missing. */
import { findWarrantRefusal } from '#actors/workflow/plan/warrant.ts'
import type { Turn } from '#engine/actor/turn.ts'
import type { ActionSource, PowerAction } from '#streams/action/messages.ts'
import type { Facts } from './needs.ts'

export const lacking = {
  unapproved: 'The current plan has not been approved by anyone who may approve it.',
  halted: 'The kill switch of the organization is on.',
} as const

export function lackOf(
  { source: { workflow } }: { source: ActionSource; action: PowerAction },
  { warrantOf }: Pick<Facts, 'warrantOf'>,
  { now }: Pick<Turn, 'now'>,
): 'unapproved' | 'halted' | undefined {
  if (!workflow) return undefined
  const lack = findWarrantRefusal(warrantOf(workflow.jobId), workflow.call, now)
  return lack === 'stale' ? 'unapproved' : lack
}
