/** Ends a workflow that is under way. */
import { useState } from 'preact/hooks'
import { curlOf } from '../../address.ts'
import { Act } from '../../part/act.tsx'
import { Confirm } from '../../part/confirm.tsx'
import { Copy } from '../../part/copy.tsx'
import { TextField } from '../../part/form.tsx'
import { useRequest } from '../../report.ts'
import type { WorkflowJob } from './labels.ts'

const operation = 'POST /remediation-jobs/:jobID/cancel'

export function Cancel({ job, onDone }: { job: WorkflowJob; onDone: () => void }) {
  const [isAsking, setAsking] = useState(false)
  const [reason, setReason] = useState('')
  const doing = useRequest(operation)
  const params = { jobID: job.id }
  const body = reason.trim() === '' ? {} : { reason: reason.trim() }
  const open = () => {
    doing.clear()
    setAsking(true)
  }
  const done = () => {
    setAsking(false)
    onDone()
  }
  return (
    <>
      <p class="bar">
        <Act needs="service.update" class="danger" onClick={open}>
          Cancel workflow…
        </Act>
      </p>
      {isAsking && (
        <Confirm
          title="Cancel the workflow?"
          action="Cancel workflow"
          isDanger
          doing={doing}
          onConfirm={() => void doing.run({ params, body }, done)}
          onClose={() => setAsking(false)}
        >
          <p dir="auto">
            <strong>{job.plan.operation}</strong>
          </p>
          <p>
            Steps that have not started are skipped. Completed steps and calls in progress are not reverted. You cannot
            resume it: start a new workflow from the recommendation.
          </p>
          <TextField
            label="Reason"
            rows={2}
            maxLength={1000}
            value={reason}
            onValue={setReason}
            at="/reason"
            problem={doing.problem}
          />
          <p>
            <Copy label="Copy as curl" text={curlOf(operation, params, undefined, body)} />
          </p>
        </Confirm>
      )}
    </>
  )
}
