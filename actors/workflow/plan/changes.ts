/** Which parts of an approved plan, or of one that waits for approval, would differ if it were planned now. */
import { sameData } from '#engine/actor/row.ts'
import type { WorkflowPlan } from '#actors/workflow/entity.ts'
import { hashOf } from './plan.ts'

/** Parts of a plan, by their name for people: the members of each. */
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

/** The parts that differ. A plan without the former state of the resource is not compared by it. */
export function changesOf(plan: WorkflowPlan, now: WorkflowPlan): PlanPart[] {
  const { was, ...rest } = now
  const held: WorkflowPlan = plan.was === undefined || was === undefined ? rest : now
  if (hashOf(plan) === hashOf(held)) return []
  return planParts.filter((part) => parts[part].some((name) => !sameData(plan[name], held[name])))
}

/** Amounts change with every bill; if all else is the same, the approved change is what would be done. */
export const isDecisive = (part: PlanPart): boolean => part !== 'figures'
