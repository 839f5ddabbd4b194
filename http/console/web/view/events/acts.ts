/** What may be decided about a plan as it stands. */
import { html } from '../../html.ts'
import type { Reply } from '../../api.ts'
import { counted, usd } from '../../figure.ts'
import { go } from '../../place.ts'
import { zonedText } from '../../zone.ts'
import { Act } from '../../part/act.ts'
import { Sure } from '../../part/sure.ts'
import { windowOf, type Plan } from './words.ts'

interface Props {
  plan: Plan
  cost: Reply<'GET /event-readiness/:eventID/cost-estimate'> | undefined
  onEdit: () => void
  onDone: () => void
}

const isRaised = ({ status }: Plan): boolean => ['scaling_up', 'active', 'scaling_down'].includes(status)

export function Acts({ plan, cost, onEdit, onDone }: Props) {
  const { status } = plan
  const isEditable = ['draft', 'scheduling', 'scheduled'].includes(status)
  return html`
    ${status === 'draft' && html`<${Schedule} plan=${plan} cost=${cost} onDone=${onDone} />`}
    ${status === 'failed' && html`<${Retry} plan=${plan} cost=${cost} onDone=${onDone} />`}
    ${status === 'completed' && html`<${Sure} operation="POST /event-readiness/:eventID/reopen" params=${{ eventID: plan.id }} needs="service.update" label="Take it again" title="Take this plan again?" action="Back to draft" onDone=${onDone}><p>It becomes a draft for the next event: nothing is raised before its times are changed and it is scheduled. It costs nothing.</p><//>`}
    ${isEditable && html`<${Act} needs="service.update" onClick=${onEdit}>Change<//>`}
    ${status !== 'cancelled' && status !== 'completed' && status !== 'draft' && html`<${Cancel} plan=${plan} onDone=${onDone} />`}
    ${!isRaised(plan) && html`<${Sure} operation="DELETE /event-readiness/:eventID" params=${{ eventID: plan.id }} needs="service.delete" isDanger label="Delete" title="Delete this plan?" action="Delete it" onDone=${() => go('events')}><p><strong dir="auto">${plan.name}</strong>${status === 'scheduled' ? ' is cancelled and' : ''} is gone; ${counted(plan.targets.length, 'policy is', 'policies are')} not held for it. Its log stays. It cannot be undone.</p><//>`}`
}

function Raised({ plan, cost }: { plan: Plan; cost: Props['cost'] }) {
  const { raisedAt, backAt } = windowOf(plan)
  return html`<p>${counted(plan.targets.length, 'target is', 'targets are')} reserved now, raised at <strong>${zonedText(raisedAt, plan.timezone)}</strong> for ${plan.expectedMultiplier} times the usual load (at once where that has passed), and put back at <strong>${zonedText(backAt, plan.timezone)}</strong>.</p>
    <p>${cost ? html`It costs about <strong>${usd(cost.estimatedExtraCost)}</strong> in addition.` : 'What it costs in addition is not known yet.'} ${cost?.warnings?.join(' ')} It can be cancelled at any time: what was raised is put back then, and what ran until then was paid for.</p>`
}

const Schedule = ({ plan, cost, onDone }: Omit<Props, 'onEdit'>) =>
  html`<${Sure} operation="POST /event-readiness/:eventID/schedule" params=${{ eventID: plan.id }} needs="service.update" class="main" label="Schedule" title="Schedule this plan?" action="Schedule it" onDone=${onDone}><${Raised} plan=${plan} cost=${cost} /><//>`

const Retry = ({ plan, cost, onDone }: Omit<Props, 'onEdit'>) =>
  html`<${Sure} operation="POST /event-readiness/:eventID/retry" params=${{ eventID: plan.id }} body=${{ to: 'scheduling' }} needs="service.update" class="main" label="Schedule again" title="Schedule this plan again?" action="Schedule it again" onDone=${onDone}><${Raised} plan=${plan} cost=${cost} /><//>
  <${Sure} operation="POST /event-readiness/:eventID/retry" params=${{ eventID: plan.id }} body=${{ to: 'draft' }} needs="service.update" label="Back to draft" title="Take this plan back to draft?" action="Back to draft" onDone=${onDone}><p>What it has raised is put back, and nothing more happens before it is scheduled again. It costs nothing.</p><//>`

const Cancel = ({ plan, onDone }: Pick<Props, 'plan' | 'onDone'>) =>
  html`<${Sure} operation="POST /event-readiness/:eventID/cancel" params=${{ eventID: plan.id }} needs="service.update" isDanger label="Cancel the plan" title="Cancel this plan?" action="Cancel it" onDone=${onDone}><p>${isRaised(plan) ? 'What it has raised is put back now, also while the event goes on: the load that is there then may be more than is left for it.' : 'Nothing is raised for it, and its policies are free again.'} It is not taken up again: that cannot be undone, but another plan can be made.</p><//>`
