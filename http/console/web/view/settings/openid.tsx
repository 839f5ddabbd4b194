/** The organization's OpenID provider. */
import { useState } from 'preact/hooks'
import { timeText } from '../../day.ts'
import { useReport } from '../../report.ts'
import { session } from '../../session.ts'
import { ConfirmButton } from '../../part/confirm-dialog.tsx'
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
  const done = () => {
    setEdited(false)
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
                  <Remove onDone={done} />
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

const Remove = ({ onDone }: { onDone: () => void }) => (
  <ConfirmButton
    operation="DELETE /organisations/:orgID/oidc"
    params={paramsNow()}
    needs="admin"
    isDanger
    label="Remove OpenID provider…"
    title="Remove the OpenID provider?"
    action="Remove"
    onDone={onDone}
  >
    <p>
      Sessions started with it end immediately. Users keep their accounts and can sign in by other methods. Its domains
      remain if SAML is configured; otherwise they must be verified again.
    </p>
  </ConfirmButton>
)
