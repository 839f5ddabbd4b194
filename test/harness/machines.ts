/** The pages of docs/ that show how a machine moves from state to state, with its diagram. */
import { deliveryMachine } from '#actors/notification/delivery/machine.ts'
import { powerMachine } from '#actors/action/power/machine.ts'
import { provisioningMachine } from '#actors/catalog/job/machine.ts'
import { refreshMachine } from '#actors/refresh/machine.ts'
import { scheduleMachine } from '#actors/schedule/machine.ts'
import { workflowMachine } from '#actors/workflow/machine.ts'
import { diagramOf } from '#engine/actor/machine.ts'

export const diagrams: ReadonlyMap<string, string> = new Map([
  ['docs/actions.md', diagramOf(powerMachine)],
  ['docs/monitor.md', diagramOf(refreshMachine)],
  ['docs/notifications.md', diagramOf(deliveryMachine)],
  ['docs/provisioning.md', diagramOf(provisioningMachine)],
  ['docs/schedules.md', diagramOf(scheduleMachine)],
  ['docs/workflows.md', diagramOf(workflowMachine)],
])
