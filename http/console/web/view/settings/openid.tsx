/** The organization's OpenID provider. */
import { useState } from 'preact/hooks'
import { curlOf } from '../../address.ts'
import { timeText } from '../../day.ts'
import { useRequest, useReport } from '../../report.ts'
import { session } from '../../session.ts'
import { Confirm } from '../../part/confirm.tsx'
import { Copies, Copy } from '../../part/copy.tsx'
import { Panel } from '../../part/panel.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import type { OpenIdConnection } from './connections.ts'
import { Domains } from './domains.tsx'
import { OpenIdForm } from './openid-form.tsx'

const paramsNow = () => ({ orgID: session.value?.orgID ?? '' })

interface OpenIdProps {
  isThere: boolean
  /** Whether the domains are shown elsewhere: those of both providers are the same. */
  isBeside: boolean
  onDone: () => void
}

export function OpenId({ isThere, isBeside, onDone }: OpenIdProps) {
  const report = useReport('GET /organisations/:orgID/oidc', { params: paramsNow(), when: isThere })
  const [isEdited, setEdited] = useState(false)
  const [isRemoved, setRemoved] = useState(false)
  const done = () => {
    setEdited(false)
    setRemoved(false)
    onDone()
    if (isThere) report.again()
  }
  const form = (connection?: OpenIdConnection) => (
    <OpenIdForm connection={connection} onClose={() => setEdited(false)} onDone={done} />
  )
  if (!isThere)
    return (
      <Panel title="OpenID provider">
        {isEdited ? (
          form()
        ) : (
          <Empty title="No OpenID provider configured.">
            <p>
              Configure one if your identity provider supports OpenID Connect, such as Microsoft Entra ID, Okta or
              Keycloak. It replaces SAML; both cannot be enabled at once.{' '}
              <button type="button" onClick={() => setEdited(true)}>
                Configure OpenID provider
              </button>
            </p>
          </Empty>
        )}
      </Panel>
    )
  return (
    <ReportContent report={report} rows={5}>
      {(data: OpenIdConnection) => (
        <>
          <Panel
            title="OpenID provider"
            tools={
              !isEdited && (
                <>
                  <button type="button" onClick={() => setEdited(true)}>
                    Edit OpenID provider
                  </button>
                  <button type="button" class="danger" onClick={() => setRemoved(true)}>
                    Remove OpenID provider…
                  </button>
                  <Copies report={report} />
                </>
              )
            }
          >
            {isEdited ? form(data) : <About connection={data} />}
          </Panel>
          {!isBeside && (
            <Panel title="Domain verification">
              <Domains domains={data.domains} kind="oidc" again={report.again} />
            </Panel>
          )}
          {isRemoved && <Remove onClose={() => setRemoved(false)} onDone={done} />}
        </>
      )}
    </ReportContent>
  )
}

const About = ({
  connection: { issuer, clientID, redirectURI, enabled, updatedAt },
}: {
  connection: OpenIdConnection
}) => (
  <>
    <p>
      <span class={`badge ${enabled ? 'good' : 'warning'}`}>{enabled ? 'enabled' : 'disabled'}</span> changed{' '}
      {timeText(updatedAt)}
    </p>
    <p>
      <span class="faint">Issuer</span> <code>{issuer}</code>
      <br />
      <span class="faint">Client ID</span> <code>{clientID}</code>
    </p>
    <p class="faint after">
      Redirect URI for your provider: <code>{redirectURI}</code> <Copy label="Copy redirect URI" text={redirectURI} />
    </p>
  </>
)

function Remove({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const doing = useRequest('DELETE /organisations/:orgID/oidc')
  const params = paramsNow()
  return (
    <Confirm
      title="Remove the OpenID provider?"
      action="Remove"
      isDanger
      doing={doing}
      onConfirm={() => void doing.run({ params }, onDone)}
      onClose={onClose}
    >
      <p>
        Sessions started with it end immediately. Users keep their accounts and can sign in by other methods. Its
        domains remain if SAML is configured; otherwise they must be verified again.
      </p>
      <p>
        <Copy label="Copy as curl" text={curlOf('DELETE /organisations/:orgID/oidc', params)} />
      </p>
    </Confirm>
  )
}
