/**
 * Restrictions of policies in domain `workflow`: a workflow must not do anything else, or have fewer gates, than its
 * template.
 */
import type { SpecError } from '#actors/capability.ts'
import { resourceAttrs, selectorErrors } from '#actors/policy/selector.ts'
import { ruleOf } from '#actors/recommendation/rule/catalogue.ts'
import { templateNames, type TemplateName } from '#streams/workflow.ts'
import type { CustomStep, WorkflowSpec } from './spec.ts'
import { expiresHoursDefault, templates, type TemplateStep } from '#actors/workflow/plan/template.ts'
import { windowErrors } from '#actors/workflow/guard/window.ts'

/** All errors, each with a JSON pointer. */
export const workflowErrors = (spec: WorkflowSpec): SpecError[] => [...ruleErrors(spec), ...lastingErrors(spec)]

/**
 * Without checks that a stored policy may no longer meet: a deleted rule matches nothing, but does not invalidate the
 * rest.
 */
export const lastingErrors = (spec: WorkflowSpec): SpecError[] => [
  ...(spec.match?.selector ? selectorErrors(spec.match.selector, resourceAttrs, '/match/selector') : []),
  ...(spec.window ? windowErrors(spec.window, '/window') : []),
  ...listErrors(spec),
]

const ruleErrors = ({ match }: WorkflowSpec): SpecError[] =>
  (match?.ruleIds ?? []).flatMap((id, i) =>
    ruleOf(id) ? [] : [{ path: `/match/ruleIds/${i}`, code: 'unknown', message: 'is not a rule in the catalogue' }],
  )

function listErrors({ match, template, steps }: WorkflowSpec): SpecError[] {
  if (template === undefined && steps === undefined) return []
  if (template === undefined)
    return [
      { path: '/template', code: 'required', message: 'is required when steps are given' },
      ...repeatErrors(steps ?? []),
    ]
  const errors: SpecError[] = []
  if (match?.templates && !(match.templates as TemplateName[]).includes(template))
    errors.push({ path: '/template', code: 'unmatched', message: 'must be one of match.templates' })
  if (steps === undefined)
    return [...errors, { path: '/steps', code: 'required', message: 'is required: the steps of the template' }]
  return [
    ...errors,
    ...repeatErrors(steps),
    ...ownErrors(template, steps),
    ...addedErrors(template, steps),
    ...steps.flatMap((step, i) => fieldErrors(template, step, `/steps/${i}`)),
    ...gateErrors(template, steps),
  ]
}

const repeatErrors = (steps: readonly CustomStep[]): SpecError[] =>
  steps.flatMap((step, i) =>
    (['id', 'name'] as const)
      .filter((field) => steps.findIndex((one) => one[field] === step[field]) < i)
      .map((field) => ({ path: `/steps/${i}/${field}`, code: 'unique', message: 'is already used by another step' })),
  )

/** Position of each step of the template; -1 if it is missing. */
const placesOf = (own: readonly TemplateStep[], steps: readonly CustomStep[]): number[] =>
  own.map(({ id }) => steps.findIndex((step) => step.id === id))

function ownErrors(template: TemplateName, steps: readonly CustomStep[]): SpecError[] {
  const own = templates[template].steps
  const places = placesOf(own, steps)
  return own.flatMap((step, k) => {
    const at = places[k]!
    if (at < 0)
      return [{ path: '/steps', code: 'missing', message: `must include the step ${step.id} of the template` }]
    const behind = own.findIndex((_, before) => before < k && places[before]! > at)
    const order = { path: `/steps/${at}/id`, code: 'order', message: `must come after ${own[behind]?.id}` }
    return [...(behind < 0 ? [] : [order]), ...changeErrors(step, steps[at]!, `/steps/${at}`)]
  })
}

/** Errors in the given version of a template's step. */
function changeErrors(own: TemplateStep, given: CustomStep, at: string): SpecError[] {
  const errors: SpecError[] = []
  for (const field of ['name', 'kind'] as const)
    if (given[field] !== own[field])
      errors.push({ path: `${at}/${field}`, code: 'fixed', message: `must be ${own[field]}` })
  const { approvals = 1, expiresHours = expiresHoursDefault } = own
  if (given.approvals !== undefined && given.approvals < approvals)
    errors.push({ path: `${at}/approvals`, code: 'minimum', message: `must be >= ${approvals}` })
  if (given.expiresHours !== undefined && given.expiresHours > expiresHours)
    errors.push({ path: `${at}/expiresHours`, code: 'maximum', message: `must be <= ${expiresHours}` })
  return errors
}

const isOperation = ({ kind }: Pick<CustomStep, 'kind'>): boolean => kind === 'execute' || kind === 'pause_service'

function addedErrors(template: TemplateName, steps: readonly CustomStep[]): SpecError[] {
  const own = templates[template].steps
  const places = placesOf(own, steps)
  const change = own.findIndex((step) => isOperation(step) || step.kind === 'validate')
  const end = places[change]!
  return steps.flatMap(({ id, kind }, i) => {
    if (own.some((step) => step.id === id)) return []
    const errors: SpecError[] = []
    const holder = templateNames.find((name) => templates[name].steps.some((step) => step.id === id))
    if (holder)
      errors.push({ path: `/steps/${i}/id`, code: 'taken', message: `is already a step of the template ${holder}` })
    if (kind !== 'approval' && kind !== 'precondition')
      errors.push({
        path: `/steps/${i}/kind`,
        code: 'added',
        message: 'added steps must be an approval or a precondition',
      })
    else if (end >= 0 && i > end)
      errors.push({ path: `/steps/${i}/id`, code: 'order', message: `must come before ${own[change]!.id}` })
    return errors
  })
}

function fieldErrors(template: TemplateName, step: CustomStep, at: string): SpecError[] {
  const isApproval = step.kind === 'approval'
  const fits = {
    op: isOperation(step),
    approvals: isApproval,
    expiresHours: isApproval,
    timeoutMinutes: step.kind === 'validate',
  }
  const errors = (Object.keys(fits) as (keyof typeof fits)[])
    .filter((field) => step[field] !== undefined && !fits[field])
    .map((field) => ({
      path: `${at}/${field}`,
      code: 'needless',
      message: `is not allowed for a step of kind ${step.kind}`,
    }))
  if (fits.op && step.op !== undefined && step.op !== template)
    errors.push({ path: `${at}/op`, code: 'template', message: `does not match the template ${template}` })
  return errors
}

function gateErrors(template: TemplateName, steps: readonly CustomStep[]): SpecError[] {
  const errors: SpecError[] = []
  const last = steps.length - 1
  if (steps[0]?.kind !== 'precondition')
    errors.push({ path: '/steps/0/kind', code: 'first', message: 'the first step must be a precondition' })
  if (steps[last]?.kind !== 'validate')
    errors.push({ path: `/steps/${last}/kind`, code: 'last', message: 'the last step must be validate' })
  if (template === 'start') return errors
  for (const [i, step] of steps.entries())
    if (isOperation(step) && !steps.slice(0, i).some(({ kind }) => kind === 'approval'))
      errors.push({ path: `/steps/${i}/kind`, code: 'ungated', message: 'must come after an approval' })
  return errors
}
