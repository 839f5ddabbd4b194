/** What the organization has set for itself: demands, amounts, its identity provider, and who may publish for it. */
import { Fragment } from 'preact'
import { hrefOf } from '../../router.ts'
import { session } from '../../session.ts'
import { useReport } from '../../report.ts'
import { ReportPanel } from '../../part/report-panel.tsx'
import { Copy } from '../../part/copy.tsx'
import { Head } from '../../part/head.tsx'
import { Panel } from '../../part/panel.tsx'
import { ReportContent } from '../../part/report-content.tsx'
import { ViewTabs, tabAsked } from '../../part/tabs.tsx'
import { DeleteOrganization } from './delete-organization.tsx'
import { General, type Settings } from './general.tsx'
import { Directory } from './directory.tsx'
import { OpenId } from './openid.tsx'
import { Provider } from './provider.tsx'

const tabs = [
  { name: 'general', title: 'General' },
  { name: 'sign-on', title: 'Single sign-on' },
  { name: 'streams', title: 'Producers and consumers' },
] as const

export function View() {
  const chosen = tabAsked(tabs)
  const params = { orgID: session.value?.orgID ?? '' }
  const report = useReport('GET /organisations/:orgID/settings', { params, when: chosen.name !== 'streams' })
  return (
    <>
      <Head title="Organization settings" />
      <ViewTabs view="settings" label="Settings" tabs={tabs} />
      {chosen.name === 'general' && (
        <>
          <ReportPanel title="General" report={report} rows={4}>
            {(data: Settings) => <General settings={data} onDone={report.again} />}
          </ReportPanel>
          <DeleteOrganization />
        </>
      )}
      {chosen.name === 'sign-on' && (
        <ReportContent report={report} rows={4}>
          {(data: Settings) => (
            <>
              <Provider isThere={data.hasIdentityProvider} onDone={report.again} />
              <OpenId isThere={data.hasOpenIDProvider} isBeside={data.hasIdentityProvider} onDone={report.again} />
              <Directory />
            </>
          )}
        </ReportContent>
      )}
      {chosen.name === 'streams' && <Streams />}
    </>
  )
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
  return (
    <Panel title="Stream producers and consumers">
      <p>
        They connect to NATS with their own password, which is shown once. The API cannot create them; an operator does
        so on the machine that runs Tidemark. Creations and revocations appear in the{' '}
        <a href={hrefOf('security', { type: ['stream_user_created', 'stream_user_revoked'], range: '90d' })}>
          security events
        </a>
        .
      </p>
      {kinds.map(({ kind, title, about }) => (
        <Fragment key={kind}>
          <h3>{title}</h3>
          <p class="faint">{about}</p>
          {[command(kind, 'create', ' --name NAME'), command(kind, 'list')].map((text) => (
            <p class="bar" key={text}>
              <code>{text}</code> <Copy label="Copy" text={text} />
            </p>
          ))}
        </Fragment>
      ))}
    </Panel>
  )
}
