/** How recommendations become changes: planned, approved, made once, looked at afterwards. */
import { html } from '../../html.ts'
import { param } from '../../router.ts'
import { All, PendingApprovals } from './list.ts'
import { WorkflowDetail } from './detail.ts'

export function View() {
  const id = param('job')
  return html`<div class="view-head"><h1>Workflows</h1></div>
    <div class=${id === undefined ? '' : 'beside'}>
      <div><${PendingApprovals} /><${All} /></div>
      ${id !== undefined && html`<${WorkflowDetail} key=${id} id=${id} />`}
    </div>`
}
