/** What of an approved plan, or of one that waits for it, would be another one if it were planned now. */
import { sameData } from '#engine/actor/row.ts'
import type { WorkflowPlan } from '#actors/workflow/entity.ts'
import { hashOf } from './plan.ts'

/** Of a plan, by the word for people: what names it, and what is in it. */
const parts = {
  template: ['template', 'templateRevision'],
  subject: ['ruleId', 'actionType', 'resource'],
  resource: ['was'],
  operations: ['ops', 'target', 'targetSpec', 'instruction'],
  policies: ['policies', 'windows', 'fourEyes'],
  figures: ['estimate', 'title'],
} as const satisfies Record<string, readonly (keyof WorkflowPlan)[]>

export type PlanPart = keyof typeof parts
export const planParts = Object.keys(parts) as PlanPart[]

/** What differs. A plan that does not say how the resource was is not held to it. */
export function changesOf(plan: WorkflowPlan, now: WorkflowPlan): PlanPart[] {
  const { was, ...rest } = now
  const held: WorkflowPlan = plan.was === undefined || was === undefined ? rest : now
  if (hashOf(plan) === hashOf(held)) return []
  return planParts.filter((part) => parts[part].some((name) => !sameData(plan[name], held[name])))
}

/** Figures move with every bill; with all else the same, what was asked for is what would be done. */
export const isDecisive = (part: PlanPart): boolean => part !== 'figures'
