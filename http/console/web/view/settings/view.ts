/** What the organization has set for itself: demands, amounts, its identity provider, and who may publish for it. */
import { html } from '../../html.ts'
import { hrefOf } from '../../router.ts'
import { session } from '../../session.ts'
import { useReport } from '../../report.ts'
import { Copies, Copy } from '../../part/copy.ts'
import { Panel } from '../../part/panel.ts'
import { ReportContent } from '../../part/report-content.ts'
import { ViewTabs, tabAsked } from '../../part/tabs.ts'
import { DeleteOrganization } from './delete-organization.ts'
import { General, type Settings } from './general.ts'
import { Directory } from './directory.ts'
import { OpenId } from './openid.ts'
import { Provider } from './provider.ts'

const tabs = [
  { name: 'general', title: 'General' },
  { name: 'sign-on', title: 'Single sign-on' },
  { name: 'streams', title: 'Producers and consumers' },
] as const

export function View() {
  const chosen = tabAsked(tabs)
  const params = { orgID: session.value?.orgID ?? '' }
  const report = useReport('GET /organisations/:orgID/settings', { params, when: chosen.name !== 'streams' })
  return html`<div class="view-head"><h1>Organization settings</h1></div>
    <${ViewTabs} view="settings" label="Settings" tabs=${tabs} />
    ${
      chosen.name === 'general' &&
      html`<${Panel} title="General" tools=${html`<${Copies} report=${report} />`}><${ReportContent} report=${report} rows=${4}>${(data: Settings) => html`<${General} settings=${data} onDone=${report.again} />`}<//><//><${DeleteOrganization} />`
    }
    ${chosen.name === 'sign-on' && html`<${ReportContent} report=${report} rows=${4}>${(data: Settings) => html`<${Provider} isThere=${data.hasIdentityProvider} onDone=${report.again} /><${OpenId} isThere=${data.hasOpenIDProvider} isBeside=${data.hasIdentityProvider} onDone=${report.again} /><${Directory} />`}<//>`}
    ${chosen.name === 'streams' && html`<${Streams} />`}`
}

const kinds = [
  {
    kind: 'producer',
    title: 'Producer',
    about: 'publishes discovery results, metrics and bills for this organization',
  },
  { kind: 'consumer', title: 'Consumer', about: 'reads its events and dead letters' },
]

/** The API has none of these: whoever has the machine makes them. */
function Streams() {
  const org = session.value?.orgID ?? ''
  const command = (kind: string, verb: string, more = '') =>
    `npm run -s tidemark -- ${kind} ${verb} --org ${org}${more}`
  return html`<${Panel} title="Stream producers and consumers">
    <p>They connect to NATS with their own password, which is shown once. The API cannot create them; an operator does so on the machine that runs Tidemark. Creations and revocations appear in the <a href=${hrefOf('security', { type: ['stream_user_created', 'stream_user_revoked'], range: '90d' })}>security events</a>.</p>
    ${kinds.map(
      ({ kind, title, about }) => html`<h3 key=${kind}>${title}</h3><p class="faint">${about}</p>
        ${[command(kind, 'create', ' --name NAME'), command(kind, 'list')].map((text) => html`<p class="bar"><code>${text}</code> <${Copy} label="Copy" text=${text} /></p>`)}`,
    )}
  <//>`
}
