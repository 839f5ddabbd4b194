/** Whether Tidemark reaches it: asked of its cloud when somebody wants to know. */
import { useState } from 'preact/hooks'
import { html } from '../../html.ts'
import type { Reply } from '../../api.ts'
import { Copies } from '../../part/copy.ts'
import { Panel } from '../../part/panel.ts'
import { Shown } from '../../part/state.ts'
import { useReport } from '../../report.ts'
import type { Resource } from './known.ts'

type Reached = Reply<'GET /resources/:resourceID/access'>

export function Access({ resource }: { resource: Resource }) {
  const [isAsked, setAsked] = useState(false)
  const report = useReport('GET /resources/:resourceID/access', { params: { resourceID: resource.id }, when: isAsked })
  return html`<${Panel} title="Access" tools=${html`<${Copies} report=${report} />`}>
    ${
      isAsked
        ? html`<${Shown} report=${report} rows=${2}>${(reached: Reached) => html`<${Said} ...${reached} />`}<//>`
        : html`<p class="bar"><button type="button" onClick=${() => setAsked(true)}>Ask its cloud now</button><span class="faint">whether our credentials reach it; nothing is changed.</span></p>`
    }
  <//>`
}

const reasons: Readonly<Record<string, string>> = {
  egress_config_error: 'the operator has not said from which addresses Tidemark calls',
  private: 'its network lets nobody in from outside',
  ip_not_allowlisted: 'our addresses are not on its list',
}

function Said({ accessible, principal, network }: Reached) {
  return html`<p role="status"><span class=${`badge ${accessible ? 'good' : 'warning'}`}>${accessible ? 'reached' : 'not reached'}</span>${principal && html`${' '}as <code>${principal}</code>`}</p>
    ${!accessible && html`<p>The credentials of its account do not allow it: verify the account under sources.</p>`}
    ${network && html`<p>Its network: ${network.reachable ? 'reachable' : `not reachable, as ${reasons[network.reason ?? ''] ?? network.reason}`}; ${network.publicAccess ? 'open to the outside' : 'private'}. We call from ${network.ourIps.length === 0 ? 'addresses that are not known' : network.ourIps.join(', ')}.</p>`}`
}
