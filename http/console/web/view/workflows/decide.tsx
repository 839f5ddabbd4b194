/** Yes or no of somebody who may, with a reason. Who may not is told why. */
import { useEffect, useState } from 'preact/hooks'
import { curlOf } from '../../address.ts'
import { ago, timeText } from '../../day.ts'
import { pluralize, usd } from '../../figure.ts'
import { Act } from '../../part/act.tsx'
import { Confirm } from '../../part/confirm.tsx'
import { Copy } from '../../part/copy.tsx'
import { TextField } from '../../part/form.tsx'
import { Panel } from '../../part/panel.tsx'
import type { NameOf } from '../../part/person.ts'
import { useRequest, type Report } from '../../report.ts'
import { session } from '../../session.ts'
import type { Problem } from '../../problem.ts'
import { useApproval } from './approval.ts'
import { Now, type Preview } from './current-plan.tsx'
import { undoText } from './undo.ts'
import type { WorkflowJob, WorkflowStep } from './labels.ts'

type Verdict = 'approve' | 'reject'

export interface DecideProps {
  job: WorkflowJob
  /** The plan that would be made now. */
  now: Report<Preview> | undefined
  nameOf: NameOf
  onDecided: () => void
}

export function Decide({ job, now, nameOf, onDecided }: DecideProps) {
  const [verdict, setVerdict] = useState<Verdict | undefined>()
  const [reason, setReason] = useState('')
  const [isLate, setLate] = useState(false)
  const step = job.steps.find(({ status }) => status === 'awaiting_user')
  const close = () => setVerdict(undefined)
  const decided = () => {
    setReason('')
    close()
    onDecided()
  }
  // An open question stays, for what it is answered with is typed there.
  if (!step && !verdict) return isLate ? <TooLate job={job} /> : null
  const Verdict = verdict === 'approve' ? Approve : Reject
  return (
    <Panel title="Approve or reject">
      {step && <ApprovalStatus step={step} own={yesOf(job, step)} nameOf={nameOf} />}
      <Buttons job={job} step={step} onVerdict={setVerdict} />
      {verdict && (
        <Verdict
          job={job}
          now={now}
          step={step}
          reason={reason}
          setReason={setReason}
          onClose={close}
          onDone={decided}
          onLate={() => {
            setLate(true)
            onDecided()
          }}
        />
      )}
    </Panel>
  )
}

interface ButtonsProps {
  job: WorkflowJob
  step: WorkflowStep | undefined
  onVerdict: (verdict: Verdict) => void
}

function Buttons({ job, step, onVerdict }: ButtonsProps) {
  const me = session.value?.me.user?.id
  const isOwn = job.plan.fourEyes && job.createdBy === me
  const hasSaidYes = step !== undefined && yesOf(job, step).some(({ actor }) => actor === me)
  return (
    <>
      {isOwn && (
        <p class="note" role="status">
          You started this workflow, and the four-eyes rule applies: someone else must approve it. You can reject it.
        </p>
      )}
      {hasSaidYes && (
        <p class="note" role="status">
          You approved it. Someone else must approve it too.
        </p>
      )}
      <p class="bar">
        <Act needs="admin" class="main" disabled={isOwn || hasSaidYes || !step} onClick={() => onVerdict('approve')}>
          Approve…
        </Act>
        <Act needs="admin" class="danger" disabled={!step} onClick={() => onVerdict('reject')}>
          Reject…
        </Act>
      </p>
    </>
  )
}

const yesOf = ({ audit }: WorkflowJob, { name }: WorkflowStep) =>
  audit.filter(({ stepName, eventType }) => stepName === name && eventType === 'approved')

function ApprovalStatus({ step, own, nameOf }: { step: WorkflowStep; own: ReturnType<typeof yesOf>; nameOf: NameOf }) {
  const expiresAt = step.output?.['expiresAt']
  return (
    <p>
      Waiting for approval by {pluralize(step.approvals ?? 1, 'owner or admin', 'different owners or admins')}
      {own.length > 0 && (
        <>
          ; {own.length} approved: <span dir="auto">{own.map(({ actor }) => nameOf(actor)).join(', ')}</span>
        </>
      )}
      .{' '}
      {typeof expiresAt === 'string' && (
        <>
          Without a decision it is canceled{' '}
          <time datetime={expiresAt} title={timeText(expiresAt)}>
            {ago(expiresAt)}
          </time>
          .
        </>
      )}
    </p>
  )
}

const TooLate = ({ job }: { job: WorkflowJob }) => (
  <Panel title="Approve or reject">
    <p class="note" role="status">
      Too late: it is no longer waiting. {lastWord(job)} Your decision was not recorded.
    </p>
  </Panel>
)

function lastWord({ audit }: WorkflowJob): string {
  const last = audit.findLast(({ eventType }) => eventType === 'approved' || eventType === 'rejected')
  return last ? `It was ${last.eventType} ${ago(last.createdAt)}.` : 'It has finished.'
}

/** What the codes of the API mean here. */
const inWords: Readonly<Record<string, string>> = {
  not_awaiting:
    'Too late: someone else was faster, or it has finished. Your decision was not recorded; the current state is shown.',
  already_approved: 'You already approved it. Someone else must approve it too.',
  four_eyes: 'You started it, so someone else must approve it.',
  forbidden: 'Only owners and admins can approve.',
}

interface VerdictDialogProps {
  job: WorkflowJob
  now: Report<Preview> | undefined
  step: WorkflowStep | undefined
  reason: string
  setReason: (reason: string) => void
  onClose: () => void
  onDone: () => void
  onLate: () => void
}

/** Tells once of each answer that it came too late. */
function useLate(problem: Problem | undefined, onLate: () => void): void {
  useEffect(() => {
    if (problem?.code === 'not_awaiting') onLate()
  }, [problem])
}

function Approve({ job, now, step, reason, setReason, onClose, onDone, onLate }: VerdictDialogProps) {
  // Which step was asked about stays, whatever becomes of it meanwhile.
  const [stepID] = useState(step?.id ?? '')
  const isWaiting = step !== undefined
  const approval = useApproval({ job, now, stepID, isWaiting, reason: reason.trim() })
  const { operation, params, body, doing, isAnother, hasMoved } = approval
  useLate(doing.problem, onLate)
  const words = hasMoved ? movedText : doing.problem && inWords[doing.problem.code]
  const shown = words ? { ...doing, problem: undefined } : doing
  const action = isAnother ? 'Approve anyway' : 'Approve'
  return (
    <Confirm
      title="Approve this plan?"
      action={action}
      isDanger={isAnother}
      doing={shown}
      onConfirm={() => void approval.send(onDone)}
      onClose={onClose}
    >
      <What job={job} />
      <p>
        You approve only the plan with hash <code class="hash">{job.planHash.slice(0, 12)}…</code>. Once enough people
        have approved, the change is made as soon as the guardrail allows it. Canceling does not revert calls already
        made. {undoText(job)}
      </p>
      <Now job={job} now={now} />
      <Why reason={reason} setReason={setReason} problem={doing.problem} words={words} />
      <p>
        <Copy label="Copy as curl" text={curlOf(operation, params, undefined, body)} />
      </p>
    </Confirm>
  )
}

const movedText = 'The plan just changed and nothing was approved. Read the current plan above, then decide.'

const rejecting = 'POST /remediation-jobs/:jobID/steps-by-id/:stepID/reject'

function Reject({ job, step, reason, setReason, onClose, onDone, onLate }: VerdictDialogProps) {
  const [stepID] = useState(step?.id ?? '')
  const doing = useRequest(rejecting)
  const params = { jobID: job.id, stepID }
  const body = reason.trim() === '' ? {} : { reason: reason.trim() }
  useLate(doing.problem, onLate)
  const words = doing.problem && inWords[doing.problem.code]
  const shown = words ? { ...doing, problem: undefined } : doing
  return (
    <Confirm
      title="Reject this workflow?"
      action="Reject"
      isDanger
      doing={shown}
      onConfirm={() => void doing.run({ params, body }, onDone)}
      onClose={onClose}
    >
      <What job={job} />
      <p>
        The workflow is canceled and nothing is changed. This cannot be undone, but you can start a new one from its
        recommendation, which stays open.
      </p>
      <Why reason={reason} setReason={setReason} problem={doing.problem} words={words} />
      <p>
        <Copy label="Copy as curl" text={curlOf(rejecting, params, undefined, body)} />
      </p>
    </Confirm>
  )
}

const What = ({ job: { plan } }: { job: WorkflowJob }) => (
  <>
    <p dir="auto">
      <strong>{plan.operation}</strong>
    </p>
    <p>
      It costs {usd(plan.estimate.costUsd)} in 30 days. Estimated savings: {usd(plan.estimate.savingsUsd)}.
    </p>
  </>
)

interface WhyProps {
  reason: string
  setReason: (reason: string) => void
  problem: Problem | undefined
  /** What a refusal means here. */
  words: string | undefined
}

const Why = ({ reason, setReason, problem, words }: WhyProps) => (
  <>
    <TextField
      label="Reason (recorded in the audit log)"
      rows={2}
      maxLength={1000}
      value={reason}
      onValue={setReason}
      at="/reason"
      problem={problem}
    />
    {words && (
      <p class="note bad" role="alert">
        {words}
      </p>
    )}
  </>
)
