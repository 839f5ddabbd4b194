/** The gates that policies ask for, worked out by themselves: the least that people may be asked. */
import type { WorkflowSpec } from '#actors/workflow/custom/spec.ts'
import type { Plain } from '#test/sim/workflow/plain.ts'
import type { Policy, Resource } from '#test/sim/workflow/plan.ts'
import type { Gate } from '#test/sim/workflow/record.ts'

export interface Demanded {
  gates: Gate[]
  fourEyes: boolean
}

/** By the policies as they were at one moment. */
export function demanded(plain: Plain, policies: readonly Policy[], { draft, tags }: Resource): Demanded {
  const { template } = draft
  const isProd = tags['env'] === 'prod'
  const specs = plain
    .enabled('workflow', policies)
    .map(({ spec }) => spec as WorkflowSpec)
    .filter(({ match }) => !match?.selector || isProd)
  const own = `${template}/approve/1`
  const lists = specs.flatMap((spec) => (spec.template === template && spec.steps ? [spec.steps] : []))
  const gates = [...around(lists, own, true), strictest(lists, own), ...around(lists, own, false)]
  const last = gates.at(-1)!
  const isProtected = isProd && plain.guardrail(policies).protectedEnvs.includes('prod')
  const extra = Math.max(0, ...specs.map(({ extraApprovals = 0 }) => extraApprovals))
  last.people = Math.min(3, Math.max(last.people + extra, isProtected ? 2 : 1))
  const shortest = Math.min(168, ...specs.map(({ expiresHours = 168 }) => expiresHours))
  for (const gate of gates) gate.hours = Math.min(gate.hours, shortest)
  return { gates, fourEyes: specs.some(({ fourEyes }) => fourEyes === true) }
}

type Steps = NonNullable<WorkflowSpec['steps']>

/** The gates that lists have before or behind that of the template, each once. */
function around(lists: readonly Steps[], own: string, isBefore: boolean): Gate[] {
  const found = lists.flatMap((list) => {
    const at = list.findIndex(({ id }) => id === own)
    return (isBefore ? list.slice(0, at) : list.slice(at + 1)).filter(({ kind }) => kind === 'approval')
  })
  return [...new Map(found.toReversed().map((step) => [step.id, step])).values()]
    .toReversed()
    .map(({ id, approvals = 1, expiresHours = 168 }) => ({ stepId: id, people: approvals, hours: expiresHours }))
}

function strictest(lists: readonly Steps[], own: string): Gate {
  const said = lists.flatMap((list) => list.filter(({ id }) => id === own))
  return {
    stepId: own,
    people: Math.max(1, ...said.map(({ approvals = 1 }) => approvals)),
    hours: Math.min(168, ...said.map(({ expiresHours = 168 }) => expiresHours)),
  }
}
