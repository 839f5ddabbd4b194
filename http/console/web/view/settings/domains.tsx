/** The domains whose people sign in at the organization's provider, whichever it is, and what proves each. */
import { timeText } from '../../day.ts'
import { useRequest } from '../../report.ts'
import { session } from '../../session.ts'
import { Copy } from '../../part/copy.tsx'
import { ProblemMessage } from '../../part/report-content.tsx'
import type { Column } from '../../part/list/column.tsx'
import { Table } from '../../part/table.tsx'
import type { Domain } from './connections.ts'

type Kind = keyof typeof operations

interface DomainsProps {
  domains: Domain[]
  kind: Kind
  again: () => void
}

interface ProofProps {
  domain: Domain
  kind: Kind
  again: () => void
}

export function Domains({ domains, kind, again }: DomainsProps) {
  const columns: Column<Domain>[] = [
    {
      title: 'Domain',
      show: ({ domain }) => <code>{domain}</code>,
      sub: ({ status }) => <span class={`badge ${status === 'verified' ? 'good' : 'warning'}`}>{status}</span>,
    },
    {
      title: 'DNS TXT record',
      show: ({ record }) => (
        <>
          <code class="sub">{record.name}</code>
          <code class="sub">{record.value}</code>
          <Copy label="Copy record" text={`${record.name} ${record.type} "${record.value}"`} />
        </>
      ),
    },
    { title: 'Verification', show: (one) => <Proof domain={one} kind={kind} again={again} /> },
  ]
  return (
    <>
      <p class="faint">
        A domain has no effect until its DNS record exists and is verified. Keep the record: it proves that the domain
        is yours.
      </p>
      <Table caption="Domains" columns={columns} rows={domains} keyOf={({ domain }: Domain) => domain} />
    </>
  )
}

const operations = {
  saml: 'POST /organisations/:orgID/saml/domains/:domain/verify',
  oidc: 'POST /organisations/:orgID/oidc/domains/:domain/verify',
} as const

function Proof({ domain: { domain, verifiedAt }, kind, again }: ProofProps) {
  const doing = useRequest(operations[kind])
  const params = { orgID: session.value?.orgID ?? '', domain }
  const look = () => void doing.run({ params }, again)
  return (
    <>
      {verifiedAt && (
        <>
          <span>since {timeText(verifiedAt)}</span>{' '}
        </>
      )}
      <button type="button" disabled={doing.isBusy} aria-label={`Verify now: ${domain}`} onClick={look}>
        {doing.isBusy ? 'Verifying…' : 'Verify now'}
      </button>
      {doing.problem && <ProblemMessage problem={doing.problem} />}
    </>
  )
}
