/** What to copy into AWS, so that there is a role that may do no more than it must. */
import { useState } from 'preact/hooks'
import type { Reply } from '../../api.ts'
import { Copies, Copy } from '../../part/copy.tsx'
import { TextField } from '../../part/form.tsx'
import { ReportContent } from '../../part/report-content.tsx'
import { pluralize } from '../../figure.ts'
import { useReport } from '../../report.ts'
import { accessAsked, textAsked, type } from './connect-query.ts'

type Guide = Reply<'GET /cloud-accounts/guide'>

export function Guide() {
  const typed = textAsked('billing_bucket')
  // Policies name the whole bucket, not each letter of it.
  const [bucket, setBucket] = useState(typed)
  const query = { provider: 'aws', write: accessAsked() === 'write', billing_bucket: bucket }
  const report = useReport('GET /cloud-accounts/guide', { query })
  return (
    <section aria-label="Create the role">
      <h3>Create the role</h3>
      <div class="form" onChange={() => setBucket(typed)}>
        <TextField
          label="Billing export bucket (optional)"
          at="billing_bucket"
          problem={report.problem}
          value={typed}
          onValue={type('billing_bucket')}
          isCode
          hint="with a FOCUS export or a Cost and Usage Report; without one, Cost Explorer is used"
        />
      </div>
      <ReportContent report={report} rows={6}>
        {(guide: Guide) => (
          <>
            {guide.principal === null && <Nobody />}
            <p class="after">
              Run these three commands while signed in to the account you are connecting. The last one prints the role
              ARN. Or create the role manually from the two policies below.
            </p>
            <Commands commands={guide.commands} />
            <p>
              The trust policy allows{' '}
              {guide.principal === null ? 'the operator of Tidemark' : <code class="hash">{guide.principal}</code>} to
              assume the role, only with the external ID of your organization:{' '}
              <code class="hash">{guide.externalID}</code> <Copy label="Copy external ID" text={guide.externalID} />
            </p>
            <Document title="Trust policy" document={guide.trustPolicy} />
            <Document
              title="Permission policy"
              document={guide.permissionPolicy}
              about={actionsOf(guide.permissionPolicy)}
            />
            <p class="bar after">
              <Copies report={report} of="the guide" />
            </p>
          </>
        )}
      </ReportContent>
    </section>
  )
}

/** Nobody can assume a role for an installation that is nobody at AWS. */
const Nobody = () => (
  <div class="note" role="note">
    <p>
      <strong>This installation has no AWS credentials of its own</strong>, so it cannot assume any role yet. Its
      operator must set <code>AWS_ACCESS_KEY_ID</code> and <code>AWS_SECRET_ACCESS_KEY</code> in its environment, or run
      it on a machine with a role, and restart it.
    </p>
    <p>
      Until then the trust policy names <code>ACCOUNT-OF-TIDEMARK</code>: replace it with the ARN that will run
      Tidemark. You can connect the account now; it stays in error status until credentials are available.
    </p>
  </div>
)

const Commands = ({ commands }: { commands: readonly string[] }) => (
  <section aria-label="Commands">
    <h4>Commands</h4>
    <p class="copies">
      <Copy label="Copy all commands" text={commands.join('\n')} />
    </p>
    <ol class="steps">
      {commands.map((command, n) => (
        <li key={n}>
          <pre class="body short" tabindex={0} aria-label={`Command ${n + 1}`}>
            {command}
          </pre>
          <Copy label={`Copy command ${n + 1}`} text={command} />
        </li>
      ))}
    </ol>
  </section>
)

interface DocumentProps {
  title: string
  document: object
  about?: string
}

function Document({ title, document, about }: DocumentProps) {
  const text = JSON.stringify(document, null, 2)
  return (
    <section aria-label={title}>
      <h4>
        {title}
        {about && (
          <>
            {' '}
            <span class="faint">{about}</span>
          </>
        )}
      </h4>
      <p class="copies">
        <Copy label={`Copy the ${title.toLowerCase()}`} text={text} />
      </p>
      <pre class="body short" tabindex={0} aria-label={title}>
        {text}
      </pre>
    </section>
  )
}

function actionsOf(policy: { Statement?: unknown }): string {
  const statements = Array.isArray(policy.Statement) ? (policy.Statement as { Action?: string | string[] }[]) : []
  return pluralize(new Set(statements.flatMap(({ Action = [] }) => Action)).size, 'permission')
}
