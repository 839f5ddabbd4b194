/** Creates and changes policies. */
import type { AutoscalerNeeds } from '#actors/autoscaling/needs.ts'
import { Fault } from '#engine/value/fault.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import type { autoscalerSaved, AutoscalerTerms } from '#streams/autoscaling.ts'
import { jobWanted } from '#streams/job.ts'
import type { AutoscalerPolicy } from '#actors/autoscaling/entity.ts'
import { unitUsdOf } from './price.ts'
import { effectiveModeOf, settle } from './status.ts'
import { accountOf, beginAnew } from '#actors/autoscaling/tell.ts'

/** Maximum policies in one account. */
const policiesMax = 500

type SaveRequest = Static<typeof autoscalerSaved.schema>

/** @throws Fault `missing` if the target does not have this policy */
export function checkIs(row: AutoscalerPolicy, policyId: string): void {
  if (row.policyId !== policyId) throw Fault.missing('autoscaler policy', policyId)
}

/** @throws Fault `conflict` `already_exists`; `refused` `too_many_policies`; `missing`; `invalid` `range` */
export function save(row: AutoscalerPolicy, saved: SaveRequest, turn: Turn<AutoscalerNeeds>): void {
  turn.reply({ policyId: saved.policyId })
  // A repeat of the same request: the policy exists.
  if (saved.isNew && row.policyId === saved.policyId) return
  if (saved.isNew) make(row, saved, turn)
  else edit(row, saved, turn)
  beginAnew(row, turn)
}

function make(row: AutoscalerPolicy, saved: Extract<SaveRequest, { isNew: true }>, turn: Turn<AutoscalerNeeds>): void {
  const { orgId, place, key } = turn.address
  if (row.policyId !== '')
    throw Fault.conflict('already_exists', 'The target already has an autoscaler policy.', { policyID: row.policyId })
  const needs = turn.needs
  if (needs.count(orgId, place) >= policiesMax)
    throw Fault.refused('too_many_policies', `An account can have at most ${policiesMax} autoscaler policies.`)
  const { terms, policyId, provider, targetType, needsInfrastructure, mode, userId } = saved
  const target = needs.target(orgId, place, key)
  checkTerms(terms)
  Object.assign(row, terms, {
    policyId,
    provider,
    targetType,
    needsInfrastructure,
    mode,
    effectiveMode: effectiveModeOf(mode, accountOf(turn)),
    isGone: target?.isGone ?? false,
    unitUsd: target ? unitUsdOf(target) : null,
    current: {
      min: terms.min,
      max: terms.max,
      desired: target?.unitCount ?? terms.min,
      cpuPercent: null,
      observedAt: turn.now.toISOString(),
    },
    createdBy: userId,
    createdAt: turn.now,
    updatedAt: turn.now,
  })
  settle(row, turn)
  turn.emit(jobWanted, { job: 'target-load' })
}

/**
 * A recommendation for other terms is no longer shown. The need of the last change stays: only the load or a trigger
 * removes units.
 */
function edit(row: AutoscalerPolicy, { policyId, terms }: Extract<SaveRequest, { isNew: false }>, turn: Turn): void {
  checkIs(row, policyId)
  const { min, max } = row
  checkTerms({ min, max, ...terms })
  const isReplaced = row.isReplaced && (terms.adoption === undefined || terms.adoption === row.adoption)
  const shown = Object.keys(terms).some((one) => one !== 'name') ? null : row.recommendation
  Object.assign(row, terms, { isReplaced, recommendation: shown, updatedAt: turn.now })
}

function checkTerms({ min, max }: Pick<AutoscalerTerms, 'min' | 'max'>): void {
  if (min > max) throw Fault.invalidAt({ path: '/min', code: 'range', message: `must be at most max, which is ${max}` })
}
