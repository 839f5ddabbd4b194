/** Questions that are fields alone: thresholds of anomalies, governance and the guardrail, each beginning with what is so now. */
import { ReportContent } from '../../part/report-content.tsx'
import { useReport } from '../../report.ts'
import type { Reply } from '../../api.ts'
import { useWhatIf } from './use-what-if.ts'
import { anomalyFields, governanceFields, guardrailFields } from './kinds.ts'
import { PlainQuestion } from './question.tsx'

export function AnomalyForm() {
  const asking = useWhatIf('anomaly')
  const intro = (
    <p class="faint">Empty fields keep their current values. Thresholds must increase from warning to emergency.</p>
  )
  return (
    <PlainQuestion
      asking={asking}
      title="Anomaly thresholds"
      fields={anomalyFields}
      given={asking.given}
      intro={intro}
    />
  )
}

type Policies = Reply<'GET /policies'>

/** Begins with the policy of now; one that is off counts as none. */
function OfPolicy({
  domain,
  title,
  fields,
}: {
  domain: 'governance' | 'guardrail'
  title: string
  fields: typeof governanceFields
}) {
  const asking = useWhatIf(domain)
  const report = useReport('GET /policies', { query: { domain, limit: 1 } })
  return (
    <ReportContent report={report}>
      {({ items }: Policies) => {
        const policy = items.find(({ enabled }) => enabled)
        const given = 'spec' in asking.given ? asking.given : { spec: policy?.spec ?? {} }
        const intro = (
          <p class="faint">
            {policy ? (
              <>
                Based on your current policy <span dir="auto">{policy.name}</span>.
              </>
            ) : (
              'You have no such policy, so the defaults apply.'
            )}{' '}
            Empty fields use their defaults.
          </p>
        )
        return (
          <PlainQuestion
            asking={asking}
            title={title}
            fields={fields}
            given={given}
            intro={intro}
            besides={{ spec: {} }}
          />
        )
      }}
    </ReportContent>
  )
}

export const GovernanceForm = () => <OfPolicy domain="governance" title="Governance policy" fields={governanceFields} />

export const GuardrailForm = () => <OfPolicy domain="guardrail" title="Guardrail policy" fields={guardrailFields} />
