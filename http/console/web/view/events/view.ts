/** Known events: capacity is raised before, held through, and put back after. */
import { html } from '../../html.ts'
import { go, param } from '../../router.ts'
import { PlanForm } from './form.ts'
import { List } from './list.ts'
import { PlanDetail } from './detail.ts'
import type { ReadinessPlan } from './labels.ts'

export function View() {
  const id = param('plan')
  if (id !== undefined) return html`<${PlanDetail} key=${id} id=${id} />`
  return html`<div class="view-head"><h1>Event readiness</h1></div>
    ${param('new') === 'plan' && html`<${PlanForm} plan=${undefined} onClose=${() => go('events')} onDone=${({ id: made }: ReadinessPlan) => go('events', { plan: made })} />`}
    <${List} />`
}
