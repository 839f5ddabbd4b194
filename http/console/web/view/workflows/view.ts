/** How recommendations become changes: planned, approved, made once, looked at afterwards. */
import { html } from '../../html.ts'
import { param } from '../../place.ts'
import { All, Waiting } from './list.ts'
import { Opened } from './opened.ts'

export function View() {
  const id = param('job')
  return html`<div class="view-head"><h1>Workflows</h1></div>
    <div class=${id === undefined ? '' : 'beside'}>
      <div><${Waiting} /><${All} /></div>
      ${id !== undefined && html`<${Opened} key=${id} id=${id} />`}
    </div>`
}
