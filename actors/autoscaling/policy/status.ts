/** Effective mode and status of a policy, by what its account allows. */
import type { AutoscalerNeeds } from '#actors/autoscaling/needs.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { autoscalerModes, type AutoscalerMode, type AutoscalerStatus } from '#streams/autoscaling.ts'
import type { AutoscalerPolicy, ErrorCause } from '#actors/autoscaling/entity.ts'
import type { AccountStanding } from '#actors/autoscaling/needs.ts'
import { accountOf, note } from '#actors/autoscaling/tell.ts'

/** Failed changes in a row after which a policy is in error. */
export const failuresMax = 3

const isOff = ({ status }: AccountStanding): boolean => status === 'disabled' || status === 'deleted'

/** The lower of the requested mode and what the credentials allow. */
export function effectiveModeOf(mode: AutoscalerMode, account: AccountStanding): AutoscalerMode {
  const allowed: AutoscalerMode = account.verdict === 'read_write' && !isOff(account) ? 'autopilot' : 'monitor'
  return autoscalerModes[Math.min(autoscalerModes.indexOf(mode), autoscalerModes.indexOf(allowed))]!
}

const texts: Readonly<Record<Exclude<ErrorCause, '' | 'failures'> | 'disabled', string>> = {
  gone: 'The target no longer exists.',
  credentials: 'The cloud rejects the credentials of the account of the target. Renew them.',
  disabled: 'The account of the target is disabled.',
  infrastructure: 'The infrastructure in the account could not be created.',
}

function causeOf(row: AutoscalerPolicy, account: AccountStanding): ErrorCause {
  if (row.isGone) return 'gone'
  if (account.verdict === 'none' || isOff(account)) return 'credentials'
  if (row.failure !== '') return 'failures'
  return row.needsInfrastructure && account.infrastructure === 'failed' ? 'infrastructure' : ''
}

function statusOf(row: AutoscalerPolicy, cause: ErrorCause, account: AccountStanding): AutoscalerStatus {
  if (row.isPaused) return 'paused'
  if (row.hold) return 'event_hold'
  if (cause !== '') return 'error'
  return row.needsInfrastructure && account.infrastructure !== 'ready' ? 'pending_infrastructure' : 'active'
}

function reasonOf(row: AutoscalerPolicy, cause: ErrorCause, account: AccountStanding): string {
  const { infrastructureMessage } = account
  if (cause === '') return ''
  if (cause === 'failures') return row.failure
  if (cause === 'credentials' && isOff(account)) return texts.disabled
  return cause === 'infrastructure' && infrastructureMessage !== '' ? infrastructureMessage : texts[cause]
}

/** Sets the effective mode and the status. The reason is the policy's own only while nothing is wrong. */
export function settle(row: AutoscalerPolicy, turn: Turn<AutoscalerNeeds>): void {
  const account = accountOf(turn)
  const mode = effectiveModeOf(row.mode, account)
  if (mode !== row.effectiveMode) {
    const was = row.effectiveMode
    row.effectiveMode = mode
    note(row, 'mode_change', turn, { reason: modeReason(row.mode, was, mode) })
    row.recommendation = null
  }
  const cause = causeOf(row, account)
  row.status = statusOf(row, cause, account)
  if (row.status === 'error' || cause !== '') row.statusReason = reasonOf(row, cause, account)
}

const modeReason = (asked: AutoscalerMode, was: AutoscalerMode, is: AutoscalerMode): string =>
  is === asked
    ? `The credentials of the account allow mode ${is} again.`
    : `The credentials of the account only allow mode ${is}; it was ${was}.`
