/** Whether Tidemark reaches it: asked of its cloud when somebody wants to know. */
import { useState } from 'preact/hooks'
import type { Reply } from '../../api.ts'
import { Copies } from '../../part/copy.tsx'
import { Panel } from '../../part/panel.tsx'
import { ReportContent } from '../../part/report-content.tsx'
import { useReport } from '../../report.ts'
import type { ResourceDetail } from './resource.ts'

type AccessCheck = Reply<'GET /resources/:resourceID/access'>

export function Access({ resource }: { resource: ResourceDetail }) {
  const [isAsked, setAsked] = useState(false)
  const report = useReport('GET /resources/:resourceID/access', { params: { resourceID: resource.id }, when: isAsked })
  return (
    <Panel title="Access" tools={<Copies report={report} />}>
      {isAsked ? (
        <ReportContent report={report} rows={2}>
          {(reached: AccessCheck) => <AccessResult {...reached} />}
        </ReportContent>
      ) : (
        <p class="bar">
          <button type="button" onClick={() => setAsked(true)}>
            Check access
          </button>
          <span class="faint">Tests whether our credentials can reach it. Nothing is changed.</span>
        </p>
      )}
    </Panel>
  )
}

const reasons: Readonly<Record<string, string>> = {
  egress_config_error: 'the operator has not configured the addresses Tidemark calls from',
  private: 'its network blocks access from outside',
  ip_not_allowlisted: 'our addresses are not on its allowlist',
}

function AccessResult({ accessible, principal, network }: AccessCheck) {
  return (
    <>
      <p role="status">
        <span class={`badge ${accessible ? 'good' : 'warning'}`}>{accessible ? 'reachable' : 'not reachable'}</span>
        {principal && (
          <>
            {' '}
            as <code>{principal}</code>
          </>
        )}
      </p>
      {!accessible && <p>The credentials of its account do not allow access. Verify the account under Sources.</p>}
      {network && (
        <p>
          Network:{' '}
          {network.reachable ? 'reachable' : `not reachable because ${reasons[network.reason ?? ''] ?? network.reason}`}
          ; {network.publicAccess ? 'public' : 'private'}. We call from{' '}
          {network.ourIps.length === 0 ? 'unknown addresses' : network.ourIps.join(', ')}.
        </p>
      )}
    </>
  )
}
