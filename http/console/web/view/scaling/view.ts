/** How many units fleets have, by their load and by the clock. */
import { html } from '../../html.ts'
import { go, param } from '../../router.ts'
import { PolicyForm } from './form.ts'
import { List } from './list.ts'
import { PolicyDetail } from './detail.ts'
import type { Policy } from './labels.ts'

export function View() {
  const id = param('policy')
  if (id !== undefined) return html`<${PolicyDetail} key=${id} id=${id} />`
  return html`<div class="view-head"><h1>Autoscaling</h1></div>
    ${param('new') === 'policy' && html`<${PolicyForm} policy=${undefined} onClose=${() => go('scaling')} onDone=${({ id: made }: Policy) => go('scaling', { policy: made })} />`}
    <${List} />`
}
