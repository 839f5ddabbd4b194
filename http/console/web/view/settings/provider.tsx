/** The organization's own identity provider: its SAML connection, and the domains whose people sign in there. */
import { useState } from 'preact/hooks'
import { addressOf } from '../../address.ts'
import { timeText } from '../../day.ts'
import { useReport } from '../../report.ts'
import { session } from '../../session.ts'
import { ConfirmButton } from '../../part/confirm-dialog.tsx'
import { Copies, Copy } from '../../part/copy.tsx'
import { Panel } from '../../part/panel.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import type { Connection } from './connections.ts'
import { Domains } from './domains.tsx'
import { ProviderForm } from './provider-form.tsx'

const paramsNow = () => ({ orgID: session.value?.orgID ?? '' })

export function Provider({ isThere, onDone }: { isThere: boolean; onDone: () => void }) {
  const report = useReport('GET /organisations/:orgID/saml', { params: paramsNow(), when: isThere })
  const [isEdited, setEdited] = useState(false)
  const done = () => {
    setEdited(false)
    onDone()
    if (isThere) report.again()
  }
  const form = (connection?: Connection) => (
    <ProviderForm connection={connection} onClose={() => setEdited(false)} onDone={done} />
  )
  if (!isThere)
    return (
      <Panel title="Identity provider">
        {isEdited ? (
          form()
        ) : (
          <Empty title="No identity provider configured.">
            <p>
              With one, users with addresses in your domains sign in there (SAML 2.0), and no one else can sign in for
              them.{' '}
              <button type="button" class="main" onClick={() => setEdited(true)}>
                Configure
              </button>
            </p>
          </Empty>
        )}
        <Ours />
      </Panel>
    )
  return (
    <ReportContent report={report} rows={5}>
      {(data: Connection) => (
        <>
          <Panel
            title="Identity provider"
            tools={
              !isEdited && (
                <>
                  <button type="button" onClick={() => setEdited(true)}>
                    Edit
                  </button>
                  <Remove onDone={done} />
                  <Copies report={report} />
                </>
              )
            }
          >
            {isEdited ? form(data) : <About connection={data} />}
            <Ours />
          </Panel>
          <Panel title="Domain verification">
            <Domains domains={data.domains} kind="saml" again={report.again} />
          </Panel>
        </>
      )}
    </ReportContent>
  )
}

const About = ({ connection: { entityID, ssoURL, enabled, updatedAt } }: { connection: Connection }) => (
  <>
    <p>
      <span class={`badge ${enabled ? 'good' : 'warning'}`}>{enabled ? 'enabled' : 'disabled'}</span> changed{' '}
      {timeText(updatedAt)}
    </p>
    <p>
      <span class="faint">Provider</span> <code>{entityID}</code>
      <br />
      <span class="faint">Sign-in URL</span> <code>{ssoURL}</code>
    </p>
  </>
)

/** What the provider is to be told. */
const Ours = () => (
  <p class="faint after">
    Service provider metadata and ACS for your provider: <code>{addressOf('GET /auth/saml/metadata').href}</code>{' '}
    <Copy label="Copy" text={addressOf('GET /auth/saml/metadata').href} />
  </p>
)

const Remove = ({ onDone }: { onDone: () => void }) => (
  <ConfirmButton
    operation="DELETE /organisations/:orgID/saml"
    params={paramsNow()}
    needs="admin"
    isDanger
    label="Remove…"
    title="Remove the identity provider?"
    action="Remove"
    onDone={onDone}
  >
    <p>
      Sessions started with it end immediately, and no one can sign in with it any more. Users keep their accounts and
      can sign in by other methods. You can configure it again; its domains must then be verified again.
    </p>
  </ConfirmButton>
)
