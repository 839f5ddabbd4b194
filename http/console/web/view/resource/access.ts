/** Whether Tidemark reaches it: asked of its cloud when somebody wants to know. */
import { useState } from 'preact/hooks'
import { html } from '../../html.ts'
import type { Reply } from '../../api.ts'
import { Copies } from '../../part/copy.ts'
import { Panel } from '../../part/panel.ts'
import { ReportContent } from '../../part/report-content.ts'
import { useReport } from '../../report.ts'
import type { ResourceDetail } from './resource.ts'

type AccessCheck = Reply<'GET /resources/:resourceID/access'>

export function Access({ resource }: { resource: ResourceDetail }) {
  const [isAsked, setAsked] = useState(false)
  const report = useReport('GET /resources/:resourceID/access', { params: { resourceID: resource.id }, when: isAsked })
  return html`<${Panel} title="Access" tools=${html`<${Copies} report=${report} />`}>
    ${
      isAsked
        ? html`<${ReportContent} report=${report} rows=${2}>${(reached: AccessCheck) => html`<${AccessResult} ...${reached} />`}<//>`
        : html`<p class="bar"><button type="button" onClick=${() => setAsked(true)}>Check access</button><span class="faint">Tests whether our credentials can reach it. Nothing is changed.</span></p>`
    }
  <//>`
}

const reasons: Readonly<Record<string, string>> = {
  egress_config_error: 'the operator has not configured the addresses Tidemark calls from',
  private: 'its network blocks access from outside',
  ip_not_allowlisted: 'our addresses are not on its allowlist',
}

function AccessResult({ accessible, principal, network }: AccessCheck) {
  return html`<p role="status"><span class=${`badge ${accessible ? 'good' : 'warning'}`}>${accessible ? 'reachable' : 'not reachable'}</span>${principal && html`${' '}as <code>${principal}</code>`}</p>
    ${!accessible && html`<p>The credentials of its account do not allow access. Verify the account under Sources.</p>`}
    ${network && html`<p>Network: ${network.reachable ? 'reachable' : `not reachable because ${reasons[network.reason ?? ''] ?? network.reason}`}; ${network.publicAccess ? 'public' : 'private'}. We call from ${network.ourIps.length === 0 ? 'unknown addresses' : network.ourIps.join(', ')}.</p>`}`
}
