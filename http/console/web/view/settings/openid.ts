/** The organization's OpenID provider. */
import { useState } from 'preact/hooks'
import { html } from '../../html.ts'
import { curlOf } from '../../address.ts'
import { timeText } from '../../day.ts'
import { useDoing, useReport } from '../../report.ts'
import { session } from '../../session.ts'
import { Confirm } from '../../part/confirm.ts'
import { Copies, Copy } from '../../part/copy.ts'
import { Panel } from '../../part/panel.ts'
import { Empty, Shown } from '../../part/state.ts'
import type { OpenIdConnection } from './asked.ts'
import { Domains } from './domains.ts'
import { OpenIdForm } from './openid-form.ts'

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
  const form = (connection?: OpenIdConnection) =>
    html`<${OpenIdForm} connection=${connection} onClose=${() => setEdited(false)} onDone=${done} />`
  if (!isThere)
    return html`<${Panel} title="OpenID provider">${
      isEdited
        ? form()
        : html`<${Empty} title="No OpenID provider is set."><p>Set one where your provider speaks OpenID Connect: Microsoft Entra ID, Okta, Keycloak and others do. It is switched on instead of SAML, not beside it. <button type="button" onClick=${() => setEdited(true)}>Set an OpenID provider</button></p><//>`
    }<//>`
  return html`<${Shown} report=${report} rows=${5}>${(data: OpenIdConnection) => html`
    <${Panel} title="OpenID provider" tools=${!isEdited && html`<button type="button" onClick=${() => setEdited(true)}>Change the OpenID provider</button><button type="button" class="danger" onClick=${() => setRemoved(true)}>Remove the OpenID provider …</button><${Copies} report=${report} />`}>
      ${isEdited ? form(data) : html`<${About} connection=${data} />`}
    <//>
    ${!isBeside && html`<${Panel} title="Domains and their proof"><${Domains} domains=${data.domains} kind="oidc" again=${report.again} /><//>`}
    ${isRemoved && html`<${Remove} onClose=${() => setRemoved(false)} onDone=${done} />`}`}<//>`
}

const About = ({
  connection: { issuer, clientID, redirectURI, enabled, updatedAt },
}: {
  connection: OpenIdConnection
}) =>
  html`<p><span class=${`badge ${enabled ? 'good' : 'warning'}`}>${enabled ? 'on' : 'off'}</span> changed ${timeText(updatedAt)}</p>
    <p><span class="faint">Issuer</span> <code>${issuer}</code><br /><span class="faint">What it calls us</span> <code>${clientID}</code></p>
    <p class="faint after">The redirect URI that your provider wants to know: <code>${redirectURI}</code> <${Copy} label="Copy the redirect URI" text=${redirectURI} /></p>`

function Remove({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const doing = useDoing('DELETE /organisations/:orgID/oidc')
  const params = paramsNow()
  return html`<${Confirm} title="Remove the OpenID provider?" action="Remove" isDanger doing=${doing} onConfirm=${() => void doing.run({ params }, onDone)} onClose=${onClose}>
    <p>Sessions that began there end at once. People keep their accounts, and sign in with what else they have. Its domains stay where SAML is set; else they must be proved anew.</p>
    <p><${Copy} label="Copy as curl" text=${curlOf('DELETE /organisations/:orgID/oidc', params)} /></p>
  <//>`
}
