/** Policies of workflows that are right, and what is wrong with others. */
import { expect } from 'chai'
import { workflowErrors } from '#actors/workflow/custom/check.ts'
import { WorkflowSpec } from '#actors/workflow/custom/spec.ts'
import { Fault } from '#engine/value/fault.ts'
import { decoder } from '#engine/value/schema.ts'

const decode = decoder(WorkflowSpec)
/** What its shape refuses, by place. */
export function misshapen(spec: unknown): string[] {
  try {
    decode(spec)
    return []
  } catch (error) {
    return (Fault.from(error).detail.problems ?? []).map(({ path, code }) => `${path} ${code}`)
  }
}
/** What is wrong with a spec that is of its shape. */
export function told(spec: unknown): string[] {
  expect(misshapen(spec), JSON.stringify(spec)).to.deep.equal([])
  return workflowErrors(spec as WorkflowSpec).map(({ path, code }) => `${path} ${code}`)
}

/** Those of template stop. */
export const [precondition, approval, execute, validate] = [
  { id: 'stop/precondition/1', name: 'precondition', kind: 'precondition' },
  { id: 'stop/approve/1', name: 'approval', kind: 'approval' },
  { id: 'stop/execute/1', name: 'execute', kind: 'execute' },
  { id: 'stop/validate/1', name: 'validate', kind: 'validate' },
] as const
export const owner = { id: 'owner', name: 'owner', kind: 'approval' } as const
export const stop = (...steps: object[]) => ({ template: 'stop', steps })
export const whole = [precondition, approval, execute, validate]
