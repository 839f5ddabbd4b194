/** A plan as text, for people who decide about it. */
import type { WorkflowPlan, PlannedOp } from '#actors/workflow/entity.ts'

const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const setText = ({ specs = {} }: PlannedOp): string =>
  Object.entries(specs)
    .map(([name, value]) => `${name} to ${text(value)}`)
    .join(', ')

function opText(op: PlannedOp): string {
  switch (op.kind) {
    case 'start':
      return 'start it'
    case 'stop':
      return 'stop it'
    case 'pause':
      return 'pause it'
    case 'resize':
      return `resize it${op.expect.instanceType === undefined ? '' : ` from ${op.expect.instanceType}`} to ${op.size}`
    case 'set':
      return `set ${setText(op)}`
    case 'snapshot':
      return 'take a snapshot of it'
    case 'delete':
      return 'delete it'
    case 'schedule':
      return 'create a schedule that stops it outside business hours'
  }
}

/** Operations and resource: `Stop it, change its size from m5.2xlarge to m5a.xlarge, start it: aws-ec2 web (i-1)`. */
export function operationText({ ops, resource: { type, name, uid }, template }: WorkflowPlan): string {
  const what = template === 'manual' ? 'manual change' : ops.map(opText).join(', then ')
  const of = name === '' || name === uid ? uid : `${name} (${uid})`
  return `${what[0]!.toUpperCase()}${what.slice(1)}: ${type} ${of}`
}

/** Only for manual work. */
export const instructionOf = ({ instruction }: WorkflowPlan): { instruction?: string } =>
  instruction === '' ? {} : { instruction }
