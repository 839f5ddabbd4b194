/**
 * Policies of domain `workflow`: more approvers, steps and change windows, and shorter deadlines for some workflows;
 * never less than their templates require.
 */
import type { PolicyDomain } from '#actors/capability.ts'
import type { PolicyRow } from '#actors/policy/queries.ts'
import { compileSelector, resourceAttrs, type Facts } from '#actors/policy/selector.ts'
import { decoder } from '#engine/value/schema.ts'
import type { Category } from '#streams/recommendation.ts'
import type { TemplateName } from '#streams/workflow.ts'
import { lastingErrors, workflowErrors } from './check.ts'
import { quorumMax, WorkflowSpec, type CustomStep } from './spec.ts'
import { expiresHoursDefault, type Template, type TemplateStep } from '#actors/workflow/plan/template.ts'

/** As many as the windows that one question to the guard can contain, if each policy has one. */
const policiesMax = 20

export const workflowDomain: PolicyDomain = {
  name: 'workflow',
  summary:
    'Requires more approvals, shorter approval times, change windows or additional steps for some workflows. Only for owners and admins.',
  schema: WorkflowSpec,
  examples: [
    {
      match: {
        templates: ['delete'],
        selector: { all: [{ attr: 'res.tags.env', op: 'in', values: ['prod'] }] },
      },
      extraApprovals: 1,
      expiresHours: 24,
      fourEyes: true,
      window: { days: [2, 4], from: '22:00', to: '04:00', timezone: 'Europe/Berlin' },
    },
    {
      template: 'stop',
      steps: [
        { id: 'stop/precondition/1', name: 'precondition', kind: 'precondition' },
        { id: 'owner/approve', name: 'owner', kind: 'approval', expiresHours: 48 },
        { id: 'stop/approve/1', name: 'approval', kind: 'approval', approvals: 2 },
        { id: 'stop/execute/1', name: 'execute', kind: 'execute', op: 'stop' },
        { id: 'stop/validate/1', name: 'validate', kind: 'validate', timeoutMinutes: 30 },
      ],
    },
  ],
  max: policiesMax,
  adminOnly: true,
  attrs: resourceAttrs,
  check: (spec: WorkflowSpec) => workflowErrors(spec),
}

/** What policies select workflows by. */
export interface WorkflowSubject {
  ruleId: string
  category: Category
  template: TemplateName
  facts: Facts
}

export interface CompiledWorkflow {
  /** Id of the policy. */
  id: string
  spec: WorkflowSpec
  fits: (about: WorkflowSubject) => boolean
}

const decode = decoder(WorkflowSpec)

/** The policies that can be applied, in their order. */
export const compileWorkflows = (policies: readonly PolicyRow[]): readonly CompiledWorkflow[] =>
  policies.flatMap(({ id, spec: stored }) => {
    const spec = readSpec(stored)
    return spec ? [{ id, spec, fits: fitting(spec) }] : []
  })

/** Undefined if this version cannot apply it. */
function readSpec(stored: unknown): WorkflowSpec | undefined {
  try {
    const spec = decode(stored)
    return lastingErrors(spec).length === 0 ? spec : undefined
  } catch {
    return undefined
  }
}

function fitting({ match = {} }: WorkflowSpec): CompiledWorkflow['fits'] {
  const { categories, ruleIds, templates, selector } = match
  const selects = compileSelector(selector, resourceAttrs)
  return ({ ruleId, category, template, facts }) =>
    isAmong(categories, category) && isAmong(ruleIds, ruleId) && isAmong(templates, template) && selects(facts)
}

const isAmong = (list: readonly string[] | undefined, one: string): boolean => list?.includes(one) ?? true

/**
 * The steps of a workflow: those of its template, plus the steps that matching policies add, at their positions, those
 * of the oldest policy first. `found`: the matching policies, oldest first. The last approval before the change needs
 * at least `approvalsMin` people.
 */
export function stepsFor(template: Template, found: readonly CompiledWorkflow[], approvalsMin: number): TemplateStep[] {
  const lists = found.flatMap(({ spec }) => (spec.template === template.id && spec.steps ? [spec.steps] : []))
  const steps = template.steps.flatMap((own) => [...addedBefore(template, lists, own), strictest(lists, own)])
  const extra = Math.max(0, ...found.map(({ spec }) => spec.extraApprovals ?? 0))
  const hoursMax = Math.min(...found.map(({ spec }) => spec.expiresHours ?? expiresHoursDefault), expiresHoursDefault)
  const last = lastApproval(steps)
  return steps.map((step, i) => {
    if (step.kind !== 'approval') return step
    const { approvals = 1, expiresHours = expiresHoursDefault } = step
    const quorum = i === last ? Math.min(quorumMax, Math.max(approvals + extra, approvalsMin)) : approvals
    return { ...step, approvals: quorum, expiresHours: Math.min(expiresHours, hoursMax) }
  })
}

/** Added steps between a step of the template and the one before it; of several with one id or name, the first. */
function addedBefore(
  { steps }: Template,
  lists: readonly (readonly CustomStep[])[],
  own: TemplateStep,
): TemplateStep[] {
  const ids = new Set(steps.map(({ id }) => id))
  const added = lists.flatMap((list) => {
    const end = list.findIndex(({ id }) => id === own.id)
    const begin = list.slice(0, end).findLastIndex(({ id }) => ids.has(id)) + 1
    return list.slice(begin, end)
  })
  const names = new Set<string>()
  const isFirst = ({ id, name }: CustomStep): boolean => {
    const isNew = !names.has(id) && !names.has(`name ${name}`)
    names.add(id).add(`name ${name}`)
    return isNew
  }
  return added.filter(isFirst).map((step) => {
    const { op: _, ...given } = step
    return { ...given, reversible: true }
  })
}

/**
 * A step of the template with the strictest values of all lists: most people, fewest hours, shortest time to be
 * observed.
 */
function strictest(lists: readonly (readonly CustomStep[])[], own: TemplateStep): TemplateStep {
  const said = lists.flatMap((list) => list.filter(({ id }) => id === own.id))
  const all = <K extends 'approvals' | 'expiresHours' | 'timeoutMinutes'>(key: K): number[] =>
    said.flatMap((step) => step[key] ?? [])
  const [approvals, hours, minutes] = [all('approvals'), all('expiresHours'), all('timeoutMinutes')]
  return {
    ...own,
    ...(approvals.length > 0 && { approvals: Math.max(own.approvals ?? 1, ...approvals) }),
    ...(hours.length > 0 && { expiresHours: Math.min(...hours) }),
    ...(minutes.length > 0 && { timeoutMinutes: Math.min(...minutes) }),
  }
}

/** The last approval before the change, or, for manual work, before the validation. */
function lastApproval(steps: readonly TemplateStep[]): number {
  const change = steps.findIndex(({ kind }) => kind === 'execute' || kind === 'pause_service' || kind === 'validate')
  return steps.slice(0, change).findLastIndex(({ kind }) => kind === 'approval')
}
