/** Where an agent sends its user: what it asks for, and the answer to it. */
import { useState } from 'preact/hooks'
import type { Reply } from '../../api.ts'
import { ChoiceField } from '../../part/form.tsx'
import { Panel } from '../../part/panel.tsx'
import { Empty, ProblemMessage, ReportContent } from '../../part/report-content.tsx'
import { param } from '../../router.ts'
import { useReport, useRequest } from '../../report.ts'
import { session } from '../../session.ts'

type Client = Reply<'GET /auth/agents/client'>

const mays = [
  { value: 'viewer', title: 'Read-only: no more than a viewer' },
  { value: '', title: 'Everything you can do' },
] as const

export function View() {
  const [clientId, redirect, challenge] = ['client_id', 'redirect_uri', 'code_challenge'].map(param)
  const isWhole =
    clientId !== undefined &&
    redirect !== undefined &&
    challenge !== undefined &&
    param('code_challenge_method') === 'S256' &&
    param('response_type') === 'code'
  const report = useReport('GET /auth/agents/client', {
    query: { client_id: clientId, redirect_uri: redirect },
    when: isWhole,
  })
  return (
    <>
      <h1>Connect an agent</h1>
      {isWhole ? (
        <ReportContent report={report} rows={4}>
          {(client: Client) => <Consent client={client} />}
        </ReportContent>
      ) : (
        <Empty title="This request is not complete.">
          <p>Start again in your agent. It must ask for a code (response_type=code) with PKCE (S256).</p>
        </Empty>
      )}
    </>
  )
}

function Consent({ client: { name, redirectHost } }: { client: Client }) {
  const [role, setRole] = useState<'viewer' | ''>('viewer')
  const allow = useRequest('POST /auth/agents/authorizations')
  const { tenants, orgID } = session.value!
  const organization = tenants.find(({ id }) => id === orgID)?.name ?? ''
  const accept = async () => {
    const state = param('state')
    const resource = param('resource')
    const answer = await allow.run({
      body: {
        client_id: param('client_id'),
        redirect_uri: param('redirect_uri'),
        code_challenge: param('code_challenge'),
        ...(state !== undefined && { state }),
        ...(resource !== undefined && { resource }),
        role: role === '' ? null : role,
      },
    })
    if (answer) location.assign(answer.redirectURL)
  }
  return (
    <Panel title={name}>
      <p>
        <strong>{name}</strong> asks for access to <strong>{organization}</strong> in your name. After you allow it, you
        are sent to <code>{redirectHost}</code>. Allow it only if you have just started this yourself.
      </p>
      <ChoiceField label="Access" at="/role" value={role} onValue={setRole} options={mays} />
      <p class="faint">
        The agent gets a token that is valid for 90 days. It is listed under Account, Tokens, where you can revoke it at
        any time.
      </p>
      {allow.problem && <ProblemMessage problem={allow.problem} />}
      <p class="bar">
        <button type="button" class="main" disabled={allow.isBusy} onClick={() => void accept()}>
          Allow
        </button>
        <a href="./">Cancel</a>
      </p>
    </Panel>
  )
}
